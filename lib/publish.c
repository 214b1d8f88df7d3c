/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"
#include "caps.h"
#include "parse.h"
#include "publish_parts.h"
#include "sys.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* ---- listening ---- */

/* 0: nothing leads into a container by this protocol. */
static int socket_type(const char *key)
{
	const char *slash = strchr(key, '/');

	return !slash || str_eq(slash, "/tcp") ? SOCK_STREAM
	       : str_eq(slash, "/udp")         ? SOCK_DGRAM
	                                       : 0;
}

socklen_t publish_address(union publish_address *a, const char *ip, uint16_t port)
{
	*a = (union publish_address){0};
	if (inet_pton(AF_INET, ip, &a->v4.sin_addr) == 1) {
		a->v4.sin_family = AF_INET;
		a->v4.sin_port = htons(port);
		return sizeof(a->v4);
	}
	if (inet_pton(AF_INET6, ip, &a->v6.sin6_addr) != 1)
		return 0;
	a->v6.sin6_family = AF_INET6;
	a->v6.sin6_port = htons(port);
	return sizeof(a->v6);
}

/* A tcp port can be used again right after somebody used it; for udp the same option would let two processes have it
 * at once. */
static int set_options(int fd, int family, int type)
{
	static const int yes = 1;
	bool v6 = family == AF_INET6;

	if (v6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes)) < 0)
		return -1;
	if (type == SOCK_STREAM)
		return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	return v6 ? setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &yes, sizeof(yes))
	          : setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &yes, sizeof(yes));
}

