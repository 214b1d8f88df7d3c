/* SPDX-License-Identifier: Apache-2.0 */
/* The API about containers' streams: attach, logs, resize, wait. */
#include "api.h"

#include "auto.h"
#include "await.h"
#include "ctl.h"
#include "engine.h"
#include "event.h"
#include "epitaph.h"
#include "log.h"
#include "parse.h"
#include "stamp.h"
#include "stream.h"
#include "websocket.h"

#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>

#define RAW    "application/vnd.docker.raw-stream"
#define FRAMED "application/vnd.docker.multiplexed-stream"

/* The stream's content type; older clients know only one. */
static const char *stream_type(const struct api *a, bool tty)
{
	return tty || a->minor < 42 ? RAW : FRAMED;
}

const char *api_hijack_type(const struct api *a, bool tty)
{
	return http_header(a->r, "upgrade") ? stream_type(a, tty) : RAW;
}

static int terminal_of(struct api *a, const char *id, bool *tty, struct err *e)
{
	auto_json json_t *spec = state_load_spec(a->s, id, e);

	*tty = json_bool(spec, "Tty", false);
	return spec ? 0 : -1;
}

/* Whether there is an input to attach to, and whether it stays open when its client's has ended: then docker lets the
 * client go. */
static int input_of(struct api *a, const char *id, struct stream *s, bool *tty, struct err *e)
{
	auto_json json_t *spec = state_load_spec(a->s, id, e);

	*tty = json_bool(spec, "Tty", false);
	s->in = s->in && json_bool(spec, "OpenStdin", false);
	s->ends = s->in && (*tty || !json_bool(spec, "StdinOnce", false));
	return spec ? 0 : -1;
}

/* ---- logs ----------------------------------------------------------------------------- */

struct sink {
	struct api *a;
	bool framed, follows, begun;
	struct buf held; /* several records go out at once */
};

/* The headers are sent only when all files are open: a client that has got them may remove the container, and still
 * reads its log. */
static int begin_logs(struct sink *k, struct err *e)
{
	k->begun = true;
	if (http_begin(k->a->h, 200, stream_type(k->a, !k->framed)) < 0)
		return err_set(e, ERR_SYSTEM, "the client is gone");
	if (k->follows)
		http_die_with_client(k->a->h);
	return 0;
}

static int emit(void *arg, int stream, const char *bytes, size_t n, struct err *e)
{
	struct sink *k = arg;
	char header[8];

	if (!k->begun && begin_logs(k, e) < 0)
		return -1;
	if (n > 0) {
		stream_header(header, stream ? STREAM_ERR : STREAM_OUT, n);
		if (k->framed)
			buf_add(&k->held, header, sizeof(header));
		buf_add(&k->held, bytes, n);
	}
	if (k->held.len && (n == 0 || k->held.len > 65536)) {
		if (http_write(k->a->h, k->held.s, k->held.len) < 0)
			return err_set(e, ERR_SYSTEM, "the client is gone");
		k->held.len = 0;
	}
	return 0;
}

static int moment(struct api *a, const char *key, struct timespec *out, struct err *e)
{
	const char *v = http_query(a->r, key);

	if (!v || !*v || str_eq(v, "0") || stamp_sent(v, out, e) == 0)
		return 0;
	e->kind = ERR_SYSTEM; /* as docker has it */
	return -1;
}

static int log_query(struct api *a, struct log_query *q, struct err *e)
{
	const char *tail = http_query(a->r, "tail");
	struct err unused; /* what is no number asks for all */

	*q = (struct log_query){.out = http_query_bool(a->r, "stdout"),
		.err = http_query_bool(a->r, "stderr"),
		.follow = http_query_bool(a->r, "follow"),
		.timestamps = http_query_bool(a->r, "timestamps"),
		.details = http_query_bool(a->r, "details")};
	if (!tail || parse_decimal(tail, &q->tail, &unused) < 0 || q->tail < 0)
		q->tail = -1;
	return moment(a, "since", &q->since, e) < 0 || moment(a, "until", &q->until, e) < 0 ? -1 : 0;
}

