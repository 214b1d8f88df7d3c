/* SPDX-License-Identifier: Apache-2.0 */
#include "http_parts.h"

#include "sys.h"

#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#define HEADER_WAIT_MS 60000
#define LINGER_MS      1000 /* without a byte */

static_assert(HTTP_HEADER_MAX <= HTTP_MAX_HEADER_SIZE, "the parser has a limit of its own");

/* ---- the parser's callbacks ----------------------------------------------------------- */

static int on_begin(http_parser *p)
{
	((struct http *)p->data)->began = true;
	return 0;
}

static int on_url(http_parser *p, const char *at, size_t n)
{
	struct http *h = p->data;

	h->began = true;
	buf_add(&h->url, at, n);
	return 0;
}

static void keep_header(struct http *h)
{
	if (h->name.len) {
		for (char *c = h->name.s; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		strv_addf(&h->r->headers, "%s=%s", h->name.s, h->value.s ? h->value.s : "");
	}
	h->name.len = h->value.len = 0;
	if (h->name.s)
		h->name.s[0] = '\0';
	if (h->value.s)
		h->value.s[0] = '\0';
	h->in_value = false;
}

static int on_name(http_parser *p, const char *at, size_t n)
{
	struct http *h = p->data;

	if (h->headers_done)
		return 0; /* trailers of a chunked body are ignored */
	if (h->in_value)
		keep_header(h);
	buf_add(&h->name, at, n);
	return 0;
}

static int on_value(http_parser *p, const char *at, size_t n)
{
	struct http *h = p->data;

	if (h->headers_done)
		return 0; /* likewise */
	buf_add(&h->value, at, n);
	h->in_value = true;
	return 0;
}

static int on_headers(http_parser *p)
{
	struct http *h = p->data;

	keep_header(h);
	h->headers_done = true;
	http_parser_pause(p, 1); /* the request is answered before its body is read */
	return 0;
}

static int on_body(http_parser *p, const char *at, size_t n)
{
	buf_add(&((struct http *)p->data)->body, at, n);
	return 0;
}

static int on_end(http_parser *p)
{
	((struct http *)p->data)->done = true;
	http_parser_pause(p, 1); /* what follows is another request, or no HTTP any more */
	return 0;
}

static const http_parser_settings callbacks = {.on_message_begin = on_begin,
	.on_url = on_url,
	.on_header_field = on_name,
	.on_header_value = on_value,
	.on_headers_complete = on_headers,
	.on_body = on_body,
	.on_message_complete = on_end};

/* ---- reading -------------------------------------------------------------------------- */

struct http *http_open(int fd)
{
	struct http *h = xcalloc(1, sizeof(*h));

	h->fd = fd;
	h->header_wait_ms = HEADER_WAIT_MS;
	http_parser_init(&h->parser, HTTP_REQUEST);
	h->parser.data = h;
	h->done = true;
	return h;
}

/* Closing a socket with unread bytes discards the answer, and a client that is still sending gets EPIPE before it can
 * read it. So reads until the client stops sending. */
static void linger(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char nothing[CHUNK];
	ssize_t n = 1;

	if (shutdown(fd, SHUT_WR) < 0)
		return; /* the client is gone */
	while (n > 0 && poll(&p, 1, LINGER_MS) > 0)
		do
			n = recv(fd, nothing, sizeof(nothing), 0);
		while (n < 0 && errno == EINTR);
}

void http_close(struct http *h)
{
	if (!h)
		return;
	if (h->fd >= 0 && h->replied)
		linger(h->fd);
	auto_close_(&h->fd);
	buf_done(&h->url);
	buf_done(&h->name);
	buf_done(&h->value);
	buf_done(&h->body);
	strv_done(&h->extra);
	free(h);
}

void http_header_wait(struct http *h, int64_t ms)
{
	h->header_wait_ms = ms;
}

int http_fd(const struct http *h)
{
	return h->fd;
}

/* More from the client: its number, 0 at the end, -1 on failure or when it takes too long. */
static ssize_t fill(struct http *h, int64_t until_ns)
{
	struct pollfd p = {.fd = h->fd, .events = POLLIN};
	ssize_t n;

	while (until_ns) {
		int64_t left = (until_ns - sys_now_ns()) / 1000000;
		int got = left <= 0 ? 0 : poll(&p, 1, (int)left);

		if (got > 0)
			break;
		if (got == 0)
			return -1;
	}
	h->at = h->end = 0;
	do
		n = recv(h->fd, h->in, sizeof(h->in), 0);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		h->end = (size_t)n;
	return n;
}

/* Feeds the parser what was read. False: not HTTP. */
static bool parse(struct http *h)
{
	enum http_errno was = HTTP_PARSER_ERRNO(&h->parser);
	size_t n;

	if (was != HPE_OK && was != HPE_PAUSED)
		return false; /* once broken, always broken */
	http_parser_pause(&h->parser, 0);
	n = http_parser_execute(&h->parser, &callbacks, h->in + h->at, h->end - h->at);
	h->at += n;
	if (HTTP_PARSER_ERRNO(&h->parser) == HPE_PAUSED || h->done)
		return true;
	return HTTP_PARSER_ERRNO(&h->parser) == HPE_OK && h->at == h->end;
}

static int refuse(struct http *h, int status, const char *text, struct err *e)
{
	h->close = true;
	http_reply_error(h, status, text);
	return err_set(e, ERR_USAGE, "%s", text);
}

static bool skip_body(struct http *h)
{
	char nothing[4096];
	struct err ignored;

	h->expect = false; /* 100 Continue was never sent */
	for (size_t n = 0; !h->done && n < HTTP_JSON_MAX;) {
		ssize_t got = http_read(h, nothing, sizeof(nothing), &ignored);

		if (got < 0)
			return false;
		n += (size_t)got;
		if (got == 0)
			break;
	}
	return h->done;
}

/* After http_die_with_client(), for which the answer to one request was all that there was to do. */
static void outlive_client(struct http *h)
{
	if (h->dies)
		(void)fcntl(h->fd, F_SETFL, fcntl(h->fd, F_GETFL) & ~O_ASYNC); /* it can be read and set */
	h->dies = false;
}

bool http_rests(struct http *h)
{
	outlive_client(h);
	return h->done && !h->hijacked && !h->close && h->at == h->end;
}

static void begin_request(struct http *h, struct http_request *r)
{
	outlive_client(h);
	http_request_done(r);
	h->r = r;
	h->header_bytes = 0;
	h->url.len = h->body.len = 0;
	h->headers_done = h->done = h->began = false;
	h->replied = h->chunked = h->in_answer = h->expect = h->no_body = false;
	strv_done(&h->extra);
	/* After an upgrade that was not taken up the parser must begin anew. */
	http_parser_init(&h->parser, HTTP_REQUEST);
	h->parser.data = h;
}

static int read_headers(struct http *h, struct err *e)
{
	int64_t until = 0;

	while (!h->headers_done) {
		size_t before;

		if (h->at == h->end) {
			ssize_t n = fill(h, until);

			if (n <= 0)
				return h->header_bytes && n < 0
				               ? refuse(h, 408, "the request's headers did not come", e)
				               : 0;
		}
		if (!until)
			until = sys_now_ns() + h->header_wait_ms * 1000000;
		before = h->at;
		if (!parse(h))
			return refuse(h, 400, "malformed HTTP request", e);
		h->header_bytes += h->at - before;
		if (h->header_bytes > HTTP_HEADER_MAX)
			return refuse(h, 431, "request header fields too large", e);
	}
	return 1;
}

/* A browser sends whatever a web page wants to any port of this machine, and opens WebSockets for it, whose answers the page
 * can read; but it names the page's origin. Other clients send no Origin, or their own server's. */
static bool is_of_a_page(const struct http_request *r, const struct sockaddr_storage *own)
{
	const char *origin = http_header(r, "origin"), *host = http_header(r, "host");
	const char *whose = origin ? strstr(origin, "://") : NULL;

	if (!origin || (whose && host && strcasecmp(whose + 3, host) == 0))
		return false;
	return own->ss_family != AF_UNIX;
}

static bool is_loopback(const struct sockaddr_storage *own)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)own;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)own;

	if (own->ss_family == AF_INET)
		return ntohl(four->sin_addr.s_addr) >> 24 == 127;
	return own->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* What docker's client says where it connects by a command (ssh, "docker system dial-stdio"), and what older ones say on a unix socket:
 * either can end here by a tunnel. A browser cannot: it always says which languages it likes, and no page can leave that out. */
