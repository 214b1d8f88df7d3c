/* SPDX-License-Identifier: Apache-2.0 */
/* scope: as much of D-Bus as two method calls need: little-endian messages, and replies matched by serial number. */
#include "scope.h"

#include "auto.h"
#include "settings.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#define REPLY_MAX 65536

struct bus {
	int fd;
	int64_t deadline;
	uint32_t serial;
};

#define WAIT_MS 300 /* a manager with nothing else to do answers in ten */

int scope_ms(void)
{
	auto_free char *text = setting("systemd_ms");

	return text ? atoi(text) : WAIT_MS;
}

/* ---- marshalling ---------------------------------------------------------------------- */

static void align(struct buf *b, size_t to)
{
	while (b->len % to)
		buf_putc(b, '\0');
}

static void put_u32(struct buf *b, uint32_t v)
{
	unsigned char bytes[4] = {v & 0xff, v >> 8 & 0xff, v >> 16 & 0xff, v >> 24 & 0xff};

	align(b, 4);
	buf_add(b, bytes, sizeof(bytes));
}

static void put_string(struct buf *b, const char *s)
{
	put_u32(b, (uint32_t)strlen(s));
	buf_add(b, s, strlen(s) + 1);
}

static void put_signature(struct buf *b, const char *s)
{
	buf_putc(b, (char)strlen(s));
	buf_add(b, s, strlen(s) + 1);
}

static void put_pids(struct buf *b, pid_t pid)
{
	put_u32(b, sizeof(uint32_t));
	put_u32(b, (uint32_t)pid);
}

/* The length of an array is known when it is complete. */
static size_t begin_structs(struct buf *b)
{
	put_u32(b, 0);
	align(b, 8); /* not counted */
	return b->len;
}

static void end_structs(struct buf *b, size_t length_at, size_t begun)
{
	uint32_t n = (uint32_t)(b->len - begun);

	memcpy(b->s + length_at,
		&(unsigned char[4]){n & 0xff, n >> 8 & 0xff, n >> 16 & 0xff, n >> 24}, 4);
}

static void put_field(struct buf *b, char code, const char *type, const char *value)
{
	align(b, 8);
	buf_putc(b, code);
	put_signature(b, type);
	if (*type == 'g')
		put_signature(b, value);
	else
		put_string(b, value);
}

static void put_property(struct buf *b, const char *name, const char *type)
{
	align(b, 8);
	put_string(b, name);
	put_signature(b, type);
}

/* ---- the wire ------------------------------------------------------------------------- */

static int wait_for(const struct bus *bus, short events)
{
	struct pollfd p = {.fd = bus->fd, .events = events};
	int64_t left = bus->deadline - sys_now_ns();
	int n;

	if (left <= 0)
		return -1;
	n = poll(&p, 1, (int)(left / 1000000) + 1);
	return n > 0 ? 0 : -1;
}

static int send_all(const struct bus *bus, const char *data, size_t n)
{
	while (n > 0) {
		ssize_t done = send(bus->fd, data, n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (done < 0 && (errno == EAGAIN || errno == EINTR) && wait_for(bus, POLLOUT) == 0)
			continue;
		if (done < 0)
			return -1;
		data += done;
		n -= (size_t)done;
	}
	return 0;
}

static int recv_all(const struct bus *bus, unsigned char *to, size_t n)
{
	while (n > 0) {
		ssize_t got;

		if (wait_for(bus, POLLIN) < 0)
			return -1;
		got = recv(bus->fd, to, n, MSG_DONTWAIT);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got <= 0)
			return -1;
		to += got;
		n -= (size_t)got;
	}
	return 0;
}