static int logs(struct api *a, struct err *e)
{
	struct sink sink = {.a = a};
	struct log_query q;
	id_text id;
	bool tty;
	int done;

	/* docker checks this before it looks for the container */
	if (!http_query_bool(a->r, "stdout") && !http_query_bool(a->r, "stderr"))
		return err_set(e, ERR_USAGE, "Bad parameters: you must choose at least one stream");
	if (api_container(a, id, e) < 0 || log_query(a, &q, e) < 0 || terminal_of(a, id, &tty, e) < 0)
		return -1;
	sink.framed = !tty;
	sink.follows = q.follow;
	done = log_read(a->s, id, &q, emit, &sink, e);
	if (done == 0)
		done = emit(&sink, 0, NULL, 0, e);
	buf_done(&sink.held);
	if (!sink.begun)
		return -1;
	if (done == 0)
		(void)http_end(a->h);
	else
		http_abort(a->h); /* half a log must not look complete, and its rest will not come */
	return 0;
}

/* ---- attach --------------------------------------------------------------------------- */

static int say_log(void *to, int stream, const char *bytes, size_t n, struct err *e)
{
	(void)e; /* a client that has gone is noticed later */
	if (n)
		stream_say(to, stream ? STREAM_ERR : STREAM_OUT, bytes, n);
	return 0;
}

/* A terminal's client may leave by its keys. */
static int detach_of(struct api *a, bool tty, struct detach *d, struct err *e)
{
	const char *keys = http_query(a->r, "detachKeys");

	if (detach_init(d, keys && *keys ? keys : DETACH_USUAL, e) < 0)
		return err_set(e, ERR_USAGE, "Invalid detach keys (%.100s) provided", keys);
	if (!tty)
		*d = (struct detach){0};
	return 0;
}

struct detaching {
	const struct store *s;
	const struct state *st;
};

static void on_detach(void *arg)
{
	const struct detaching *d = arg;

	event_container(d->s, d->st, "detach", NULL, NULL);
}

/* The client's end of a websocket: returns a socket for plain bytes, served by a process that ends with it. */
static int as_websocket(struct api *a)
{
	char accept[WEBSOCKET_ACCEPT];
	auto_buf struct buf early = {0};
	auto_close int conn = -1;
	int pair[2];
	pid_t pid;

	websocket_accept(http_header(a->r, "sec-websocket-key"), accept);
	http_set(a->h, "Sec-WebSocket-Accept", accept);
	conn = http_switch(a->h, "websocket", &early);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		(void)close(pair[0]);
		websocket_pump(conn, &early, pair[1]);
		_exit(0);
	}
	(void)close(pair[1]);
	if (pid > 0)
		return pair[0];
	(void)close(pair[0]);
	return -1;
}

static int attach_by(struct api *a, bool websocket, struct err *e)
{
	auto_await struct await wait = {.sock = -1};
	auto_state struct state st = {0};
	struct detaching detaching = {a->s, &st};
	auto_stream struct stream s = {.conn = -1,
		.in = http_query_bool(a->r, "stdin"),
		.out = http_query_bool(a->r, "stdout"),
		.err = http_query_bool(a->r, "stderr"),
		.on_detach = on_detach,
		.on_detach_arg = &detaching};
	struct ctl_attach wants = {0};
	bool tty, streams = http_query_bool(a->r, "stream");
	auto_close int ctl = -1;

	if (api_container_state(a, &st, e) < 0 || input_of(a, st.id, &s, &tty, e) < 0 ||
		detach_of(a, tty, &s.detach, e) < 0)
		return -1;
	wants = (struct ctl_attach){s.in, s.out, s.err, 0};
	streams = streams && (s.in || s.out || s.err); /* of nothing there is no end to wait for */
	if (st.status == ST_PAUSED)
		return err_set(e, ERR_CONFLICT,
			"container %s is paused, unpause the container before attach", a->arg);
	if (st.status == ST_RESTARTING)
		return err_set(e, ERR_CONFLICT,
			"container %s is restarting, wait until the container is running", st.id);
	/* We must be listening before the client knows that it is attached, as it may start the container then. */
	if (streams && await_begin(a->s, st.id, &wants, &wait, e) < 0)
		return -1;
	event_container(a->s, &st, "attach", NULL, NULL);
	s.framed = !tty && !websocket;
	s.conn = websocket ? as_websocket(a) : http_hijack(a->h, api_hijack_type(a, tty), &s.input);
	if (s.conn < 0)
		return 0; /* the client sees the end of its connection */
	if (http_query_bool(a->r, "logs")) {
		struct log_query q = {.out = s.out, .err = s.err, .tail = -1};

		(void)log_read(a->s, st.id, &q, say_log, &s, e); /* what cannot be read is not shown */
	}
	if (!streams)
		return 0;
	ctl = await_start(&wait, &wants, s.conn, e);
	await_done(&wait);
	if (ctl >= 0)
		stream_ctl(&s, ctl);
	return 0;
}