static bool is_of_a_tunnel(const struct http_request *r, const char *host)
{
	static const char *const names[] = {"docker.example.com", "docker"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcasecmp(host, names[i]) == 0)
			return !http_header(r, "accept-language");
	return false;
}

/* A page whose own name was made to mean this machine (DNS rebinding) is of one origin with us for the browser, and sends no Origin
 * when it reads. But the name in Host is the page's, and whoever connects to a loopback address knows a better one. */
static bool is_of_another_host(const struct http_request *r, const struct sockaddr_storage *own)
{
	const char *host = http_header(r, "host");
	char machine[256] = "";

	if (!host || !is_loopback(own))
		return false;
	(void)gethostname(machine, sizeof(machine) - 1); /* on failure it has no name */
	return !http_is_here(host, machine) && !is_of_a_tunnel(r, host);
}

int http_next(struct http *h, struct http_request *r, struct err *e)
{
	struct sockaddr_storage own = {0};
	const char *expect;
	int got;

	if (h->hijacked || h->close || !skip_body(h))
		return 0;
	begin_request(h, r);
	got = read_headers(h, e);
	if (got <= 0)
		return got;
	(void)snprintf(r->method, sizeof(r->method), "%s",
		http_method_str((enum http_method)h->parser.method)); /* the longest has 11 */
	h->no_body = str_eq(r->method, "HEAD");
	h->close = !http_should_keep_alive(&h->parser) && !h->parser.upgrade;
	if (!http_split_url(r, h->url.s ? h->url.s : "/"))
		return refuse(h, 400, "malformed request path", e);
	(void)getsockname(h->fd, (struct sockaddr *)&own,
		&(socklen_t){sizeof(own)}); /* on failure it counts as TCP */
	if (is_of_a_page(r, &own))
		return refuse(h, 403, "requests of other people's web pages are not served", e);
	if (is_of_another_host(r, &own))
		return refuse(h, 403,
			"the name in the request's Host header is not this machine's: use its address, or localhost",
			e);
	r->upgrade = h->parser.upgrade != 0;
	r->has_body = (h->parser.flags & F_CHUNKED) ||
	              (h->parser.content_length > 0 && h->parser.content_length != UINT64_MAX);
	expect = http_header(r, "expect");
	h->expect = expect && strcasecmp(expect, "100-continue") == 0 && r->has_body;
	/* Without a body the message is at its end here already. */
	if (!r->has_body && !parse(h))
		return refuse(h, 400, "malformed HTTP request", e);
	return 1;
}

