/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nonss: libnl can look up the names of hosts and protocols, which nothing here asks of it. In a static
 * program libc's look-ups would load whatever name-service modules the machine has; these stand in
 * their place and know nobody.
 */
#include <netdb.h>
#include <stddef.h>

int getaddrinfo(const char *restrict node, const char *restrict service,
	const struct addrinfo *restrict hints, struct addrinfo **restrict res)
{
	(void)node, (void)service, (void)hints, (void)res;
	return EAI_NONAME;
}

void freeaddrinfo(struct addrinfo *res)
{
	(void)res;
}

struct protoent *getprotobyname(const char *name)
{
	(void)name;
	return NULL;
}

struct protoent *getprotobynumber(int proto)
{
	(void)proto;
	return NULL;
}
