/* SPDX-License-Identifier: Apache-2.0 */
#include "etc.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define ALWAYS                                                                                     \
	"127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\n" \
	"ff00::0\tip6-mcastprefix\nff02::1\tip6-allnodes\nff02::2\tip6-allrouters\n"

/* The few fields of a spec that matter here; the others are zero. */
static char none_[] = "none", host_[] = "host", bridge_[] = "bridge", box_[] = "box",
	    fqdn_[] = "a.b.c", dom_[] = "dom.example";

static void is_text(void (*make)(struct buf *, const struct spec *, const char *),
	const struct spec *s, const char *host, const char *want, const char *sentence)
{
	auto_buf struct buf out = {0};

	make(&out, s, host);
	is_str(out.s, want, sentence);
}

static void test_hosts(void)
{
	struct spec s = {.network = none_, .hostname = box_};

	is_text(etc_hosts, &s, "1.1.1.1 outside\n", ALWAYS, "no network: docker's lines and no more");
	strv_add(&s.extra_hosts, "a:1.2.3.4");
	strv_add(&s.extra_hosts, "b:fe80::1");
	strv_add(&s.extra_hosts, "c=[fe80::2]");
	strv_add(&s.extra_hosts, "junk");
	is_text(etc_hosts, &s, NULL, ALWAYS "1.2.3.4\ta\nfe80::1\tb\nfe80::2\tc\n", "--add-host");
	strv_done(&s.extra_hosts);
	s.network = host_;
	is_text(etc_hosts, &s, "1.1.1.1 outside\n", "1.1.1.1 outside\n", "the host's network: its file");
	is_text(etc_hosts, &s, NULL, ALWAYS, "where it has one");
	strv_add(&s.extra_hosts, "h:host-gateway");
	is_text(etc_hosts, &s, "1.1.1.1 outside\n", ALWAYS "127.0.0.1\th\n",
		"the host's network and --add-host: as docker, not its file");
	s.network = none_;
	is_text(etc_hosts, &s, NULL, ALWAYS "172.17.0.1\th\n", "host-gateway without a way");
	strv_done(&s.extra_hosts);
	s.network = bridge_;
	is_text(etc_hosts, &s, NULL, ALWAYS "127.0.1.1\tbox\n", "elsewhere it finds itself by name");
	s.domainname = dom_;
	is_text(etc_hosts, &s, NULL, ALWAYS "127.0.1.1\tbox.dom.example box\n",
		"with and without its domain");
	s.domainname = NULL;
	s.hostname = fqdn_;
	is_text(etc_hosts, &s, NULL, ALWAYS "127.0.1.1\ta.b.c a\n", "whoever gave it");
}

static void hostname(struct buf *out, const struct spec *s, const char *host)
{
	(void)host;
	etc_hostname(out, s);
}

static const char outside[] = "# made by something\n"
			      "nameserver 127.0.0.53\n"
			      "  nameserver\t10.0.0.2  \r\n"
			      "nameserver fe80::1%eth0\n"
			      "; another comment\n"
			      "domain old.example\n"
			      "search corp.example lab.example\n"
			      "options edns0 trust-ad\n"
			      "options ndots:2\n"
			      "sortlist 10.0.0.0  10.1.0.0\n"
			      "nameserver";

static void test_resolv(void)
{
	struct spec s = {.network = host_};

	is_text(etc_resolv, &s, outside, outside, "the host's network: its file");
	s.network = none_;
	is_text(etc_resolv, &s, outside,
		"nameserver 10.0.0.2\nsearch corp.example lab.example\noptions edns0 trust-ad ndots:2\n"
		"sortlist 10.0.0.0 10.1.0.0\n",
		"another network: without the servers that only the host reaches");
	is_text(etc_resolv, &s, "nameserver 10.255.255.53", "nameserver 10.255.255.53\n",
		"a plain one stays");
	is_text(etc_resolv, &s, "nameserver 127.0.0.1\n",
		"nameserver 8.8.8.8\nnameserver 8.8.4.4\n", "none is left: docker's choice");
	is_text(etc_resolv, &s, NULL, "nameserver 8.8.8.8\nnameserver 8.8.4.4\n", "there was none");
	strv_add(&s.dns, "127.0.0.1");
	strv_add(&s.dns, "::1");
	is_text(etc_resolv, &s, outside,
		"nameserver 127.0.0.1\nnameserver ::1\nsearch corp.example lab.example\noptions edns0 "
		"trust-ad ndots:2\nsortlist 10.0.0.0 10.1.0.0\n",
		"--dns replaces servers alone, and is not judged");
	strv_add(&s.dns_search, "x.y");
	strv_add(&s.dns_search, "z");
	strv_add(&s.dns_options, "ndots:3");
	is_text(etc_resolv, &s, "search a\noptions b\n",
		"nameserver 127.0.0.1\nnameserver ::1\nsearch x.y z\noptions ndots:3\n",
		"--dns-search and --dns-option");
	s.network = host_;
	strv_done(&s.dns_search);
	strv_add(&s.dns_search, ".");
	is_text(etc_resolv, &s, outside,
		"nameserver 127.0.0.1\nnameserver ::1\noptions ndots:3\nsortlist 10.0.0.0 10.1.0.0\n",
		"on the host's network as well; a dot is no search at all");
	strv_done(&s.dns);
	strv_done(&s.dns_search);
	strv_done(&s.dns_options);
}

