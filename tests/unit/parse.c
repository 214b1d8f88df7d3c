/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"
#include "tap.h"

/* A word for one of the functions below; what is printed of the result, or the refusal. */
struct word {
	const char *in, *want;
};

static int as_volume(const char *in, struct buf *out, struct err *e)
{
	auto_spec struct spec s;
	const struct spec_mount *m;

	spec_init(&s);
	if (parse_volume(&s, in, "/cwd/dir", e) < 0 || parse_mounts_asked(&s, e) < 0 ||
		parse_mounts_check(&s, e) < 0)
		return -1;
	if (!s.n_mounts) {
		buf_printf(out, "anonymous %s", s.volumes.v[0]);
		return 0;
	}
	m = &s.mounts[0];
	buf_printf(out, "%s %s %s%s%s%s%s", m->kind == MOUNT_BIND ? "bind" : "volume", m->src,
		m->dst, m->read_only ? " ro" : "", m->nocopy ? " nocopy" : "",
		m->propagation ? " " : "", m->propagation ? m->propagation : "");
	return 0;
}

static const struct word volumes[] = {
	{"/a:/b", "bind /a /b"},
	{"/a:/b:ro", "bind /a /b ro"},
	{"/a:/b:rw,z", "bind /a /b"},
	{"/a:/b:ro,Z,rslave", "bind /a /b ro rslave"},
	{"/a:/b:cached", "bind /a /b"},
	{"./x:/b", "bind /cwd/dir/x /b"},
	{"../x:/b", "bind /cwd/x /b"},
	{".:/b", "bind /cwd/dir /b"},
	{"name:/b", "volume name /b"},
	{"name:/b:nocopy", "volume name /b nocopy"},
	{"/a:/b/../c//d/", "bind /a /c/d"},
	{"/data", "anonymous /data"},
	{"/data/", "anonymous /data/"},
	{"", "invalid empty volume spec"},
	{":/x", "invalid spec: :/x: empty section between colons"},
	{"/x:", "invalid spec: /x:: empty section between colons"},
	{"/a:/x:ro:z:q", "invalid spec: /a:/x:ro:z:q: too many colons"},
	{"/a:/x:c:d", "invalid volume specification: '/a:/x:c:d'"},
	{"/a:/x:bogus", "invalid mode: bogus"},
	{"/a:/x:ro,rw", "invalid mode: ro,rw"},
	{"/a:/x:ro,", "invalid mode: ro,"},
	{"/a:/x:z,Z", "invalid mode: z,Z"},
	{"/a:b", "invalid volume specification: '/a:b': invalid mount config for type \"bind\": invalid "
		 "mount path: 'b' mount path must be absolute"},
	{"/a:/", "invalid volume specification: '/a:/': invalid mount config for type \"bind\": invalid "
		 "specification: destination can't be '/'"},
	{"/a:/x:nocopy", "invalid volume specification: '/a:/x:nocopy': invalid mount config for type \"bind\": "
			 "field VolumeOptions must not be specified"},
	{"a/b:/x", "create a/b: \"a/b\" includes invalid characters for a local volume name, only "
		   "\"[a-zA-Z0-9][a-zA-Z0-9_.-]\" are allowed. If you intended to pass a host directory, "
		   "use absolute path"},
};

static int as_mount(const char *in, struct buf *out, struct err *e)
{
	static const char *const kinds[] = {"bind", "volume", "tmpfs"};
	auto_spec struct spec s;
	const struct spec_mount *m;

	spec_init(&s);
	if (parse_mount(&s, in, "/cwd", e) < 0 || parse_mounts_asked(&s, e) < 0 ||
		parse_mounts_check(&s, e) < 0)
		return -1;
	m = &s.mounts[0];
	buf_printf(out, "%s %s %s%s%s%s", kinds[m->kind], m->src ? m->src : "-", m->dst,
		m->read_only ? " ro" : "", m->nocopy ? " nocopy" : "", m->non_recursive ? " flat" : "");
	if (m->propagation)
		buf_printf(out, " %s", m->propagation);
	if (m->subpath)
		buf_printf(out, " at %s", m->subpath);
	if (m->driver)
		buf_printf(out, " by %s", m->driver);
	for (size_t i = 0; i < m->options.n; i++)
		buf_printf(out, " %s", m->options.v[i]);
	if (m->tmpfs_size != SPEC_UNSET)
		buf_printf(out, " %lld", (long long)m->tmpfs_size);
	if (m->tmpfs_mode != SPEC_UNSET)
		buf_printf(out, " %llo", (long long)m->tmpfs_mode);
	return 0;
}

