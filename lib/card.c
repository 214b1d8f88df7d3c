/* SPDX-License-Identifier: Apache-2.0 */
#include "card.h"

#include <string.h>

#define FIRST_LINE "sbx-state 1"

const char *const status_names[STATUSES] = {
	[ST_CREATED] = "created",
	[ST_RUNNING] = "running",
	[ST_PAUSED] = "paused",
	[ST_RESTARTING] = "restarting",
	[ST_REMOVING] = "removing",
	[ST_EXITED] = "exited",
	[ST_DEAD] = "dead",
};

enum kind { TEXT, TEXT_64, TEXT_36, STATUS, TIME, PID, UINT64, INT, BOOL, LIST, JSON, KINDS };

struct row {
	const char *key;
	unsigned char key_len, kind;
	unsigned short at;
};
#define ROW(name, member, kind)                                              \
	{                                                                    \
		name, sizeof(name) - 1, kind, offsetof(struct state, member) \
	}

// clang-format off
static const struct row rows[] = {
	ROW("id",               id,               TEXT_64),
	ROW("name",             name,             TEXT),
	ROW("image",            image,            TEXT),
	ROW("image_id",         image_id,         TEXT),
	ROW("command",          command,          TEXT),
	ROW("status",           status,           STATUS),
	ROW("created",          created,          TIME),
	ROW("started",          started,          TIME),
	ROW("finished",         finished,         TIME),
	ROW("pid",              pid,              PID),
	ROW("pid_start",        pid_start,        UINT64),
	ROW("pid_serial",       pid_serial,       UINT64),
	ROW("sup",              sup,              PID),
	ROW("sup_start",        sup_start,        UINT64),
	ROW("sup_serial",       sup_serial,       UINT64),
	ROW("pid_ns",           pid_ns,           UINT64),
	ROW("boot_id",          boot_id,          TEXT_36),
	ROW("host",             host,             TEXT),
	ROW("exit_code",        exit_code,        INT),
	ROW("oom_killed",       oom_killed,       BOOL),
	ROW("timed_out",        timed_out,        BOOL),
	ROW("manually_stopped", manually_stopped, BOOL),
	ROW("auto_remove",      auto_remove,      BOOL),
	ROW("mountless",        mountless,        BOOL),
	ROW("error",            error,            TEXT),
	ROW("restart_count",    restart_count,    INT),
	ROW("label",            labels,           LIST),
	ROW("network",          network,          TEXT),
	ROW("health",           health,           TEXT),
	ROW("ports",            ports,            TEXT),
	ROW("result",           result,           JSON),
	ROW("extra",            extra,            JSON),
};
// clang-format on

static void escaped(struct buf *out, const char *key, const char *value)
{
	size_t n;

	buf_puts(out, key);
	buf_putc(out, ' ');
	for (; *value; value += n + 1) {
		n = strcspn(value, "\\\n");
		buf_add(out, value, n);
		if (!value[n])
			break;
		buf_puts(out, value[n] == '\n' ? "\\n" : "\\\\");
	}
	buf_putc(out, '\n');
}

/* Unescapes in place, as the result is never longer; returns its length. */
static size_t unescape(char *s, size_t n)
{
	char *to = memchr(s, '\\', n);

	if (!to)
		return n;
	for (char *from = to; *from; from++) {
		if (*from == '\\' && from[1])
			*to++ = *++from == 'n' ? '\n' : *from;
		else
			*to++ = *from;
	}
	*to = '\0';
	return (size_t)(to - s);
}

static void print_row(const struct state *st, const struct row *r, struct buf *out)
{
	const char *p = (const char *)st + r->at;

	switch ((enum kind)r->kind) {
	case TEXT:
		if (*(char *const *)p)
			escaped(out, r->key, *(char *const *)p);
		break;
	case TEXT_64:
	case TEXT_36:
		if (*p)
			escaped(out, r->key, p);
		break;
	case STATUS:
		buf_printf(out, "%s %s\n", r->key, status_names[*(const enum status *)p]);
		break;
	case TIME: {
		const struct timespec *t = (const struct timespec *)p;

		if (t->tv_sec || t->tv_nsec)
			buf_printf(out, "%s %lld.%09ld\n", r->key, (long long)t->tv_sec, t->tv_nsec);
		break;
	}
	case PID:
	case INT:
		if (*(const int *)p)
			buf_printf(out, "%s %d\n", r->key, *(const int *)p);
		break;
	case UINT64:
		if (*(const uint64_t *)p)
			buf_printf(out, "%s %llu\n", r->key, (unsigned long long)*(const uint64_t *)p);
		break;
	case BOOL:
		if (*(const bool *)p)
			buf_printf(out, "%s 1\n", r->key);
		break;
	case LIST: {
		const struct strv *list = (const struct strv *)p;

		for (size_t i = 0; i < list->n; i++)
			escaped(out, r->key, list->v[i]);
		break;
	}
	case JSON:
		if (*(json_t *const *)p) {
			auto_free char *text = json_dumps(*(json_t *const *)p, JSON_LINE);

			if (text)
				escaped(out, r->key, text);
		}
		break;
	case KINDS:
		break;
	}
}