/* The port that it got, in *port; -1 with errno. */
static int listen_on(const char *ip, int type, uint16_t *port)
{
	union publish_address a;
	socklen_t len = publish_address(&a, ip, *port);
	auto_close int fd = len ? socket(a.any.sa_family, type | SOCK_CLOEXEC, 0) : -1;

	if (fd < 0 || set_options(fd, a.any.sa_family, type) < 0 || bind(fd, &a.any, len) < 0 ||
		(type == SOCK_STREAM && listen(fd, SOMAXCONN) < 0) || getsockname(fd, &a.any, &len) < 0)
		return -1;
	*port = ntohs(a.any.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
	return take_fd(&fd);
}

static void keep(struct publish *p, const char *key, const char *ip, uint16_t port, int fd)
{
	json_t *list = json_object_get(p->ports, key);
	auto_free char *text = xasprintf("%u", port);

	p->v = xrealloc(p->v, p->n + 1, sizeof(*p->v));
	p->v[p->n++] = (struct published){fd, (uint16_t)atoi(key), socket_type(key) == SOCK_DGRAM};
	if (!list)
		(void)json_object_set_new(p->ports, key, list = json_array()); /* memory, as below */
	(void)json_array_append_new(list, json_pack("{s:s, s:s}", "HostIp", ip, "HostPort", text));
}

/* Listens on the given address or, without one, on all addresses of both protocols that the machine has, as docker
 * does. */
static int try_port(struct publish *p, const char *key, const char *ip, uint16_t port)
{
	int type = socket_type(key);
	auto_close int fd = listen_on(*ip ? ip : "0.0.0.0", type, &port), other = -1;

	if (fd < 0)
		return -1;
	if (!*ip) {
		other = listen_on("::", type, &port);
		if (other < 0 && errno == EADDRINUSE)
			return -1;
	}
	keep(p, key, *ip ? ip : "0.0.0.0", port, take_fd(&fd));
	if (other >= 0)
		keep(p, key, "::", port, take_fd(&other));
	return 0;
}

static int refuse(const char *key, const char *ip, uint16_t port, struct err *e)
{
	const char *proto = socket_type(key) == SOCK_DGRAM ? "udp" : "tcp";
	int why = errno;

	ip = *ip ? ip : "0.0.0.0";
	if (why == EADDRINUSE)
		return err_set(e, ERR_SYSTEM, "Bind for %s:%u failed: port is already allocated",
			ip, port);
	if (why == EACCES)
		return err_set(e, ERR_DENIED,
			"cannot expose privileged port %u, you can add 'net.ipv4.ip_unprivileged_port_start=%u' to "
			"/etc/sysctl.conf, or choose a larger port number: listen %s %s:%u: bind: permission denied",
			port, port, proto, ip, port);
	/* in Go's words, which begin small */
	return err_set(e, ERR_SYSTEM, "listen %s %s:%u: bind: %c%s", proto, ip, port,
		tolower((unsigned char)*errno_text(why)), errno_text(why) + 1);
}

#define TRIES 20

/* host: "", "0", "8080", or "8000-8010" of which the first that is free is taken. */
static int publish_one(
	struct publish *p, const char *key, const char *ip, const char *host, struct err *e)
{
	unsigned long first = 0, last;
	char *end = NULL;

	if (*host)
		first = strtoul(host, &end, 10);
	last = end && *end == '-' ? strtoul(end + 1, &end, 10) : first;
	if ((end && *end) || first > UINT16_MAX || last > UINT16_MAX || last < first)
		return err_set(e, ERR_USAGE, "invalid port specification: \"%s\"", host);
	/* Who accepted for a supervisor that was killed dies a moment after it. And a random port may be free for one
	 * protocol alone. */
	for (int tries = 0; tries < TRIES; tries++) {
		for (unsigned long port = first; port <= last; port++) {
			if (try_port(p, key, ip, (uint16_t)port) == 0)
				return 0;
			if (errno != EADDRINUSE)
				return refuse(key, ip, (uint16_t)port, e);
		}
		(void)poll(NULL, 0, 10);
	}
	errno = EADDRINUSE;
	return refuse(key, ip, (uint16_t)first, e);
}

/* Whether a container of this spec has a network to which ports can lead. */
static bool applies(const struct spec *s)
{
	const char *network = s->network ? s->network : "";

	return !str_eq(network, "none") && !str_eq(network, "host") &&
	       !str_starts(network, "container:");
}

const char *publish_warning(const struct spec *s)
{
	bool all = true;

	for (size_t i = 0; i < s->ports.n; i++) {
		const char *slash = strrchr(s->ports.v[i], '/');

		all = all && (!slash || socket_type(slash));
	}
	return all || !applies(s)
	               ? NULL
	               : "Published ports of sctp lead nowhere here: tcp and udp are passed on";
}

static int listen_all(struct publish *p, const struct spec *s, const json_t *bindings, struct err *e)
{
	const char *key;
	json_t *list;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)bindings, key, list)
	{
		for (i = 0; socket_type(key) && i < json_array_size(list); i++) {
			const json_t *one = json_array_get(list, i);

			if (publish_one(p, key, json_str(one, "HostIp", ""),
				    json_str(one, "HostPort", ""), e) < 0)
				return -1;
		}
	}
	for (i = 0; s->publish_all && i < s->exposed.n; i++)
		if (socket_type(s->exposed.v[i]) && !json_object_get(bindings, s->exposed.v[i]) &&
			publish_one(p, s->exposed.v[i], "", "", e) < 0)
			return -1;
	return 0;
}

int publish_listen(struct publish *p, const struct spec *s, struct err *e)
{
	auto_json json_t *spec = NULL;

	*p = (struct publish){0};
	if ((!s->ports.n && !s->publish_all) || !applies(s))
		return 0;
	spec = spec_to_json(s);
	p->ports = json_object();
	if (listen_all(p, s, json_object_get(json_object_get(spec, "HostConfig"), "PortBindings"), e) == 0)
		return 0;
	publish_done(p);
	return -1;
}

void publish_done(struct publish *p)
{
	publish_end(p);
	for (size_t i = 0; i < p->n; i++)
		(void)close(p->v[i].fd); /* a socket: nothing to lose */
	free(p->v);
	json_decref(p->ports);
	*p = (struct publish){0};
}

/* ---- passing on: a process, and two threads for each connection ---- */

enum { CHUNK = 32 << 10, STACK = 128 << 10, CONNECTIONS_MAX = 1024, RETRY_MS = 50 };

/* How many more connections a port may have: each has its own number, so that one that is full holds up no other. */
struct room {
	atomic_int left;
	int wake; /* an event: a port that was full has room again */
};

struct link {
	int fd[2];
	atomic_int ways;
	struct room *room;
	pthread_attr_t *how;
	uint16_t inside;
};