static const struct word mounts[] = {
	{"type=bind,source=/a,target=/b", "bind /a /b"},
	{"type=bind,src=/a,dst=/b,readonly", "bind /a /b ro"},
	{"type=bind,src=/a,destination=/b,ro=true", "bind /a /b ro"},
	{"type=bind,src=/a,dst=/b,ro=false", "bind /a /b"},
	{"type=bind,src=./a,dst=/b", "bind /cwd/a /b"},
	{"TYPE=BIND,SRC=/a,DST=/b", "bind /a /b"},
	{"type=bind,\"src=/a,b\",dst=/x", "bind /a,b /x"},
	{"type=bind,\"src=/a\"\"b\",dst=/x", "bind /a\"b /x"},
	{"type=bind,src=/a,dst=/b,bind-propagation=rslave", "bind /a /b rslave"},
	{"type=bind,src=/a,dst=/b,bind-nonrecursive", "bind /a /b flat"},
	{"type=bind,src=/a,dst=/b,bind-recursive=disabled", "bind /a /b flat"},
	{"dst=/b", "volume  /b"},
	{"src=name,dst=/b,volume-nocopy", "volume name /b nocopy"},
	{"src=name,dst=/b,volume-driver=nfs,volume-opt=o=addr=::1,volume-opt=x",
		"volume name /b by nfs o=addr=::1 x="},
	{"src=name,dst=/b,volume-subpath=a/../b/./c", "volume name /b at a/../b/./c"},
	{"src=name,dst=/b,volume-subpath=a/../../b",
		"invalid mount config for type \"volume\": subpath must be a relative path within the volume"},
	{"src=name,dst=/b,volume-subpath=/a",
		"invalid mount config for type \"volume\": subpath must be a relative path within the volume"},
	{"dst=/b,volume-subpath=a",
		"invalid mount config for type \"volume\": must specify Source when using VolumeOptions.Subpath"},
	{"dst=/b,readonly",
		"invalid mount config for type \"volume\": must not set ReadOnly mode when using anonymous volumes"},
	{"type=tmpfs,dst=/t,tmpfs-size=1m,tmpfs-mode=1777", "tmpfs - /t 1048576 1777"},
	{"", "EOF"},
	{"bogus", "invalid field 'bogus' must be a key=value pair"},
	{"type=bind,src=/tmp", "target is required"},
	{"type=", "type is required"},
	{"type=bind,foo=bar,dst=/x", "unexpected key 'foo' in 'foo=bar'"},
	{"type=bind, src=/a,dst=/x", "unexpected key ' src' in ' src=/a'"},
	{"type=bogus,src=/a,dst=/x", "invalid mount config for type \"bogus\": mount type unknown"},
	{"type=bind,dst=/x", "invalid mount config for type \"bind\": field Source must not be empty"},
	{"type=bind,src=rel,dst=/x",
		"invalid mount config for type \"bind\": invalid mount path: 'rel' mount path must be "
		"absolute"},
	{"type=bind,src=/a,dst=rel",
		"invalid mount config for type \"bind\": invalid mount path: 'rel' mount path must be "
		"absolute"},
	{"type=tmpfs,src=a,dst=/x",
		"invalid mount config for type \"tmpfs\": field Source must not be specified"},
	{"type=bind,src=/a,dst=/x,bind-propagation=foo",
		"invalid mount config for type \"bind\": invalid propagation mode: foo"},
	{"type=bind,src=/a,dst=/x,tmpfs-size=5m", "cannot mix 'tmpfs-*' options with mount type 'bind'"},
	{"type=tmpfs,dst=/x,tmpfs-mode=999", "invalid value for tmpfs-mode: 999"},
	{"type=volume,dst=/x,readonly=x", "invalid value for readonly: x"},
	{"type=bind,src=/a,dst=/x,bind-recursive=readonly",
		"option 'bind-recursive=readonly' requires 'readonly' to be specified in conjunction"},
	{"type=bind,\"src=/a", "parse error on line 1, column 18: extraneous or missing \" in quoted-field"},
	{"type=bind,src=/a\"b,dst=/x", "parse error on line 1, column 17: bare \" in non-quoted-field"},
	{"type=tmpfs,dst=/x,volume-opt=o=bind", "cannot mix 'volume-*' options with mount type 'tmpfs'"},
};

