/* SPDX-License-Identifier: Apache-2.0 */
#include "net.h"

#include <net/if.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>

/* `lo` is the first device of every network namespace; by number no list of links has to
 * be asked for. */
#define LO_INDEX 1

static void free_socket(struct nl_sock **s)
{
	nl_socket_free(*s);
}

static void free_link(struct rtnl_link **l)
{
	rtnl_link_put(*l);
}

static int failed(int nl, const char *what, struct err *e)
{
	/* libnl has numbers of its own; of the kernel's errors only EPERM is likely */
	if (nl == -NLE_PERM || nl == -NLE_NOACCESS)
		return err_set(e, ERR_DENIED, "%s: %s", what, nl_geterror(nl));
	return err_set(e, ERR_SYSTEM, "%s: %s", what, nl_geterror(nl));
}

int net_lo_up(struct err *e)
{
	__attribute__((cleanup(free_socket))) struct nl_sock *sock = nl_socket_alloc();
	__attribute__((cleanup(free_link))) struct rtnl_link *lo = rtnl_link_alloc();
	__attribute__((cleanup(free_link))) struct rtnl_link *up = rtnl_link_alloc();
	int rc;

	if (!sock || !lo || !up)
		return err_set(e, ERR_SYSTEM, "netlink: out of memory");
	rc = nl_connect(sock, NETLINK_ROUTE);
	if (rc < 0)
		return failed(rc, "open a netlink socket", e);
	rtnl_link_set_ifindex(lo, LO_INDEX);
	rtnl_link_set_flags(up, IFF_UP);
	rc = rtnl_link_change(sock, lo, up, 0);
	if (rc < 0)
		return failed(rc, "bring up the loopback device", e);
	return 0;
}