static int attach(struct api *a, struct err *e)
{
	return attach_by(a, false, e);
}

static int attach_ws(struct api *a, struct err *e)
{
	const char *upgrade = http_header(a->r, "upgrade");
	id_text id;

	if (api_container(a, id, e) < 0)
		return -1;
	if (!a->r->upgrade || !upgrade || strcasecmp(upgrade, "websocket") != 0 ||
		!http_header(a->r, "sec-websocket-key"))
		return err_set(e, ERR_USAGE, "bad request: not a websocket handshake");
	return attach_by(a, true, e);
}

/* ---- resize --------------------------------------------------------------------------- */

static int resize(struct api *a, struct err *e)
{
	auto_close int ctl = -1;
	struct ctl_size size;
	auto_state struct state st = {0};
	char height[8], width[8];

	if (api_size(a, &size.rows, &size.cols, e) < 0 || api_container_state(a, &st, e) < 0)
		return -1;
	if (st.status != ST_RUNNING && st.status != ST_PAUSED)
		return err_set(e, ERR_CONFLICT, "container %s is not running", st.id);
	ctl = ctl_connect(a->s, st.id, e);
	if (ctl < 0 || ctl_send(ctl, CTL_RESIZE, &size, sizeof(size)) < 0)
		return err_set(e, ERR_CONFLICT, "container %s is not running", st.id);
	(void)snprintf(height, sizeof(height), "%d", size.rows);
	(void)snprintf(width, sizeof(width), "%d", size.cols);
	event_container_with(
		a->s, &st, "resize", json_pack("{s:s, s:s}", "height", height, "width", width));
	return api_done(a, 200);
}

/* ---- wait ----------------------------------------------------------------------------- */

enum condition { NOT_RUNNING, NEXT_EXIT, REMOVED };

static int condition_of(struct api *a, enum condition *c, struct err *e)
{
	static const char *const words[] = {"not-running", "next-exit", "removed"};
	const char *word = http_query(a->r, "condition");

	*c = NOT_RUNNING;
	for (size_t i = 0; word && *word && i < ARRAY_LEN(words); i++) {
		if (strcmp(word, words[i]) == 0) {
			*c = i;
			return 0;
		}
	}
	return word && *word ? err_set(e, ERR_USAGE, "invalid condition: \"%.100s\"", word) : 0;
}

/* Waits for the container's next end, as its supervisor tells it; -1: it cannot be known. */
static int next_exit(struct api *a, const char *id, struct await *wait, const struct ctl_attach *none)
{
	struct err e;
	auto_close int ctl = await_start(wait, none, -1, &e);
	auto_free struct ctl_frame *f = xcalloc(1, sizeof(*f));
	auto_state struct state st = {0};
	struct ctl_exit end;
	ssize_t n;
	int code;

	await_done(wait); /* we die with our client, and would leave it */
	while (ctl >= 0 && (n = ctl_recv(ctl, f)) >= 0)
		if (f->kind == CTL_EXIT && n >= (ssize_t)sizeof(end)) {
			memcpy(&end, f->data, sizeof(end)); /* the payload is one byte off alignment */
			return end.code;
		}
	/* The supervisor was killed: loading the state repairs it. */
	if (state_load(a->s, id, &st, &e) == 0)
		return st.exit_code;
	return epitaph_read(a->s, id, &code) ? code : 137;
}