static int as_publish(const char *in, struct buf *out, struct err *e)
{
	auto_strv struct strv ports = {0}, exposed = {0};

	if (parse_publish(in, &ports, &exposed, e) < 0)
		return -1;
	for (size_t i = 0; i < ports.n; i++)
		buf_printf(out, "%s%s", i ? " " : "", ports.v[i]);
	return 0;
}

static const struct word publishes[] = {
	{"80", "80/tcp"},
	{"80/UDP", "80/udp"},
	{"8080:80", "8080:80/tcp"},
	{"127.0.0.1:8080:80", "127.0.0.1:8080:80/tcp"},
	{"127.0.0.1::80", "127.0.0.1::80/tcp"},
	{"[::1]:80:80", "[::1]:80:80/tcp"},
	{"8000-8001:80-81", "8000:80/tcp 8001:81/tcp"},
	{"80-81", "80/tcp 81/tcp"},
	{"8000-8010:80", "8000-8010:80/tcp"},
	{"target=80,published=8080,protocol=udp", "8080:80/udp"},
	{"notaport", "invalid containerPort: notaport"},
	{"99999:80", "invalid hostPort: 99999"},
	{"80:99999", "invalid containerPort: 99999"},
	{"80/foo", "invalid proto: foo"},
	{"1:2:3:4:5", "invalid IP address: 1:2:3"},
	{"1.2.3:80:80", "invalid IP address: 1.2.3"},
	{"", "no port specified: <empty>"},
	{"published=80", "no port specified: 80:/tcp<empty>"},
	{"8000-8001:80-82", "invalid ranges specified for container and host Ports: 80-82 and 8000-8001"},
};

static int as_host(const char *in, struct buf *out, struct err *e)
{
	auto_strv struct strv v = {0};

	if (parse_add_host(in, &v, e) < 0)
		return -1;
	buf_puts(out, v.v[0]);
	return 0;
}

static const struct word hosts[] = {
	{"a:1.2.3.4", "a:1.2.3.4"},
	{"a=1.2.3.4", "a:1.2.3.4"},
	{"a:::1", "a:::1"},
	{"a:[::1]", "a:::1"},
	{"host.docker.internal:host-gateway", "host.docker.internal:host-gateway"},
	{"bogus", "bad format for add-host: \"bogus\""},
	{":1.2.3.4", "bad format for add-host: \":1.2.3.4\""},
	{"a:1.2.3", "invalid IP address in add-host: \"1.2.3\""},
	{"a:01.2.3.4", "invalid IP address in add-host: \"01.2.3.4\""},
	{":=::1", "bad format for add-host: \":=::1\""},
	{"a:b=::1", "bad format for add-host: \"a:b=::1\""},
};

static int as_ip(const char *in, struct buf *out, struct err *e)
{
	auto_free char *ip = NULL;

	if (parse_ip(in, &ip, e) < 0)
		return -1;
	buf_puts(out, ip);
	return 0;
}

static const struct word addresses[] = {
	{" 127.0.0.1 ", "127.0.0.1"},
	{"0:0:0:0:0:0:0:1", "::1"},
	{"2001:DB8::68 ", "2001:db8::68"},
	{"::ffff:1.2.3.4", "1.2.3.4"},
	{"1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"},
	{"1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"},
	{"[::1]", "IP address is not correctly formatted: [::1]"},
	{"127.0.0.01", "IP address is not correctly formatted: 127.0.0.01"},
	{"", "IP address is not correctly formatted: "},
};

static int as_search(const char *in, struct buf *out, struct err *e)
{
	auto_strv struct strv v = {0};

	if (parse_dns_search(in, &v, e) < 0)
		return -1;
	buf_puts(out, v.v[0]);
	return 0;
}

static const struct word searches[] = {
	{".", "."},
	{" a ", "a"},
	{"foo.bar.", "foo.bar"},
	{"17.", "17. is not a valid domain"},
	{"  ", " is not a valid domain"},
	{"foo-.bar", "foo-.bar is not a valid domain"},
};

static void add_words(struct buf *out, const char *name, const struct strv *v)
{
	for (size_t i = 0; i < v->n; i++)
		buf_printf(out, " %s=%s", name, v->v[i]);
}