static_assert(sizeof(pid_t) == sizeof(int), "a PID row is read and written as an INT row");

void card_print(const struct state *st, struct buf *out)
{
	buf_puts(out, FIRST_LINE "\n");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		print_row(st, &rows[i], out);
	buf_puts(out, "end\n");
}

static bool parse_status(const char *value, enum status *out)
{
	for (int i = 0; i < STATUSES; i++)
		if (strcmp(status_names[i], value) == 0) {
			*out = (enum status)i;
			return true;
		}
	return false;
}

/* Bytes of a fixed field, which may be shorter but not longer. */
static bool parse_fixed(const char *value, char *out, size_t size)
{
	size_t n = strlen(value);

	if (n >= size)
		return false;
	memcpy(out, value, n + 1);
	return true;
}

static bool parse_time(const char *value, struct timespec *out)
{
	char *end;

	out->tv_sec = strtoll(value, &end, 10);
	if (*end != '.')
		return false;
	out->tv_nsec = strtol(end + 1, &end, 10);
	return *end == '\0' && out->tv_nsec >= 0 && out->tv_nsec < 1000000000L;
}

static char *text_of(char *value, size_t n)
{
	size_t len = unescape(value, n);
	char *text = xcalloc(1, len + 1);

	memcpy(text, value, len);
	return text;
}

/* n: the length of the value. */
static bool parse_row(struct state *st, const struct row *r, char *value, size_t n, bool whole)
{
	char *p = (char *)st + r->at, *end = NULL;

	switch ((enum kind)r->kind) {
	case TEXT:
		free(*(char **)p);
		*(char **)p = text_of(value, n);
		return true;
	case TEXT_64:
		return parse_fixed(value, p, sizeof(st->id));
	case TEXT_36:
		return parse_fixed(value, p, sizeof(st->boot_id));
	case STATUS:
		return parse_status(value, (enum status *)p);
	case TIME:
		return parse_time(value, (struct timespec *)p);
	case PID:
	case INT:
		*(int *)p = (int)strtol(value, &end, 10);
		return *end == '\0';
	case UINT64:
		*(uint64_t *)p = strtoull(value, &end, 10);
		return *end == '\0';
	case BOOL:
		*(bool *)p = value[0] == '1';
		return true;
	case LIST:
		strv_take((struct strv *)p, text_of(value, n));
		return true;
	case JSON:
		if (!whole)
			return true;
		(void)unescape(value, n); /* it ends where its 0 is */
		json_decref(*(json_t **)p);
		*(json_t **)p = json_loads(value, JSON_DECODE_ANY, NULL);
		return *(json_t **)p != NULL;
	case KINDS:
		break;
	}
	return false;
}

/* The row of a key: as lines are nearly always in the order of the rows, searches from the last one on. */
static const struct row *row_of(const char *key, size_t n, size_t *last)
{
	size_t at = *last;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++, at = at + 1 < ARRAY_LEN(rows) ? at + 1 : 0) {
		if (rows[at].key_len == n && rows[at].key[0] == key[0] &&
			memcmp(rows[at].key, key, n) == 0) {
			*last = at;
			return &rows[at];
		}
	}
	return NULL;
}

int card_parse(char *text, size_t n, bool whole, struct state *out, struct err *e)
{
	char *end = text + n, *next;
	auto_state struct state st = {0};
	size_t last = 0;
	bool complete = false;

	if (n <= sizeof(FIRST_LINE) || memcmp(text, FIRST_LINE "\n", sizeof(FIRST_LINE)) != 0)
		return err_set(e, ERR_CORRUPT, "not a state file of this version");
	for (char *line = text + sizeof(FIRST_LINE); line < end; line = next) {
		char *space = line, *eol;
		const struct row *r;

		while (space < end && *space != ' ' && *space != '\n') /* keys are short */
			space++;
		eol = memchr(space, '\n', (size_t)(end - space));
		if (!eol)
			break;
		*eol = '\0';
		next = eol + 1;
		if (space == eol) {
			complete = strcmp(line, "end") == 0;
			continue;
		}
		r = row_of(line, (size_t)(space - line), &last);
		if (r && !parse_row(&st, r, space + 1, (size_t)(eol - space - 1), whole))
			return err_set(e, ERR_CORRUPT, "state file: bad value of %s", r->key);
	}
	if (!complete || !str_is_hex(st.id, ID_LEN))
		return err_set(e, ERR_CORRUPT, "state file: cut short");
	*out = st;
	st = (struct state){0};
	return 0;
}