struct way {
	struct link *l;
	int from;
};

static void give_back(struct room *r)
{
	if (atomic_fetch_add(&r->left, 1) == 0)
		(void)eventfd_write(r->wake, 1); /* fails only if it is woken in any case */
}

static void leave(struct link *l)
{
	if (atomic_fetch_sub(&l->ways, 1) > 1)
		return;
	for (int i = 0; i < 2; i++)
		if (l->fd[i] >= 0)
			(void)close(l->fd[i]); /* sockets: nothing to lose */
	give_back(l->room);
	free(l);
}

static bool send_all(int fd, const char *data, ssize_t n)
{
	while (n > 0) {
		ssize_t done = send(fd, data, (size_t)n, MSG_NOSIGNAL);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		data += done;
		n -= done;
	}
	return true;
}

/* One side has broken off: the other one is to see a reset, too, rather than an end of file. */
static void break_off(const struct link *l)
{
	static const struct linger reset = {.l_onoff = 1};

	for (int i = 0; i < 2; i++) {
		(void)setsockopt(l->fd[i], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		(void)shutdown(l->fd[i], SHUT_RD); /* wakes the thread that reads from it */
	}
}

/* Passes bytes on until one side sends no more, which the other side then sees. */
static void *pass_on(void *arg)
{
	struct way w = *(struct way *)arg;
	int from = w.l->fd[w.from], to = w.l->fd[!w.from];
	char chunk[CHUNK];
	ssize_t n;

	free(arg);
	while ((n = recv(from, chunk, sizeof(chunk), 0)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || !send_all(to, chunk, n))
			break;
	}
	if (n == 0)
		(void)shutdown(to, SHUT_WR);
	else
		break_off(w.l);
	leave(w.l);
	return NULL;
}

const char *const publish_inside[2] = {"127.0.0.1", "::1"};

static int connect_inside(uint16_t port)
{
	for (size_t i = 0; i < ARRAY_LEN(publish_inside); i++) {
		union publish_address a;
		socklen_t len = publish_address(&a, publish_inside[i], port);
		auto_close int fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd >= 0 && connect(fd, &a.any, len) == 0)
			return take_fd(&fd);
	}
	return -1;
}

static struct way *make_way(struct link *l, int from)
{
	struct way *w = xcalloc(1, sizeof(*w));

	*w = (struct way){l, from};
	return w;
}

static void *serve(void *arg)
{
	struct link *l = arg;
	struct way *back;
	pthread_t other;

	l->fd[1] = connect_inside(l->inside);
	if (l->fd[1] < 0) {
		leave(l);
		return NULL;
	}
	back = make_way(l, 1);
	atomic_store(&l->ways, 2);
	if (pthread_create(&other, l->how, pass_on, back) != 0) {
		free(back);
		atomic_store(&l->ways, 1);
		leave(l);
		return NULL;
	}
	return pass_on(make_way(l, 0));
}

/* A client that is gone without a word gives its place back in some minutes: Go's figures, which docker's proxy has. */
static void ask_whether_alive(int fd)
{
	static const int yes = 1, seconds = 15;

	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes)); /* cannot fail, like the others */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
}

static void accept_one(const struct published *p, struct room *room, pthread_attr_t *how)
{
	int fd = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC);
	struct link *l;
	pthread_t id;

	if (fd < 0) {
		/* The client is still waiting, and nothing tells when a descriptor becomes free. */
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
			(void)poll(NULL, 0, RETRY_MS);
		return;
	}
	ask_whether_alive(fd);
	(void)atomic_fetch_sub(&room->left, 1);
	l = xcalloc(1, sizeof(*l));
	*l = (struct link){.fd = {fd, -1}, .room = room, .how = how, .inside = p->inside};
	atomic_init(&l->ways, 1);
	if (pthread_create(&id, how, serve, l) != 0)
		leave(l);
}