static int as_network(const char *in, struct buf *out, struct err *e)
{
	auto_network_word struct network_word w = {0};

	if (parse_network(in, &w, e) < 0)
		return -1;
	buf_printf(out, "%s", w.name);
	add_words(out, "alias", &w.aliases);
	add_words(out, "local", &w.link_local);
	add_words(out, "opt", &w.driver_opts);
	if (w.ip || w.ip6 || w.mac)
		buf_printf(out, " %s/%s/%s", w.ip ? w.ip : "", w.ip6 ? w.ip6 : "", w.mac ? w.mac : "");
	if (w.gw_priority)
		buf_printf(out, " %lld", (long long)w.gw_priority);
	return 0;
}

static const struct word networks[] = {
	{"host", "host"},
	{"", ""},
	{"name=", "name="},
	{"name= host", "name= host"},
	{"NAME=Host", "host"},
	{"name=x,alias=y,alias=z,ip=1.2.3.4,ip6=::1,mac-address=02:32:1c:23:00:04",
		"x alias=y alias=z 1.2.3.4/::1/02:32:1c:23:00:04"},
	{"name=x,driver-opt=a=b,driver-opt=c=d,link-local-ip=169.254.1.1,gw-priority=-3",
		"x local=169.254.1.1 opt=a=b opt=c=d -3"},
	{"network=x,alias=y", "invalid field key network"},
	{"invalidField=x", "invalid field key invalidfield"},
	{"alias=y", "network name/id is not specified"},
	{"name=x,y", "invalid field y"},
	{"name=x,driver-opt=a", "invalid key value pair format in driver options"},
	{"name=x,gw-priority=1x", "invalid gw-priority (1x): invalid syntax"},
	{"name=x,gw-priority=99999999999999999999",
		"invalid gw-priority (99999999999999999999): value out of range"},
};

static int as_ulimit(const char *in, struct buf *out, struct err *e)
{
	struct spec_ulimit u;

	if (parse_ulimit(in, &u, e) < 0)
		return -1;
	buf_printf(out, "%s %lld %lld", u.name, (long long)u.soft, (long long)u.hard);
	return 0;
}

static const struct word ulimits[] = {
	{"nofile=1:2", "nofile 1 2"},
	{"core=0", "core 0 0"},
	{"nofile=-1", "nofile -1 -1"},
	{"nofile=1:-1", "nofile 1 -1"},
	{"bogus=1", "invalid ulimit type: bogus"},
	{"nofile", "invalid ulimit argument: nofile"},
	{"nofile=x", "strconv.ParseInt: parsing \"x\": invalid syntax"},
	{"nofile=2:1", "ulimit soft limit must be less than or equal to hard limit: 2 > 1"},
	{"nofile=-1:5", "ulimit soft limit must be less than or equal to hard limit: soft: -1 (unlimited), hard: 5"},
	{"nofile=1:2:3", "too many limit value arguments - 1:2:3, can only have up to two, `soft[:hard]`"},
};

static int as_device(const char *in, struct buf *out, struct err *e)
{
	auto_free char *word = NULL;

	if (parse_device(in, &word, e) < 0)
		return -1;
	buf_puts(out, word);
	return 0;
}

static const struct word devices[] = {
	{"/dev/null", "/dev/null:/dev/null:rwm"},
	{"/dev/null:/dev/x", "/dev/null:/dev/x:rwm"},
	{"/dev/null:r", "/dev/null:/dev/null:r"},
	{"/dev/null:/dev/x:rw", "/dev/null:/dev/x:rw"},
	{"/dev/null:/x:q", "bad mode specified: q"},
	{"nosuch", "nosuch is not an absolute path"},
	{"nosuch:/dev/x", "nosuch:/dev/x:rwm"},
	{"/dev/./null/", "/dev/null:/dev/null:rwm"},
	{"", "bad format for path: "},
	{":/dev/x", "bad format for path: :/dev/x"},
	{"/dev/null:", " is not an absolute path"},
	{"a:ro", "ro is not an absolute path"},
	{"/dev/null:rel", "rel is not an absolute path"},
	{"a:b:c:d", "bad format for path: a:b:c:d"},
};

static int as_platform(const char *in, struct buf *out, struct err *e)
{
	auto_free char *os = NULL, *arch = NULL, *variant = NULL;

	if (parse_platform(in, &os, &arch, &variant, e) < 0)
		return -1;
	buf_printf(out, "%s %s %s", os, arch ? arch : "-", variant ? variant : "-");
	return 0;
}

