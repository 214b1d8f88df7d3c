/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish_udp: forwards datagrams. There are no connections, but answers must reach the right client: so each client gets a
 * socket of its own inside, a flow. A flow ends when nothing passed through it for a while, or when another client needs
 * its place.
 */
#include "auto.h"
#include "publish_parts.h"
#include "sys.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

enum { FLOWS_MAX = 512, DATAGRAM_MAX = 64 << 10, EVENTS = 32, AT_ONCE = 64 };

static const int64_t idle_ns = INT64_C(90) * 1000000000;

/* Which of the machine's addresses a datagram was sent to: the answer is to come from there. */
union origin {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))];
};

struct flow {
	int fd; /* connected inside; -1: this place is free */
	const struct published *port;
	union publish_address client;
	socklen_t client_len;
	union origin to;
	size_t to_len;
	int64_t used_ns;
};

struct flows {
	const struct publish *p;
	int epoll;
	size_t n; /* how many there are, wherever in v */
	int64_t now_ns, swept_ns;
	char *datagram;
	struct flow v[FLOWS_MAX];
};

static void end_flow(struct flows *all, struct flow *f)
{
	(void)close(f->fd); /* a socket: nothing to lose */
	f->fd = -1;
	all->n--;
}

static struct flow *find_flow(struct flows *all, const struct flow *like)
{
	for (size_t i = 0; i < FLOWS_MAX; i++) {
		struct flow *f = &all->v[i];

		if (f->fd >= 0 && f->port == like->port && f->client_len == like->client_len &&
			memcmp(&f->client, &like->client, like->client_len) == 0)
			return f;
	}
	return NULL;
}

static struct flow *free_place(struct flows *all)
{
	struct flow *oldest = &all->v[0];

	for (size_t i = 0; i < FLOWS_MAX; i++) {
		if (all->v[i].fd < 0)
			return &all->v[i];
		if (all->v[i].used_ns < oldest->used_ns)
			oldest = &all->v[i];
	}
	end_flow(all, oldest);
	return oldest;
}

/* A socket to an address where the datagram could be delivered: within one machine it is known at once if nobody
 * listens. */
static int reach(const char *ip, uint16_t port, const char *datagram, size_t n)
{
	union publish_address a;
	socklen_t len = publish_address(&a, ip, port), of_error = sizeof(int);
	auto_close int fd = socket(a.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error = 0;

	if (fd < 0 || connect(fd, &a.any, len) < 0 || send(fd, datagram, n, MSG_NOSIGNAL) < 0 ||
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &of_error) < 0 || error)
		return -1;
	return take_fd(&fd);
}

static void begin_flow(struct flows *all, const struct flow *like, size_t n)
{
	struct epoll_event event = {.events = EPOLLIN};
	auto_close int fd = -1;
	struct flow *f;

	for (size_t i = 0; fd < 0 && i < ARRAY_LEN(publish_inside); i++)
		fd = reach(publish_inside[i], like->port->inside, all->datagram, n);
	if (fd < 0)
		return; /* nobody listens: it is lost, as any datagram may be */
	f = free_place(all);
	event.data.u64 = all->p->n + (size_t)(f - all->v);
	if (epoll_ctl(all->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
		return;
	*f = *like;
	f->fd = take_fd(&fd);
	all->n++;
}

/* The answer's way is for the routes to say, but where an address has a meaning on one link only. */
static size_t origin_of(struct msghdr *m, union origin *to)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			((struct in_pktinfo *)CMSG_DATA(c))->ipi_ifindex = 0;
		} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			struct in6_pktinfo *info = (struct in6_pktinfo *)CMSG_DATA(c);

			if (IN6_IS_ADDR_MULTICAST(&info->ipi6_addr))
				continue;
			if (!IN6_IS_ADDR_LINKLOCAL(&info->ipi6_addr))
				info->ipi6_ifindex = 0;
		} else {
			continue;
		}
		memcpy(to, c, c->cmsg_len);
		return c->cmsg_len;
	}
	return 0;
}

