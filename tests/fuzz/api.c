/* SPDX-License-Identifier: Apache-2.0 */
/* Whole requests with their JSON through the routes of the API, on a store of its own in which there is nothing yet. */
#include "api.h"
#include "fuzz.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BYTES_MAX = 65536, RUNS_MAX = 512 };

static int drop(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type;
	return at->level ? remove(path) : 0;
}

/* Networks and volumes are made, and would be listed ever more slowly. */
static const struct store *fresh_store(void)
{
	static struct store s = {-1, -1, NULL, NULL};
	static char dir[64] = "/tmp/sbx-fuzz-api-XXXXXX";
	static unsigned runs;
	char path[96];
	struct err e;

	if (s.root >= 0 && ++runs % RUNS_MAX)
		return &s;
	if (s.root < 0 && !mkdtemp(dir))
		abort();
	store_done(&s);
	(void)nftw(dir, drop, 16, FTW_DEPTH | FTW_PHYS); /* what stays is in nobody's way */
	(void)snprintf(path, sizeof(path), "%s/root", dir);
	(void)setenv("SBX_ROOT", path, 1);
	(void)snprintf(path, sizeof(path), "%s/runtime", dir);
	(void)setenv("SBX_RUNTIME", path, 1);
	if (store_open(&s, &e) < 0)
		abort();
	return &s;
}

#ifndef FUZZING
static void __attribute__((destructor)) drop_store(void)
{
	char *dir = getenv("SBX_ROOT");

	if (!dir || !strstr(dir, "sbx-fuzz-api-"))
		return;
	*strrchr(dir, '/') = '\0';
	(void)nftw(dir, drop, 16, FTW_DEPTH | FTW_PHYS); /* as above */
	(void)rmdir(dir);
}
#endif

/* These wait for what never comes, or hand the body to another process. However they are spelled. */
static bool is_left_out(const uint8_t *data, size_t size)
{
	static const char *const words[] = {"event", "load", "fromSrc", "fromsrc"};
	auto_free char *text = xcalloc(1, size + 1);
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		char digits[3] = {0}, *end = digits;

		if (data[i] == '%' && i + 2 < size) {
			memcpy(digits, data + i + 1, 2);
			text[n] = (char)strtol(digits, &end, 16);
		}
		if (end == digits + 2)
			i += 2;
		else
			text[n] = (char)data[i];
		n++;
	}
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (memmem(text, n, words[i], strlen(words[i])))
			return true;
	return false;
}

static void quiet(const char *sentence)
{
	(void)sentence;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_close int client = -1;
	int pair[2];

	if (size > BYTES_MAX || is_left_out(data, size) ||
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return 0;
	client = pair[0];
	if (send(client, data, size, MSG_NOSIGNAL) != (ssize_t)size) {
		(void)close(pair[1]);
		return 0;
	}
	(void)shutdown(client, SHUT_RDWR); /* answers are not waited for */
	api_serve(fresh_store(), pair[1], quiet);
	return 0;
}