/* Longer, as long and shorter, and none at all: each is as before, and what was not changed is not touched. */
static void test_renewal(int dir, const struct spec *s)
{
	static const char *const changed[] = {"a.b.c\nand more", "a.b.d\n", "", NULL};
	struct err e = {0};
	struct stat st = {0}, now = {0};

	for (size_t i = 0; i < ARRAY_LEN(changed); i++) {
		auto_close int fd =
			changed[i] ? openat(dir, "hostname", O_RDWR | O_TRUNC | O_CLOEXEC) : -1;
		auto_close int again = -1;
		char text[64] = "";

		if (changed[i])
			(void)!write(fd, changed[i], strlen(changed[i]));
		else
			(void)unlinkat(dir, "hostname", 0);
		(void)fchmod(fd, 0600);
		is_int(etc_renew(dir, s, &e), 0, "a start writes them anew");
		again = openat(dir, "hostname", O_RDONLY | O_CLOEXEC);
		(void)!read(again, text, sizeof(text) - 1);
		is_str(text, "a.b.c\n", "as they were at first");
		ok(fstat(again, &now) == 0 && (now.st_mode & 0777) == (changed[i] ? 0600 : 0644) &&
				(!changed[i] || (fstat(fd, &st) == 0 && st.st_ino == now.st_ino)),
			"the same file with the same mode");
	}
	(void)fstatat(dir, "hosts", &st, 0);
	is_int(etc_renew(dir, s, &e), 0, "nothing to do");
	ok(fstatat(dir, "hosts", &now, 0) == 0 && now.st_ctim.tv_sec == st.st_ctim.tv_sec &&
			now.st_ctim.tv_nsec == st.st_ctim.tv_nsec,
		"what is as it must be is not written");
}

static void test_files(void)
{
	char path[] = "/tmp/sbx-unit-XXXXXX", text[64] = "";
	struct spec s = {.network = none_, .hostname = fqdn_};
	struct stat st = {0};
	struct err e = {0};
	auto_close int dir = -1;

	(void)umask(0077);
	if (!mkdtemp(path) || (dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) {
		ok(false, "a directory to work in");
		return;
	}
	is_int(etc_write(dir, &s, &e), 0, "three files are written");
	is_int(etc_write(dir, &s, &e), 0, "and again");
	ok(fstatat(dir, "resolv.conf", &st, 0) == 0 && (st.st_mode & 0777) == 0644,
		"everybody may read them, whatever the umask");
	{
		auto_close int fd = openat(dir, "hostname", O_RDONLY | O_CLOEXEC);

		(void)!read(fd, text, sizeof(text) - 1);
	}
	is_str(text, "a.b.c\n", "with what is to be in them");
	test_renewal(dir, &s);
	(void)unlinkat(dir, "hosts", 0);
	(void)!symlinkat("/etc/hosts", dir, "hosts");
	is_int(etc_write(dir, &s, &e), -1, "no symbolic link is followed");
	is_int(etc_renew(dir, &s, &e), -1, "nor by another start");
	(void)unlinkat(dir, "hosts", 0);
	(void)unlinkat(dir, "hostname", 0);
	(void)unlinkat(dir, "resolv.conf", 0);
	(void)rmdir(path);
}

int main(void)
{
	struct spec s = {.hostname = fqdn_, .domainname = dom_};

	test_hosts();
	is_text(hostname, &s, NULL, "a.b.c\n", "hostname has no domain added");
	test_resolv();
	test_files();
	return done_testing();
}