static const struct word platforms[] = {
	{"linux/amd64", "linux amd64 -"},
	{"linux/x86_64", "linux amd64 -"},
	{"linux", "linux - -"},
	{"amd64", "linux amd64 -"},
	{"linux/arm64/v8", "linux arm64 v8"},
	{"linux/aarch64", "linux arm64 -"},
	{"bogus", "\"bogus\": unknown operating system or architecture: invalid argument"},
	{"Linux/AMD64", "linux amd64 -"},
	{"windows(10.0)/amd64", "windows(10.0) amd64 -"},
	{"linux/*", "\"linux/*\": wildcards not yet supported: invalid argument"},
	{"a(b/c", "\"a(b\" is an invalid OS component of \"a(b/c\": OSAndVersion specifier component must match "
		  "\"^([A-Za-z0-9_-]+)(?:\\\\(([A-Za-z0-9_.-]*)\\\\))?$\": invalid argument"},
	{"a/b/", "\"\" is an invalid component of \"a/b/\": platform specifier component must match "
		 "\"^[A-Za-z0-9_.-]+$\": invalid argument"},
	{"a/b/c/d/e", "\"d/e\" is an invalid component of \"a/b/c/d/e\": platform specifier component must match "
		      "\"^[A-Za-z0-9_.-]+$\": invalid argument"},
	{"a/b/c/d", "\"a/b/c/d\": cannot parse platform specifier: invalid argument"},
};

static int as_restart(const char *in, struct buf *out, struct err *e)
{
	auto_free char *policy = NULL;
	int64_t max = 0;

	if (parse_restart(in, &policy, &max, e) < 0)
		return -1;
	buf_printf(out, "%s %d", policy, (int)max);
	return 0;
}

static const struct word restarts[] = {
	{"no", "no 0"},
	{"on-failure:3", "on-failure 3"},
	{"on-failure:", "on-failure 0"},
	{":3", "invalid restart policy format: no policy provided before colon"},
	{"on-failure:x", "invalid restart policy format: maximum retry count must be an integer"},
};

