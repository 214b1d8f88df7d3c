/* SPDX-License-Identifier: Apache-2.0 */
/* The API about images as a whole: commit, import, load, save. Their bytes pass through a pipe and a process. */
#include "api.h"
#include "api_bundle.h"

#include "auto.h"
#include "commit.h"
#include "event.h"
#include "import.h"
#include "load.h"
#include "ref.h"
#include "save.h"
#include "sys.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* "repo" and "tag" of the request as one familiar name; NULL and no error: none was given. */
static char *name_of(struct api *a, struct err *e)
{
	const char *repo = http_query(a->r, "repo"), *tag = http_query(a->r, "tag");

	err_clear(e);
	if (!repo || !*repo)
		return NULL;
	return ref_tagged(repo, tag, e);
}

/* Each ?changes= is an instruction, or several lines of them. */
static void changes_of(struct api *a, struct strv *out)
{
	for (size_t i = 0; i < a->r->query.n; i++) {
		const char *at = a->r->query.v[i];

		if (!str_starts(at, "changes="))
			continue;
		for (at += strlen("changes="); *at;) {
			size_t n = strcspn(at, "\n");

			if (n)
				strv_take(out, xstrndup(at, n));
			at += n + (at[n] == '\n');
		}
	}
}

/* docker takes a lone string for a list of one. */
static void listed(json_t *config, const char *key)
{
	json_t *v = json_object_get(config, key);

	if (json_is_string(v))
		json_set(config, key, json_pack("[O]", v));
}

static int commit(struct api *a, struct err *e)
{
	auto_json json_t *config = api_read_json(a, e);
	const char *pause = http_query(a->r, "pause");
	struct commit_ask ask = {.what = http_query(a->r, "container"),
		.author = http_query(a->r, "author"),
		.message = http_query(a->r, "comment"),
		.pause = !pause || http_query_bool(a->r, "pause")};
	auto_free char *name = NULL, *id = NULL;
	int done;

	ask.config = config;
	if (!config || api_types("ContainerConfigWrapper", config, e) < 0)
		return -1;
	listed(config, "Cmd");
	listed(config, "Entrypoint");
	listed(config, "Shell");
	if (!(name = name_of(a, e)) && e->kind != ERR_NONE)
		return -1;
	if (!ask.what || !*ask.what)
		return err_set(e, ERR_USAGE, "invalid name or ID supplied: \"\"");
	changes_of(a, &ask.changes);
	ask.name = name;
	done = commit_container(a->s, &ask, &id, e);
	strv_done(&ask.changes);
	if (done < 0)
		return -1;
	return api_json(a, 201, json_pack("{s:s}", "Id", id));
}

/* ---- the body as a file --------------------------------------------------------------- */

/* The request's body as a pipe, which another process writes to. A byte comes through `whole` when the body was
 * complete. */
struct body {
	int from, whole;
	pid_t writer;
};

static void __attribute__((noreturn)) write_body(struct api *a, int to, int whole)
{
	char data[65536];
	struct err unused; /* the client may be gone */
	ssize_t n;

	while ((n = http_read(a->h, data, sizeof(data), &unused)) > 0)
		if (sys_write_all(to, data, (size_t)n) < 0)
			break;
	if (n == 0)
		(void)sys_write_all(whole, "", 1); /* `whole` may have no reader */
	_exit(0);
}

static int begin_body(struct api *a, struct body *out, struct err *e)
{
	auto_close int from = -1, to = -1, whole = -1, tell = -1;
	pid_t pid;

	if (sys_pipe(&from, &to) < 0 || sys_pipe(&whole, &tell) < 0)
		return err_sys(e, "pipe");
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0) {
		(void)close(take_fd(&from));
		write_body(a, to, tell);
	}
	*out = (struct body){take_fd(&from), take_fd(&whole), pid};
	return 0;
}

/* The child has read the body: this connection cannot be used for another request. */
static void end_body(struct api *a, struct body *b)
{
	auto_close_(&b->from);
	auto_close_(&b->whole);
	(void)kill(b->writer, SIGKILL); /* our child, which may wait to write what nobody reads any more */
	(void)waitpid(b->writer, NULL, 0);
	http_last(a->h);
}

/* As docker's daemon has it, one at most. */
static int platform_of(struct api *a, char **out, struct err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < a->r->query.n; i++)
		n += str_starts(a->r->query.v[i], "platform=");
	if (n > 1 && a->minor >= 48)
		return err_set(e, ERR_USAGE, "multiple platform parameters not supported");
	return api_platform(a, "platform", 48, out, e);
}

static int say(struct api *a, const char *key, const char *text)
{
	auto_json json_t *j = json_object();
	auto_free char *out = NULL, *line = NULL;

	(void)json_object_set_new(j, key, json_text(text)); /* memory */
	if (str_eq(key, "error"))
		(void)json_object_set_new(
			j, "errorDetail", json_pack("{s:o}", "message", json_text(text)));
	out = json_dumps(j, JSON_COMPACT);
	line = xasprintf("%s\r\n", out ? out : "{}");
	return http_write(a->h, line, strlen(line));
}