/* The client is gone, or has said that it sends no more. */
static int cut_off(struct err *e)
{
	return err_set(e, ERR_SYSTEM, "unexpected EOF");
}

ssize_t http_read(struct http *h, void *to, size_t n, struct err *e)
{
	if (h->expect) {
		static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";

		h->expect = false;
		if (sys_write_all(h->fd, go_on, sizeof(go_on) - 1) < 0)
			return cut_off(e);
	}
	while (h->body.len == 0) {
		if (h->done)
			return 0;
		if (h->at == h->end && fill(h, 0) <= 0) {
			h->close = true;
			return cut_off(e);
		}
		if (!parse(h)) {
			h->close = true; /* it is not known where the next request begins */
			return err_set(e, ERR_USAGE, "malformed request body");
		}
	}
	if (n > h->body.len)
		n = h->body.len;
	memcpy(to, h->body.s, n);
	h->body.len -= n;
	memmove(h->body.s, h->body.s + n, h->body.len);
	return (ssize_t)n;
}

static bool is_type(const struct http_request *r, const char *wanted)
{
	const char *type = http_header(r, "content-type");
	size_t n = type ? strcspn(type, "; \t") : 0;

	return n == strlen(wanted) && strncasecmp(type, wanted, n) == 0;
}

/* A web page can send bodies of other types to any address, but not of this one. */
static bool says_json(const struct http *h, struct err *e)
{
	const char *type = http_header(h->r, "content-type");

	if (is_type(h->r, "application/json"))
		return true;
	(void)err_set(e, ERR_USAGE, "unsupported Content-Type header (%.100s): must be 'application/json'",
		type ? type : "");
	return false;
}