static int as_keys(const char *in, struct buf *out, struct err *e)
{
	unsigned char keys[8];
	size_t n;

	if (parse_detach_keys(in, keys, &n, sizeof(keys), e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%d", i ? " " : "", keys[i]);
	buf_puts(out, "");
	return 0;
}

static const struct word keys[] = {
	{"ctrl-p,ctrl-q", "16 17"},
	{"a,ctrl-[", "97 27"},
	{"ctrl-@", "0"},
	{"DEL,ctrl-_", "127 31"},
	{"del", "invalid detach keys (del) provided"},
	{"CTRL-a", "invalid detach keys (CTRL-a) provided"},
	{"ctrl-aa", "invalid detach keys (ctrl-aa) provided"},
	{"a,", "invalid detach keys (a,) provided"},
};

static int as_env_file(const char *in, struct buf *out, struct err *e)
{
	auto_strv struct strv v = {0};

	if (parse_env_file("f", in, strlen(in), &v, e) < 0)
		return -1;
	for (size_t i = 0; i < v.n; i++)
		buf_printf(out, "%s%s", i ? "|" : "", v.v[i]);
	buf_puts(out, "");
	return 0;
}

static const struct word env_files[] = {
	{"A=1\n\n# no\n  B= 2 \nC\n", "A=1|B= 2 |C"},
	{"A=1\r\nB=2", "A=1|B=2"},
	{"", ""},
	{"\xef\xbb\xbf"
	 "A=1\n",
		"A=1"},
	{"Q=\"x\" # kept", "Q=\"x\" # kept"},
	{"A=\xc3\xa9", "A=\xc3\xa9"},
	{"A\rB=1\n\xc2\xa0"
	 "C=2\n\xe2\x80\x83\v"
	 "D=3\n#",
		"A\rB=1|C=2|D=3"},
	{"A\tB=1", "invalid env file (f): variable 'A\tB' contains whitespaces"},
	{"A B=1", "invalid env file (f): variable 'A B' contains whitespaces"},
	{"=x", "invalid env file (f): no variable name on line '=x'"},
	{"B=1\nA=\xff", "invalid env file (f): invalid utf8 bytes at line 2: [65 61 255]"},
};

static int as_security(const char *in, struct buf *out, struct err *e)
{
	buf_puts(out, "good");
	return parse_security_opt(in, e);
}

static const struct word securities[] = {
	{"seccomp=unconfined", "good"},
	{"no-new-privileges", "good"},
	{"no-new-privileges:true", "good"},
	{"label=disable", "good"},
	{"systempaths=unconfined", "good"},
	{"bogus", "Invalid --security-opt: \"bogus\""},
	{"seccomp=", "Invalid --security-opt: \"seccomp=\""},
	{"bogus=1", "invalid --security-opt 2: \"bogus=1\""},
	{"no-new-privileges=maybe", "invalid --security-opt 2: \"no-new-privileges=maybe\""},
};

static void words(const char *what, int (*parse)(const char *, struct buf *, struct err *),
	const struct word *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		auto_buf struct buf out = {0};
		struct err e = {0};
		char sentence[200];
		int r = parse(rows[i].in, &out, &e);

		(void)snprintf(sentence, sizeof(sentence), "%s \"%s\"", what, rows[i].in);
		for (char *c = sentence; *c; c++)
			*c = *c == '\n' || *c == '\r' ? ' ' : *c;
		is_str(r < 0 ? e.text : out.s, rows[i].want, sentence);
	}
}
#define WORDS(what, parse, rows) words(what, parse, rows, sizeof(rows) / sizeof(*(rows)))

static const char *lookup(const char *name)
{
	return strcmp(name, "HOME") == 0 ? "/home/x" : NULL;
}

static void test_env(void)
{
	auto_strv struct strv in = {0}, out = {0};
	auto_buf struct buf longline = {0};
	struct err e = {0};

	strv_add(&in, "A=1");
	strv_add(&in, "HOME");
	strv_add(&in, "NOT_THERE");
	strv_add(&in, "A=2");
	parse_env_resolve(&in, lookup, &out);
	ok(out.n == 3 && str_eq(out.v[0], "A=1") && str_eq(out.v[1], "HOME=/home/x") &&
			str_eq(out.v[2], "A=2"),
		"a name alone takes the caller's value or goes, a key may come again");
	for (int i = 0; i < 70000; i++)
		buf_putc(&longline, 'x');
	ok(parse_env_file("f", longline.s, longline.len, &out, &e) < 0, "an endless line is refused");
	is_str(e.text, "invalid env file (f): bufio.Scanner: token too long", "in docker's words");
	ok(parse_env_file("f", "A=1\nB=2\0\n", 9, &out, &e) < 0, "a line with a NUL is refused");
	is_str(e.text, "invalid env file (f): environment can't contain null(\\x00): line 2",
		"by its number");
	ok(parse_env("=x", &e) < 0 && str_eq(e.text, "invalid environment variable: =x"), "-e =x");
	ok(parse_label("A B=c", &e) < 0 && str_eq(e.text, "label 'A B' contains whitespaces"),
		"-l 'A B=c'");
	ok(parse_label("A\nB=c", &e) == 0 && parse_label("\v=c", &e) == 0 && parse_label("\t=c", &e) < 0,
		"of blanks a label's name may not have spaces and tabs");
	ok(parse_label(" a=b c", &e) == 0, "blanks in a label's value are its own");
}

static void test_tmpfs(void)
{
	auto_spec struct spec s;
	struct err e = {0};

	spec_init(&s);
	ok(parse_tmpfs(&s, "/t", &e) == 0 && parse_tmpfs(&s, "/t:size=1m,exec", &e) == 0 &&
			s.n_mounts == 1,
		"a later --tmpfs takes the place of an earlier one");
	is_str(s.mounts[0].tmpfs_options, "size=1m,exec", "with its options");
	is_int(parse_mounts_start(&s, &e), 0, "which are known");
	(void)parse_tmpfs(&s, "/s:bogus", &e);
	is_int(parse_mounts_check(&s, &e), 0, "an unknown option can be asked for");
	ok(parse_mounts_start(&s, &e) < 0 && str_eq(e.text, "invalid tmpfs option [\"bogus\"]"),
		"but not be had");
}

static void test_rest(void)
{
	static const struct word paths[] = {{"/a//b/../c/", "/a/c"}, {"/", "/"}, {"/../..", "/"},
		{"", "."}, {"a/..", "."}, {"../a", "../a"}, {"../../a/../b", "../../b"},
		{"/.", "/"}, {"a//", "a"}, {"/a/./b", "/a/b"}};
	struct err e = {0};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		auto_free char *got = parse_clean_path(paths[i].in);

		is_str(got, paths[i].want, paths[i].in);
	}
	ok(parse_is_cdi("vendor.com/class=name") && !parse_is_cdi("/dev/a=b") &&
			!parse_is_cdi("a/b=") && !parse_is_cdi("dev/null"),
		"devices that a driver knows");
	ok(parse_hostname_ok("box.example.org") && !parse_hostname_ok("a\nb"), "host names");
	ok(parse_mac_ok("02-42-ac-11-00-02") && parse_mac_ok("0242.ac11.0002") &&
			parse_mac_ok("02:00:5e:10:00:00:00:01") && !parse_mac_ok("02:42-ac:11:00:02") &&
			!parse_mac_ok("0242.ac11.000") && !parse_mac_ok(""),
		"other spellings of Go's");
	ok(parse_mac_ok("02:42:ac:11:00:02") && !parse_mac_ok("02:42:ac:11:00") && !parse_mac_ok("x"),
		"MAC addresses");
	ok(parse_device_rule("c 1:3 rwm", &e) == 0 && parse_device_rule("b *:* m", &e) == 0 &&
			parse_device_rule("x", &e) < 0 && parse_device_rule("c 1:3", &e) < 0,
		"rules of devices");
	ok(parse_sysctl("net.a=1", &e) == 0 && parse_sysctl("kernel.panic=1", &e) < 0 &&
			parse_sysctl("net./../../x=1", &e) < 0,
		"sysctls are those of the container's own namespaces, and no paths");
	{
		auto_json json_t *gpus = NULL, *rates = NULL, *weights = NULL;
		auto_free char *text = NULL;

		ok(parse_gpus("all", &gpus, &e) == 0 &&
				parse_gpus("\"device=0,1\",driver=d,options=a=b", &gpus, &e) == 0 &&
				parse_gpus("2,capabilities=x", &gpus, &e) == 0 &&
				parse_gpus("x", &gpus, &e) < 0 && parse_gpus("a=1", &gpus, &e) < 0,
			"gpus");
		text = json_dumps(gpus, JSON_COMPACT);
		ok(str_eq(text,
			   "[{\"Driver\":\"\",\"Count\":-1,\"DeviceIDs\":null,\"Capabilities\":[[\"gpu\"]],"
			   "\"Options\":{}},{\"Driver\":\"d\",\"Count\":0,\"DeviceIDs\":[\"0\",\"1\"],"
			   "\"Capabilities\":[[\"gpu\"]],\"Options\":{\"a\":\"b\"}},{\"Driver\":\"\",\"Count\":2,"
			   "\"DeviceIDs\":null,\"Capabilities\":[[\"x\",\"gpu\"]],\"Options\":{}}]"),
			"... as docker's requests");
		ok(parse_throttle("/dev/sda:1mb", true, &rates, &e) == 0 &&
				parse_throttle("/dev/sda:1mb", false, &rates, &e) < 0 &&
				json_int(json_array_get(rates, 0), "Rate", 0) == 1 << 20 &&
				parse_weight_device("/dev/sda:9", &weights, &e) < 0 && !weights,
			"rates and weights of devices");
	}
	ok(parse_ipc_mode("container:x", &e) == 0 && parse_ipc_mode("container:", &e) == 0 &&
			parse_ipc_mode("containers", &e) < 0,
		"ipc modes");
}

int main(void)
{
	WORDS("-v", as_volume, volumes);
	WORDS("--mount", as_mount, mounts);
	WORDS("-p", as_publish, publishes);
	WORDS("--add-host", as_host, hosts);
	WORDS("--dns", as_ip, addresses);
	WORDS("--dns-search", as_search, searches);
	WORDS("--network", as_network, networks);
	WORDS("--ulimit", as_ulimit, ulimits);
	WORDS("--device", as_device, devices);
	WORDS("--platform", as_platform, platforms);
	WORDS("--restart", as_restart, restarts);
	WORDS("--detach-keys", as_keys, keys);
	WORDS("--env-file", as_env_file, env_files);
	WORDS("--security-opt", as_security, securities);
	test_env();
	test_tmpfs();
	test_rest();
	return done_testing();
}