static int load(struct api *a, struct err *e)
{
	auto_strv struct strv report = {0};
	auto_free char *platform = NULL;
	struct body body;
	int done;

	if (platform_of(a, &platform, e) < 0 || begin_body(a, &body, e) < 0)
		return -1;
	done = load_images(a->s, body.from, platform, NULL, &report, e);
	end_body(a, &body);
	/* Even a failure is reported in the answer's body: there clients look for it. */
	if (http_begin(a->h, 200, "application/json") < 0)
		return 0;
	for (size_t i = 0; i < report.n; i++) {
		auto_free char *line = xasprintf("%s\n", report.v[i]);

		(void)say(a, "stream", line); /* the end of the answer sees it too */
	}
	if (done < 0)
		(void)say(a, "error", e->text); /* its result does not matter here */
	(void)http_end(a->h);
	return 0;
}

int api_import(struct api *a, struct err *e)
{
	const char *src = http_query(a->r, "fromSrc"), *message = http_query(a->r, "message");
	struct import_ask ask = {.platform = http_query(a->r, "platform"),
		.message = message && *message ? message : NULL};
	auto_free char *name = NULL, *id = NULL;
	struct body body;
	int done;

	if (ask.platform && !*ask.platform)
		ask.platform = NULL;
	if (strcmp(src, "-") != 0)
		return api_error(a, 501, e, "sbx fetches nothing: send the archive with the request");
	name = name_of(a, e);
	if (!name && e->kind != ERR_NONE)
		return -1;
	if (begin_body(a, &body, e) < 0)
		return -1;
	ask.name = name;
	ask.in = body.from;
	ask.whole = &body.whole;
	changes_of(a, &ask.changes);
	done = import_image(a->s, &ask, &id, e);
	strv_done(&ask.changes);
	end_body(a, &body);
	if (done < 0)
		return -1;
	event_image(a->s, "import", id, NULL);
	if (http_begin(a->h, 200, "application/json") < 0)
		return 0;
	(void)say(a, "status", id); /* the end of the answer sees it too */
	(void)http_end(a->h);
	return 0;
}

/* ---- save ----------------------------------------------------------------------------- */

/* Run in a child: writes the images to one pipe, and an error to the other. */
static void __attribute__((noreturn)) save(struct api *a, const struct strv *names, int out, int tell)
{
	struct err e = {0};

	(void)save_images(a->s, names->v, names->n, out, NULL, &e);
	(void)!write(tell, &e, sizeof(e)); /* the reader may be gone */
	_exit(0);
}

static int send_images(struct api *a, const struct strv *names, struct err *e)
{
	int data[2] = {-1, -1}, tell[2] = {-1, -1};
	struct err told = {.kind = ERR_SYSTEM};
	auto_free char *platform = NULL;
	struct pollfd first;
	pid_t pid;

	if (platform_of(a, &platform, e) < 0 ||
		save_check_platform(a->s, platform, names->v, names->n, e) < 0)
		return -1;
	if (sys_wide_pipe(&data[0], &data[1]) < 0 || sys_pipe(&tell[0], &tell[1]) < 0)
		return err_sys(e, "pipe");
	first = (struct pollfd){.fd = data[0], .events = POLLIN};
	pid = fork();
	if (pid == 0) {
		/* Otherwise it would block for ever when the client is gone: a pipe does not break as long as its
		 * writer holds its reading end. */
		(void)close(data[0]);
		(void)close(tell[0]);
		save(a, names, data[1], tell[1]);
	}
	(void)close(data[1]);
	(void)close(tell[1]);
	/* The answer begins with the first byte; a failure before that is answered with an error status. */
	while (poll(&first, 1, -1) < 0)
		;
	if (first.revents & POLLIN && http_begin(a->h, 200, "application/x-tar") == 0)
		(void)http_pass(a->h, data[0]); /* the end of the answer sees it too */
	(void)close(data[0]);
	if (sys_read(tell[0], &told, sizeof(told)) != sizeof(told))
		(void)err_set(&told, ERR_SYSTEM, "the process which saves died");
	(void)close(tell[0]);
	if (pid > 0)
		(void)waitpid(pid, NULL, 0);
	if (told.kind != ERR_NONE && !http_replied(a->h)) {
		*e = told;
		return -1;
	}
	if (told.kind != ERR_NONE)
		http_abort(a->h); /* half an archive must not look like a whole one */
	else
		(void)http_end(a->h);
	return 0;
}

static int get_many(struct api *a, struct err *e)
{
	auto_strv struct strv names = {0};

	for (size_t i = 0; i < a->r->query.n; i++)
		if (str_starts(a->r->query.v[i], "names="))
			strv_add(&names, a->r->query.v[i] + strlen("names="));
	if (names.n == 0)
		return err_set(e, ERR_USAGE, "no image names");
	return send_images(a, &names, e);
}

static int get_one(struct api *a, struct err *e)
{
	auto_strv struct strv names = {0};

	strv_add(&names, a->arg);
	return send_images(a, &names, e);
}

const struct api_route api_bundle[] = {
	{"POST", "/commit", commit},
	{"POST", "/images/load", load},
	{"GET", "/images/get", get_many},
	{"GET", "/images/*/get", get_one},
	{0},
};