static uint32_t get_u32(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static size_t aligned(size_t at, size_t to)
{
	return (at + to - 1) / to * to;
}

/* The serial number which a message answers; 0: none. */
static uint32_t reply_serial(const unsigned char *fields, size_t n)
{
	for (size_t at = 0; at + 4 <= n;) {
		unsigned char code = fields[at], type = fields[at + 2];

		if (fields[at + 1] != 1)
			return 0;
		at += 4;
		if (type == 'g') {
			if (at >= n)
				return 0;
			at += fields[at] + 2U;
		} else {
			at = aligned(at, 4);
			if (at + 4 > n)
				return 0;
			if (code == 5 && type == 'u')
				return get_u32(fields + at);
			at += 4 + (type == 'u' ? 0 : (size_t)get_u32(fields + at) + 1);
		}
		at = aligned(at, 8);
	}
	return 0;
}

/* Reads until the answer to our last call has come; -1: refused, or too late. */
static int await_reply(const struct bus *bus)
{
	for (;;) {
		unsigned char head[16];
		auto_free unsigned char *rest = NULL;
		size_t fields, n;

		if (recv_all(bus, head, sizeof(head)) < 0 || head[0] != 'l')
			return -1;
		fields = get_u32(head + 12);
		n = get_u32(head + 4);
		if (fields > REPLY_MAX || n > REPLY_MAX)
			return -1;
		n += aligned(fields, 8);
		rest = xcalloc(n + 1, 1);
		if (recv_all(bus, rest, n) < 0)
			return -1;
		if (reply_serial(rest, fields) == bus->serial)
			return head[1] == 2 ? 0 : -1; /* a return, not an error */
	}
}

static int call(struct bus *bus, const char *to, const char *path, const char *interface,
	const char *method, const char *signature, const struct buf *body)
{
	auto_buf struct buf b = {0};
	size_t begun;

	bus->serial++;
	buf_add(&b, "l\1\0\1", 4);
	put_u32(&b, (uint32_t)body->len);
	put_u32(&b, bus->serial);
	begun = begin_structs(&b);
	put_field(&b, 1, "o", path);
	put_field(&b, 2, "s", interface);
	put_field(&b, 3, "s", method);
	put_field(&b, 6, "s", to);
	if (*signature)
		put_field(&b, 8, "g", signature);
	end_structs(&b, 12, begun);
	align(&b, 8);
	buf_add(&b, body->s ? body->s : "", body->len);
	return send_all(bus, b.s, b.len) < 0 ? -1 : await_reply(bus);
}

/* ---- the bus -------------------------------------------------------------------------- */

static int bus_path(struct sockaddr_un *to)
{
	static const char unix_path[] = "unix:path=";
	const char *address = getenv("DBUS_SESSION_BUS_ADDRESS"), *dir = getenv("XDG_RUNTIME_DIR");
	int n;

	*to = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (address && str_starts(address, unix_path)) {
		address += sizeof(unix_path) - 1;
		n = snprintf(to->sun_path, sizeof(to->sun_path), "%.*s",
			(int)strcspn(address, ",;"), address);
	} else {
		n = dir ? snprintf(to->sun_path, sizeof(to->sun_path), "%s/bus", dir) : -1;
	}
	return n > 0 && (size_t)n < sizeof(to->sun_path) ? 0 : -1;
}

/* Its user's bus, and no one else's: what it answers decides about our processes. */
static bool is_ours(int fd)
{
	struct ucred who;
	socklen_t n = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 && who.uid == geteuid();
}

static int authenticate(const struct bus *bus)
{
	auto_buf struct buf b = {0};
	char uid[16], answer[256];
	size_t n = 0;

	buf_putc(&b, '\0');
	buf_puts(&b, "AUTH EXTERNAL ");
	(void)snprintf(uid, sizeof(uid), "%u", geteuid()); /* fits */
	for (const char *c = uid; *c; c++)
		buf_printf(&b, "%02x", (unsigned int)*c);
	buf_puts(&b, "\r\n");
	if (send_all(bus, b.s, b.len) < 0)
		return -1;
	do {
		if (n + 1 >= sizeof(answer) || recv_all(bus, (unsigned char *)answer + n, 1) < 0)
			return -1;
	} while (answer[n++] != '\n');
	return strncmp(answer, "OK ", 3) == 0 ? send_all(bus, "BEGIN\r\n", 7) : -1;
}

static int bus_open(struct bus *bus, int timeout_ms)
{
	struct sockaddr_un to;
	auto_close int fd = -1;

	if (timeout_ms <= 0 || bus_path(&to) < 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	*bus = (struct bus){.fd = fd, .deadline = sys_now_ns() + (int64_t)timeout_ms * 1000000};
	if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0 || !is_ours(fd) ||
		authenticate(bus) < 0 ||
		call(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
			"Hello", "", &(struct buf){0}) < 0)
		return -1;
	(void)take_fd(&fd);
	return 0;
}

static int ask_systemd(struct bus *bus, const char *method, const char *signature, const struct buf *body)
{
	return call(bus, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
		"org.freedesktop.systemd1.Manager", method, signature, body);
}

/* ---- the calls ------------------------------------------------------------------------ */

bool scope_there(int timeout_ms)
{
	struct bus bus = {.fd = -1};

	if (bus_open(&bus, timeout_ms) < 0)
		return false;
	(void)close(bus.fd); /* a question */
	return true;
}

/* The unit starts as a job: we are moved after the answer has come. */
static int await_move(const char *unit, int64_t deadline)
{
	char text[8192];

	while (sys_get(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)) > 0) {
		const char *line = strstr(text, "0::");

		if (line && strstr(line, unit))
			return 0;
		if (sys_now_ns() > deadline)
			break;
		(void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* shorter does no harm */
	}
	return -1;
}

int scope_ask(const char *name, int timeout_ms, char **unit)
{
	auto_free char *full = xasprintf("%s.scope", name);
	auto_buf struct buf b = {0};
	struct bus bus;
	size_t length_at, begun;
	int result;

	if (bus_open(&bus, timeout_ms) < 0)
		return -1;
	put_string(&b, full);
	put_string(&b, "fail");
	align(&b, 4);
	length_at = b.len;
	begun = begin_structs(&b);
	put_property(&b, "Delegate", "b");
	put_u32(&b, 1);
	put_property(&b, "CollectMode", "s");
	put_string(&b, "inactive-or-failed");
	put_property(&b, "PIDs", "au");
	put_pids(&b, getpid());
	end_structs(&b, length_at, begun);
	(void)begin_structs(&b); /* no further units */
	result = ask_systemd(&bus, "StartTransientUnit", "ssa(sv)a(sa(sv))", &b);
	(void)close(bus.fd); /* answered */
	if (result < 0 || await_move(full, bus.deadline) < 0)
		return -1;
	*unit = take(full);
	return 0;
}

int scope_attach(const char *unit, const char *sub, pid_t pid, int timeout_ms)
{
	auto_buf struct buf b = {0};
	struct bus bus;
	int result;

	if (bus_open(&bus, timeout_ms) < 0)
		return -1;
	put_string(&b, unit);
	put_string(&b, sub);
	put_pids(&b, pid ? pid : getpid());
	result = ask_systemd(&bus, "AttachProcessesToUnit", "ssau", &b);
	(void)close(bus.fd); /* answered */
	return result;
}