static int read_all(struct http *h, struct buf *text, struct err *e)
{
	char chunk[CHUNK];
	ssize_t n;

	while ((n = http_read(h, chunk, sizeof(chunk), e)) > 0) {
		if (text->len + (size_t)n > HTTP_JSON_MAX) {
			h->close = true; /* the rest is not read */
			return err_set(e, ERR_USAGE, "request body too large");
		}
		buf_add(text, chunk, (size_t)n);
	}
	return (int)n;
}

int http_read_form(struct http *h, struct err *e)
{
	struct http_request *r = h->r;
	auto_strv struct strv url = {0};
	auto_buf struct buf text = {0};

	if (!is_type(r, "application/x-www-form-urlencoded"))
		return 0;
	url = r->query;
	r->query = (struct strv){0};
	if (read_all(h, &text, e) < 0)
		return -1;
	if (!http_add_query(&r->query, text.s ? text.s : ""))
		return err_set(e, ERR_USAGE, "malformed form");
	for (size_t i = 0; i < url.n; i++)
		strv_add(&r->query, url.v[i]);
	r->form = text.len > 0;
	return 0;
}

json_t *http_read_json(struct http *h, struct err *e)
{
	auto_buf struct buf text = {0};
	auto_free char *fault = NULL, *forgiven = NULL;
	json_error_t why;
	json_t *j;

	if (read_all(h, &text, e) < 0) {
		if (e->kind == ERR_SYSTEM) /* the client may still read */
			(void)err_set(e, ERR_USAGE, "invalid JSON: unexpected EOF");
		return NULL;
	}
	if (text.len == 0 && !h->r->form)
		return json_object();
	if (!says_json(h, e))
		return NULL;
	j = json_loadb(text.s, text.len, JSON_DECODE_ANY, &why);
	if (!j && (forgiven = json_forgiven(text.s, text.len)))
		j = json_loads(forgiven, JSON_DECODE_ANY, NULL);
	if (!j && json_error_code(&why) == json_error_null_character)
		(void)err_set(e, ERR_USAGE,
			"invalid JSON: a string with \\u0000 in it, which neither a program nor a file can be given");
	else if (!j)
		(void)err_set(e, ERR_USAGE, "%s", (fault = json_stream_fault(text.s, text.len, &why)));
	if (!json_is_null(j))
		return j;
	json_decref(j);
	return json_object();
}

/* ---- a client that disconnects while nothing is written -------------------------------- */

/* The kernel's word that something happened to the socket, with its number. */
static void look(int signo, siginfo_t *info, void *context)
{
	struct pollfd p = {.fd = info->si_fd};

	(void)signo, (void)context;
	if (poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR)))
		_exit(0);
}

void http_die_with_client(struct http *h)
{
	struct sigaction a = {.sa_sigaction = look, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct pollfd p = {.fd = h->fd};

	(void)sigaction(SIGIO, &a, NULL); /* cannot fail with these arguments */
	(void)fcntl(h->fd, F_SETOWN, getpid());
	(void)fcntl(h->fd, F_SETSIG, SIGIO);
	(void)fcntl(h->fd, F_SETFL, fcntl(h->fd, F_GETFL) | O_ASYNC);
	h->dies = true;
	if (poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR)))
		_exit(0); /* it went before that */
}

/* A body of a known length is not input: dockerode sends its options as one. A chunked body that does not end here is
 * the stream itself, of clients that cannot do better. */
void http_drop_body(struct http *h)
{
	static const char no_chunks[] = "0\r\n\r\n";
	size_t n = sizeof(no_chunks) - 1;
	const char *length = http_header(h->r, "content-length");

	if (length && strtoll(length, NULL, 10) > 0 && !h->expect)
		(void)skip_body(h); /* what cannot be read does not come afterwards either */
	if (!http_header(h->r, "transfer-encoding"))
		return;
	h->at += h->at < h->end && h->in[h->at] == '\n'; /* of the headers: the parser stopped before it */
	if (h->end - h->at >= n && memcmp(h->in + h->at, no_chunks, n) == 0)
		h->at += n;
}
