/* SPDX-License-Identifier: Apache-2.0 */
/* The API about the files of containers: archive in and out, export, changes. */
#include "api.h"

#include "archive.h"
#include "auto.h"
#include "base64.h"
#include "changes.h"
#include "stamp.h"
#include "sys.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* Docker's way to tell a mode: Go's. */
static uint32_t go_mode(mode_t mode)
{
	static const struct {
		mode_t ours;
		uint32_t go;
	} types[] = {{S_IFDIR, 1u << 31}, {S_IFLNK, 1u << 27}, {S_IFBLK, 1u << 26},
		{S_IFCHR, 1u << 26 | 1u << 21}, {S_IFIFO, 1u << 25}, {S_IFSOCK, 1u << 24}};
	uint32_t out = mode & 0777;

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if ((mode & S_IFMT) == types[i].ours)
			out |= types[i].go;
	out |= mode & S_ISUID ? 1u << 23 : 0;
	out |= mode & S_ISGID ? 1u << 22 : 0;
	return out | (mode & S_ISVTX ? 1u << 20 : 0);
}

static void set_stat(struct api *a, const struct archive_stat *st)
{
	auto_json json_t *j = json_object();
	auto_buf struct buf coded = {0};
	auto_free char *text = NULL;
	char time[STAMP_SIZE];

	stamp_print(&st->mtime, time);
	/* Only memory can fail here. */
	(void)json_object_set_new(j, "name", json_text(st->name));
	(void)json_object_set_new(j, "size", json_integer(st->size));
	(void)json_object_set_new(j, "mode", json_integer(go_mode(st->mode)));
	(void)json_object_set_new(j, "mtime", json_string(time));
	(void)json_object_set_new(j, "linkTarget", json_text(st->link_target ? st->link_target : ""));
	text = json_dumps(j, JSON_COMPACT);
	if (text)
		base64_add(&coded, text, strlen(text));
	http_set(a->h, "X-Docker-Container-Path-Stat", coded.s ? coded.s : "");
}

static const char *path_of(struct api *a, struct err *e)
{
	const char *path = http_query(a->r, "path");

	if (path && *path)
		return path;
	(void)err_set(e, ERR_USAGE, "missing or empty value for query parameter \"path\"");
	return NULL;
}

static int head(struct api *a, struct err *e)
{
	auto_archive_stat struct archive_stat st = {0};
	const char *path = path_of(a, e);

	if (!path || archive_stat(a->s, a->arg, path, &st, e) < 0)
		return -1;
	set_stat(a, &st);
	return api_done(a, 200);
}

/* The answer is what comes out of the pipe; only at its end is it known whether it was complete. */
static int send_tar(struct api *a, int from, const char *type, struct archive *work, struct err *e)
{
	if (http_begin(a->h, 200, type) < 0 || http_pass(a->h, from) < 0)
		return 0; /* the client is gone; the work ends with this process */
	if (archive_end(work, e) < 0)
		return http_abort(a->h), 0; /* half an archive must not look like a whole one */
	(void)http_end(a->h);
	return 0;
}

static int get(struct api *a, struct err *e)
{
	auto_archive_stat struct archive_stat st = {0};
	auto_archive struct archive work = ARCHIVE_NONE;
	auto_close int in = -1, out = -1;
	const char *path = path_of(a, e);

	if (!path)
		return -1;
	if (sys_wide_pipe(&in, &out) < 0)
		return err_sys(e, "pipe");
	if (archive_get(a->s, a->arg, path, out, NULL, &st, &work, e) < 0)
		return -1;
	(void)close(take_fd(&out)); /* another process has it */
	set_stat(a, &st);
	return send_tar(a, in, "application/x-tar", &work, e);
}

