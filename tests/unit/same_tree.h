/* SPDX-License-Identifier: Apache-2.0 */
/* same_tree: whether a mounted image has the files it was made of, and where it has not. */
#pragma once

#include "auto.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char *differs_as;
static char differs_at[1200];

static inline bool differ(const char *path, const char *as)
{
	differs_as = as;
	(void)snprintf(differs_at, sizeof(differs_at), "%s", path);
	return false;
}

static inline bool same_bytes(const char *a, const char *b)
{
	auto_close int x = open(a, O_RDONLY), y = open(b, O_RDONLY);
	static char p[100001], q[100001];
	ssize_t n, m;

	if (x < 0 || y < 0)
		return differ(b, strerror(errno));
	do {
		n = read(x, p, sizeof(p));
		m = read(y, q, sizeof(q));
		if (n != m || (n > 0 && memcmp(p, q, (size_t)n) != 0))
			return differ(b, m < 0 ? strerror(errno) : "content");
	} while (n > 0);
	return true;
}

static inline bool same_xattrs(const char *a, const char *b)
{
	char list[1024], v[256], w[256];
	ssize_t n = llistxattr(a, list, sizeof(list)), m;

	for (char *x = list; n > 0 && x < list + n; x += strlen(x) + 1) {
		ssize_t len = lgetxattr(a, x, v, sizeof(v));

		if (strncmp(x, "user.", 5) != 0)
			continue;
		if (lgetxattr(b, x, NULL, 0) != len || lgetxattr(b, x, w, sizeof(w)) != len ||
			memcmp(v, w, (size_t)len) != 0)
			return differ(b, x);
	}
	m = llistxattr(b, list, sizeof(list));
	return (n > 0) >= (m > 0) || differ(b, "more xattrs");
}

static long seen; /* files, of both */

static inline bool same(const char *a, const char *b, int depth)
{
	struct stat x, y;
	struct dirent *d;
	long n = 0, m = 0;
	DIR *dir;

	seen++;
	if (lstat(a, &x) < 0 || lstat(b, &y) < 0)
		return differ(b, strerror(errno));
	if (x.st_mode != y.st_mode || y.st_uid != 0 || y.st_gid != 0)
		return differ(b, "mode or owner");
	if (x.st_mtime != y.st_mtime && depth) /* the root's: the pseudo files change it */
		return differ(b, "mtime");
	if (!S_ISDIR(x.st_mode) && (x.st_size != y.st_size || x.st_nlink != y.st_nlink))
		return differ(b, "size or links");
	if (!same_xattrs(a, b))
		return false;
	if (S_ISREG(x.st_mode))
		return same_bytes(a, b);
	if (S_ISLNK(x.st_mode)) {
		char p[4096] = "", q[4096] = "";

		return (readlink(a, p, 4095) == readlink(b, q, 4095) && strcmp(p, q) == 0) ||
		       differ(b, "target");
	}
	if (!S_ISDIR(x.st_mode))
		return true;
	dir = opendir(b);
	while (dir && (d = readdir(dir))) {
		char p[1024], q[1024];

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		m++;
		if (depth == 0 && (strcmp(d->d_name, "gone") == 0 || strcmp(d->d_name, "null") == 0))
			continue;
		(void)snprintf(p, sizeof(p), "%.500s/%s", a, d->d_name);
		(void)snprintf(q, sizeof(q), "%.500s/%s", b, d->d_name);
		if (!same(p, q, depth + 1))
			return closedir(dir), false;
	}
	closedir(dir);
	for (dir = opendir(a); dir && readdir(dir);)
		n++;
	closedir(dir);
	return n - 2 == m - (depth == 0 ? 2 : 0) || differ(b, "number of entries");
}