static void __attribute__((noreturn))
accept_from(const struct publish *p, struct room *rooms, int wake, pthread_attr_t *how)
{
	auto_free struct pollfd *poll_for = xcalloc(p->n + 1, sizeof(*poll_for));
	eventfd_t unused;

	poll_for[p->n] = (struct pollfd){.fd = wake, .events = POLLIN};
	for (;;) {
		for (size_t i = 0; i < p->n; i++) {
			bool deaf = p->v[i].datagrams || atomic_load(&rooms[i].left) == 0;

			poll_for[i] = (struct pollfd){.fd = deaf ? -1 : p->v[i].fd, .events = POLLIN};
		}
		if (poll(poll_for, p->n + 1, -1) < 0 && errno != EINTR)
			_exit(1);
		if (poll_for[p->n].revents)
			(void)eventfd_read(wake, &unused); /* it only woke us */
		for (size_t i = 0; i < p->n; i++)
			if (poll_for[i].revents)
				accept_one(&p->v[i], &rooms[i], how);
	}
}

/* An error, or one of no kind: everything is ready. A parent that cannot be told takes our end for an error. */
static void tell(int say, const struct err *e)
{
	(void)sys_write_all(say, e, sizeof(*e));
}

static void __attribute__((noreturn)) accept_all(const struct publish *p, int say)
{
	struct room *rooms = xcalloc(p->n, sizeof(*rooms)); /* for the life of the process */
	int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_attr_t how;
	struct err e = {0};

	sys_raise_limit(RLIMIT_NOFILE); /* a connection has two */
	(void)pthread_attr_init(&how);
	(void)pthread_attr_setstacksize(&how, STACK);
	(void)pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
	for (size_t i = 0; i < p->n; i++) {
		atomic_init(&rooms[i].left, CONNECTIONS_MAX);
		rooms[i].wake = wake;
		/* Non-blocking, as a client may be gone again before it is accepted. */
		(void)fcntl(p->v[i].fd, F_SETFL, O_NONBLOCK);
	}
	if (wake < 0 || publish_udp_begin(p, &how) < 0) {
		(void)err_sys(&e, wake < 0 ? "eventfd" : "pass datagrams on");
		tell(say, &e);
		_exit(1);
	}
	tell(say, &e);
	(void)close(say);
	sys_trim();
	accept_from(p, rooms, wake, &how);
}

/* It cannot be dumped, as its parent cannot. */
static int enter(int pidfd, struct err *e)
{
	if (sys_setns(pidfd, CLONE_NEWNET) < 0)
		return err_sys(e, "enter the network of the container");
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); /* cannot fail with these arguments, like the next one */
	(void)prctl(PR_SET_NAME, "sbx-ports");
	return caps_hold_none(e);
}

static void __attribute__((noreturn)) child(const struct publish *p, int pidfd, int say, pid_t parent)
{
	auto_free int *fds = xcalloc(p->n + 4, sizeof(*fds));
	struct err e = {0};
	size_t n = 0;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (; n < p->n; n++)
		fds[n] = p->v[n].fd;
	fds[n++] = say;
	fds[n++] = pidfd;
	sys_keep_only(fds, n);
	if (enter(pidfd, &e) < 0) {
		if (e.sys == ESRCH) /* the container has ended already: nothing is to be passed on */
			err_clear(&e);
		tell(say, &e);
		_exit(e.kind != ERR_NONE);
	}
	(void)close(pidfd);
	accept_all(p, say);
}

int publish_begin(struct publish *p, int pidfd, struct err *e)
{
	auto_close int in = -1, out = -1;
	pid_t parent = getpid();
	struct err said;

	if (!p->n)
		return 0;
	if (sys_pipe(&in, &out) < 0)
		return err_sys(e, "pipe");
	p->pid = fork();
	if (p->pid == 0)
		child(p, pidfd, out, parent);
	if (p->pid < 0) {
		p->pid = 0;
		return err_sys(e, "fork");
	}
	(void)close(take_fd(&out));
	if (sys_read(in, &said, sizeof(said)) != (ssize_t)sizeof(said))
		(void)err_set(&said, ERR_SYSTEM,
			"the process that passes on what comes to ports has ended");
	if (said.kind == ERR_NONE)
		return 0;
	*e = said;
	publish_end(p);
	return -1;
}

void publish_end(struct publish *p)
{
	if (p->pid <= 0)
		return;
	(void)kill(p->pid, SIGKILL); /* our child, and only we wait for it */
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
}