static bool from_client(struct flows *all, const struct published *port)
{
	struct flow is = {.fd = -1, .port = port, .used_ns = all->now_ns}, *f;
	struct iovec data = {all->datagram, DATAGRAM_MAX};
	union origin control;
	struct msghdr m = {.msg_name = &is.client,
		.msg_namelen = sizeof(is.client),
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(port->fd, &m, MSG_DONTWAIT);

	if (n < 0)
		return false;
	is.client_len = m.msg_namelen;
	is.to_len = origin_of(&m, &is.to);
	f = find_flow(all, &is);
	if (f && send(f->fd, all->datagram, (size_t)n, MSG_NOSIGNAL) < 0 && errno == ECONNREFUSED) {
		end_flow(all, f); /* an error of an earlier datagram; a program may listen by now */
		f = NULL;
	}
	if (!f) {
		begin_flow(all, &is, (size_t)n);
	} else {
		f->used_ns = all->now_ns;
		f->to = is.to;
		f->to_len = is.to_len;
	}
	return true;
}

static bool from_inside(struct flows *all, struct flow *f)
{
	ssize_t n = f->fd < 0 ? -1 : recv(f->fd, all->datagram, DATAGRAM_MAX, MSG_DONTWAIT);
	struct iovec data = {all->datagram, n < 0 ? 0 : (size_t)n};
	struct msghdr m = {.msg_name = &f->client,
		.msg_namelen = f->client_len,
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = f->to_len ? &f->to : NULL,
		.msg_controllen = f->to_len};

	if (n < 0) {
		if (f->fd >= 0 && errno == ECONNREFUSED)
			end_flow(all, f);
		return false;
	}
	f->used_ns = all->now_ns;
	(void)sendmsg(f->port->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT); /* a datagram may be lost */
	return true;
}

static void sweep(struct flows *all)
{
	if (all->now_ns - all->swept_ns < idle_ns / 3)
		return;
	all->swept_ns = all->now_ns;
	for (size_t i = 0; i < FLOWS_MAX; i++)
		if (all->v[i].fd >= 0 && all->now_ns - all->v[i].used_ns > idle_ns)
			end_flow(all, &all->v[i]);
}

/* A busy one lets the others have their turn. */
static void answer(struct flows *all, size_t which)
{
	int left = AT_ONCE;

	if (which < all->p->n)
		while (left-- && from_client(all, &all->p->v[which]))
			;
	else
		while (left-- && from_inside(all, &all->v[which - all->p->n]))
			;
}

static void *pass_datagrams(void *arg)
{
	struct epoll_event events[EVENTS];
	struct flows *all = arg;

	for (;;) {
		int n = epoll_wait(all->epoll, events, EVENTS, all->n ? (int)(idle_ns / 3000000) : -1);

		all->now_ns = sys_now_ns();
		for (int i = 0; i < n; i++)
			answer(all, events[i].data.u64);
		sweep(all);
	}
	return NULL;
}

static bool listens_for_datagrams(const struct flows *all)
{
	bool any = false;

	for (size_t i = 0; i < all->p->n; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.u64 = i};

		if (!all->p->v[i].datagrams)
			continue;
		any = true;
		if (epoll_ctl(all->epoll, EPOLL_CTL_ADD, all->p->v[i].fd, &event) < 0)
			return false;
	}
	return any;
}

int publish_udp_begin(const struct publish *p, const pthread_attr_t *how)
{
	struct flows *all;
	bool any = false;
	pthread_t id;
	int why;

	for (size_t i = 0; i < p->n; i++)
		any = any || p->v[i].datagrams;
	if (!any)
		return 0;
	all = xcalloc(1, sizeof(*all));
	all->p = p;
	all->datagram = xcalloc(1, DATAGRAM_MAX);
	for (size_t i = 0; i < FLOWS_MAX; i++)
		all->v[i].fd = -1;
	all->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (all->epoll >= 0 && listens_for_datagrams(all)) {
		errno = pthread_create(&id, how, pass_datagrams, all);
		if (errno == 0)
			return 0;
	}
	why = errno;
	if (all->epoll >= 0)
		(void)close(all->epoll); /* nothing to lose */
	free(all->datagram);
	free(all);
	errno = why;
	return -1;
}
