/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nonss: stubs for libc functions that look up names of hosts and protocols. libnl refers to them, but nothing here needs
 * them, and glibc's would make a static program load the machine's name-service modules.
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