static int export(struct api *a, struct err *e)
{
	auto_archive struct archive work = ARCHIVE_NONE;
	auto_close int in = -1, out = -1;

	if (sys_wide_pipe(&in, &out) < 0)
		return err_sys(e, "pipe");
	if (archive_export(a->s, a->arg, out, NULL, &work, e) < 0)
		return -1;
	(void)close(take_fd(&out));                                   /* as above */
	return send_tar(a, in, "application/octet-stream", &work, e); /* the content type that docker sends */
}

/* Passes the body into the pipe, until it ends or nobody reads the pipe any more. */
static int feed(struct api *a, int to, struct err *e)
{
	auto_free char *data = xcalloc(1, 65536);
	ssize_t n;

	while ((n = http_read(a->h, data, 65536, e)) > 0)
		if (sys_write_all(to, data, (size_t)n) < 0)
			return 0; /* archive_end() will tell why */
	return (int)n;
}

/* Passes on as much of the body as is needed to see whether it is compressed. */
static int feed_head(struct api *a, int *to, struct err *e)
{
	char data[512];
	size_t all = 0;

	while (all < EXPAND_HEAD) {
		ssize_t n = http_read(a->h, data, sizeof(data), e);

		if (n < 0)
			return -1;
		if (n == 0) {
			(void)close(take_fd(to)); /* it is so short */
			break;
		}
		all += (size_t)n;
		if (sys_write_all(*to, data, (size_t)n) < 0)
			return err_sys(e, "pipe");
	}
	return 0;
}

static int extract(struct api *a, const char *path, unsigned flags, struct err *e)
{
	auto_archive struct archive work = ARCHIVE_NONE;
	auto_close int in = -1, out = -1;
	auto_expand struct expand x = EXPAND_NONE;
	struct err unused;

	if (sys_wide_pipe(&in, &out) < 0)
		return err_sys(e, "pipe");
	if (feed_head(a, &out, e) < 0 || expand_open(a->s, in, &x, e) < 0)
		return -1;
	if (archive_put(a->s, a->arg, path, &x, flags, NULL, &work, e) < 0)
		return -1;
	(void)close(take_fd(&in)); /* other processes have it */
	if (out >= 0 && feed(a, out, e) < 0) {
		(void)close(take_fd(&out));
		(void)archive_end(&work, &unused); /* it removes what it has not got the whole of */
		return -1;
	}
	if (out >= 0)
		(void)close(take_fd(&out)); /* the end of the archive */
	return expand_end(&x, archive_end(&work, e), e);
}

static int put(struct api *a, struct err *e)
{
	const char *path = path_of(a, e);
	unsigned flags = 0;
	id_text id;

	/* Looked for before a byte of the body, which its client may keep until it is asked for. */
	if (!path || api_container(a, id, e) < 0)
		return -1;
	if (http_query_bool(a->r, "noOverwriteDirNonDir"))
		flags |= ARCHIVE_KEEP_KIND;
	if (http_query_bool(a->r, "copyUIDGID"))
		flags |= ARCHIVE_OWNER;
	if (extract(a, path, flags, e) == 0)
		return api_done(a, 200);
	a->status = e->kind == ERR_DENIED ? 403 : 0;
	return -1;
}

/* Differences from the image; null if there are none, as with docker. */
static int changes(struct api *a, struct err *e)
{
	auto_changes struct changes all = {0};
	json_t *list = NULL;

	if (changes_list(a->s, a->arg, &all, e) < 0)
		return -1;
	list = all.n ? json_array() : json_null();
	for (size_t i = 0; i < all.n; i++)
		(void)json_array_append_new(
			list, json_pack("{s:o, s:i}", "Path", json_text(all.v[i].path), "Kind",
				      (int)all.v[i].kind)); /* memory */
	return api_json(a, 200, list);
}

const struct api_route api_archive[] = {
	{"HEAD", "/containers/*/archive", head},
	{"GET", "/containers/*/archive", get},
	{"PUT", "/containers/*/archive", put},
	{"GET", "/containers/*/export", export},
	{"GET", "/containers/*/changes", changes},
	{0},
};
