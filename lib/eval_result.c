/* SPDX-License-Identifier: Apache-2.0 */
#include "eval_result.h"

#include "base64.h"

#include <string.h>

static void blobs_done(struct eval_blob *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(b[i].name);
		free(b[i].data);
	}
	free(b);
}

void eval_result_done(struct eval_result *r)
{
	buf_done(&r->text[0]);
	buf_done(&r->text[1]);
	free(r->error_type);
	free(r->error_message);
	free(r->traceback);
	free(r->no_exec);
	blobs_done(r->figures, r->n_figures);
	blobs_done(r->files, r->n_files);
	json_decref(r->vars);
	free(r->state);
	*r = (struct eval_result){0};
}

/* Success means that the code ran to its end: os._exit(0) in the middle, or exec of another program, is not a success,
 * whatever its exit code. */
bool eval_result_success(const struct eval_result *r)
{
	return r->finished && !r->error_type && r->exit_code == 0 && !r->signal &&
	       strcmp(r->reason, "exited") == 0;
}

static bool memory_exceeded(const struct eval_result *r)
{
	return r->memory_error || strcmp(r->reason, "oom") == 0;
}

static void set_error(struct eval_result *r, const char *type, const char *message)
{
	free(r->error_type);
	free(r->error_message);
	r->error_type = xstrdup(type);
	r->error_message = xstrdup(message);
}

void eval_result_refuse(struct eval_result *r, const char *type, const struct err *e)
{
	set_error(r, type, e->text);
	r->exit_code = err_exit_status(e, 125);
	(void)snprintf(r->reason, sizeof(r->reason), "setup-error"); /* fits */
}

void eval_result_add(struct eval_result *r, const char *name, const char *data, size_t n)
{
	struct eval_blob **to = name ? &r->files : &r->figures;
	size_t *count = name ? &r->n_files : &r->n_figures;
	struct eval_blob *b;

	*to = xrealloc(*to, *count + 1, sizeof(**to));
	b = &(*to)[(*count)++];
	*b = (struct eval_blob){
		.name = name ? xstrdup(name) : NULL, .data = xcalloc(n + 1, 1), .size = n};
	if (n)
		memcpy(b->data, data, n);
}

/* ---- JSON ----------------------------------------------------------------------------- */

/* What is not UTF-8 becomes U+FFFD. (Only memory can fail, here and below, and then the process has ended.) */
static json_t *text_of(const char *s, size_t n)
{
	json_t *text = json_stringn(s ? s : "", s ? n : 0);
	auto_buf struct buf mended = {0};

	if (text)
		return text;
	/* Zero bytes are valid in JSON strings, but would end the result of json_utf8(). */
	for (size_t at = 0; at < n;) {
		const char *zero = memchr(s + at, 0, n - at);
		size_t len = zero ? (size_t)(zero - s) - at : n - at;
		auto_free char *part = json_utf8(s + at, len);

		buf_puts(&mended, part);
		if (zero)
			buf_putc(&mended, '\0');
		at += len + (zero != NULL);
	}
	return json_stringn(mended.s, mended.len);
}

static json_t *coded(const char *data, size_t n)
{
	auto_buf struct buf text = {0};

	base64_add(&text, data, n);
	return json_stringn(text.s ? text.s : "", text.len);
}

static json_t *error_json(const struct eval_result *r)
{
	json_t *e;

	if (!r->error_type)
		return json_null();
	e = json_object();
	json_set(e, "type", json_text(r->error_type));
	json_set(e, "message", json_text(r->error_message ? r->error_message : ""));
	json_set(e, "line", r->line > 0 ? json_integer(r->line) : json_null());
	json_set(e, "traceback", r->traceback ? json_text(r->traceback) : json_null());
	return e;
}

static json_t *figures_json(const struct eval_result *r)
{
	json_t *all = json_array();

	for (size_t i = 0; i < r->n_figures; i++)
		(void)json_array_append_new(all, coded(r->figures[i].data, r->figures[i].size)); /* as above */
	return all;
}

/* Text where it is text, else base64. */
static json_t *files_json(const struct eval_result *r)
{
	json_t *all = json_object();

	for (size_t i = 0; i < r->n_files; i++) {
		const struct eval_blob *b = &r->files[i];
		auto_free char *name = json_utf8(b->name, strlen(b->name));
		json_t *v = json_stringn(b->data, b->size);

		if (!v) {
			v = json_object();
			json_set(v, "base64", coded(b->data, b->size));
		}
		json_set(all, name, v);
	}
	return all;
}

static json_t *truncated_json(const struct eval_result *r)
{
	json_t *t = json_object();

	json_set(t, "stdout", json_boolean(r->truncated[0]));
	json_set(t, "stderr", json_boolean(r->truncated[1]));
	if (r->incomplete)
		json_set(t, "rest", json_true());
	return t;
}

static json_t *all_but_times(const struct eval_result *r, const json_t *id)
{
	json_t *j = json_object();

	json_set(j, "id", id ? json_incref((json_t *)id) : json_null());
	json_set(j, "success", json_boolean(eval_result_success(r)));
	json_set(j, "stdout", text_of(r->text[0].s, r->text[0].len));
	json_set(j, "stderr", text_of(r->text[1].s, r->text[1].len));
	json_set(j, "error", error_json(r));
	json_set(j, "exit_code", json_integer(r->exit_code));
	json_set(j, "signal", r->signal ? json_integer(r->signal) : json_null());
	json_set(j, "reason", json_string(r->reason));
	json_set(j, "timeout", json_boolean(strcmp(r->reason, "timeout") == 0));
	json_set(j, "memory_exceeded", json_boolean(memory_exceeded(r)));
	json_set(j, "truncated", truncated_json(r));
	json_set(j, "peak_memory", json_integer(r->peak_memory));
	json_set(j, "figures", figures_json(r));
	json_set(j, "vars", r->vars ? json_incref(r->vars) : json_object());
	json_set(j, "files", files_json(r));
	if (r->state)
		json_set(j, "state", coded(r->state, r->state_len));
	json_set(j, "container", *r->container ? json_string(r->container) : json_null());
	return j;
}

/* Jansson prints reals with 17 digits, which variables need, but which times do not have. */
void eval_result_line(const struct eval_result *r, const json_t *id, struct buf *out)
{
	auto_json json_t *j = all_but_times(r, id);
	auto_free char *line = json_dumps(j, JSON_COMPACT);

	if (!line)
		return; /* memory alone */
	buf_add(out, line, strlen(line) - 1);
	buf_printf(out, ",\"wall\":%.6f,\"user\":%.6f,\"system\":%.6f}\n", r->wall, r->user, r->system);
}

/* ---- the cut -------------------------------------------------------------------------- */

bool eval_cut(struct buf *text, size_t max, uint64_t seen)
{
	size_t at = max;

	if (seen <= max)
		return false;
	if (text->len > max) {
		while (at > 0 && max - at < 4 && ((unsigned char)text->s[at] & 0xc0) == 0x80)
			at--;
		text->len = at;
	}
	buf_printf(text, "\n[cut here: %llu bytes more]\n",
		(unsigned long long)(seen > text->len ? seen - text->len : 0));
	return true;
}