/* Waits until the container's directory is removed. watch: of that directory, opened before anything else was asked.
 * code: NULL, or set to how the container ended last, since it may have run meanwhile. */
static void wait_removed(struct api *a, const char *id, int watch, int *code)
{
	char events[4096];
	id_text found;
	struct err e;

	while (state_find(a->s, id, found, &e) == 0) {
		auto_state struct state st = {0};

		if (code && state_load(a->s, id, &st, &e) == 0)
			*code = st.exit_code;
		if (watch < 0 ? poll(NULL, 0, 100) < 0 : read(watch, events, sizeof(events)) < 0)
			return;
	}
}

static int watch_dir(struct api *a, const char *id)
{
	auto_free char *path = state_path(a->s, id);
	auto_close int watch = inotify_init1(IN_CLOEXEC);

	if (watch < 0 || inotify_add_watch(watch, path, IN_MOVE_SELF | IN_DELETE_SELF | IN_MOVED_TO) < 0)
		return -1; /* then we look from time to time */
	return take_fd(&watch);
}

/* error: why it could not be started, or NULL. */
static json_t *code_object(const struct api *a, int code, const char *error)
{
	json_t *j = json_object();

	if (error && *error)
		json_set(j, "Error", json_pack("{s:o}", "Message", json_text(error)));
	else if (a->minor < 42)
		json_set(j, "Error", json_null());
	json_set(j, "StatusCode", json_integer(code));
	return j;
}

/* NULL: it could be started, or is gone. The caller frees. */
static char *why_not_started(struct api *a, const char *id)
{
	auto_state struct state st = {0};
	struct err gone;

	return state_load(a->s, id, &st, &gone) == 0 ? take(st.error) : NULL;
}

static int wait_for(struct api *a, struct err *e)
{
	static const struct ctl_attach none;
	auto_await struct await wait = {.sock = -1};
	auto_state struct state st = {0};
	auto_free char *line = NULL, *text = NULL, *error = NULL;
	auto_json json_t *answer = NULL;
	enum condition c;
	auto_close int watch = -1;
	bool next;
	int code;

	if (condition_of(a, &c, e) < 0)
		return -1;
	if (api_container_state(a, &st, e) < 0)
		return epitaph_read(a->s, a->arg, &code) ? api_json(a, 200, code_object(a, code, NULL))
		                                         : -1;
	next = c == NEXT_EXIT || (c == REMOVED && st.auto_remove);
	if (c == REMOVED)
		watch = watch_dir(a, st.id);
	if (next && await_begin(a->s, st.id, &none, &wait, e) < 0)
		return -1;
	/* The client starts the container as soon as it sees that we wait. */
	if (http_begin(a->h, 200, "application/json") < 0)
		return 0;
	http_die_with_client(a->h);
	code = st.exit_code;
	if (next)
		code = next_exit(a, st.id, &wait, &none);
	else if (engine_wait_exit(a->s, st.id, &code, NULL, e) < 0)
		code = epitaph_read(a->s, st.id, &code) ? code : st.exit_code; /* the container is gone */
	if (c == REMOVED)
		wait_removed(a, st.id, watch, next ? NULL : &code);
	if (c != REMOVED)
		error = why_not_started(a, st.id);
	answer = code_object(a, code, error);
	text = json_dumps(answer, JSON_COMPACT);
	line = xasprintf("%s\n", text ? text : "{}");
	(void)http_write(a->h, line, strlen(line)); /* the end of the answer sees it too */
	(void)http_end(a->h);
	return 0;
}

const struct api_route api_streams[] = {
	{"GET", "/containers/*/logs", logs},
	{"POST", "/containers/*/attach", attach},
	{"GET", "/containers/*/attach/ws", attach_ws},
	{"POST", "/containers/*/resize", resize},
	{"POST", "/containers/*/wait", wait_for},
	{0},
};