/* ---- as bytes ---- */

/* In front of a value: of which row it is, and how long. */
struct field {
	uint32_t row, len;
};

/* The size of those kinds that are copied as they are in memory; 0: text. */
static const unsigned char size_of[KINDS] = {
	[STATUS] = sizeof(enum status),
	[TIME] = sizeof(struct timespec),
	[PID] = sizeof(pid_t),
	[UINT64] = sizeof(uint64_t),
	[INT] = sizeof(int),
	[BOOL] = sizeof(bool),
};

static void add_field(struct buf *out, size_t row, const void *value, size_t len)
{
	struct field f = {(uint32_t)row, (uint32_t)len};

	buf_add(out, &f, sizeof(f));
	buf_add(out, value, len);
}

void card_pack(const struct state *st, struct buf *out)
{
	static const char zero[sizeof(struct timespec)];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *p = (const char *)st + rows[i].at;
		const struct strv *list = (const struct strv *)p;
		size_t size = size_of[rows[i].kind];

		/* the status always, so that no card is empty */
		if (rows[i].kind == STATUS || (size && memcmp(p, zero, size) != 0))
			add_field(out, i, p, size);
		else if (rows[i].kind == TEXT && *(char *const *)p)
			add_field(out, i, *(char *const *)p, strlen(*(char *const *)p));
		else if (rows[i].kind == TEXT_36 && *p)
			add_field(out, i, p, strlen(p));
		for (size_t k = 0; rows[i].kind == LIST && k < list->n; k++)
			add_field(out, i, list->v[k], strlen(list->v[k]));
	}
}

static char *copy_of(const char *s, size_t n)
{
	char *copy = xcalloc(1, n + 1);

	memcpy(copy, s, n);
	return copy;
}

static bool unpack_row(struct state *st, const struct row *r, const char *value, size_t n)
{
	char *p = (char *)st + r->at;

	switch ((enum kind)r->kind) {
	case TEXT:
		free(*(char **)p);
		*(char **)p = copy_of(value, n);
		return true;
	case TEXT_36:
		if (n >= sizeof(st->boot_id))
			return false;
		memcpy(p, value, n);
		return true;
	case LIST:
		strv_take((struct strv *)p, copy_of(value, n));
		return true;
	case BOOL:
		if (n != size_of[BOOL])
			return false;
		*(bool *)p = *value != 0;
		return true;
	case STATUS:
	case TIME:
	case PID:
	case UINT64:
	case INT:
		if (n != size_of[r->kind])
			return false;
		memcpy(p, value, n);
		return true;
	default:
		return false;
	}
}

bool card_unpack(const char *bytes, size_t n, struct state *out)
{
	const char *end = bytes + n;
	auto_state struct state st = {0};
	struct field f;

	for (; bytes < end; bytes += f.len) {
		if ((size_t)(end - bytes) < sizeof(f))
			return false;
		memcpy(&f, bytes, sizeof(f));
		bytes += sizeof(f);
		if (f.row >= ARRAY_LEN(rows) || f.len > (size_t)(end - bytes) ||
			!unpack_row(&st, &rows[f.row], bytes, f.len))
			return false;
	}
	if ((unsigned)st.status >= STATUSES)
		return false;
	*out = st;
	st = (struct state){0};
	return true;
}

uint64_t card_form(void)
{
	uint64_t form = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		for (const char *c = rows[i].key; *c; c++)
			form = (form ^ (unsigned char)*c) * 0x100000001b3ULL;
		form = (form ^ rows[i].kind ^ (uint64_t)size_of[rows[i].kind] << 8) * 0x100000001b3ULL;
	}
	return form;
}

void state_done(struct state *st)
{
	free(st->name);
	free(st->image);
	free(st->image_id);
	free(st->command);
	free(st->host);
	free(st->error);
	free(st->network);
	free(st->health);
	free(st->ports);
	strv_done(&st->labels);
	json_decref(st->result);
	json_decref(st->extra);
	*st = (struct state){0};
}
