/* SPDX-License-Identifier: Apache-2.0 */
#include "eval_request.h"

#include "base64.h"
#include "parse.h"

#include <ctype.h>
#include <string.h>

#define TIMEOUT_MAX_S 86400.0

void eval_request_init(struct eval_request *r)
{
	*r = (struct eval_request){
		.timeout_ns = EVAL_TIMEOUT_NS, .memory = EVAL_MEMORY, .max_output = EVAL_OUTPUT};
}

void eval_request_done(struct eval_request *r)
{
	json_decref(r->id);
	free(r->code);
	free(r->input);
	free(r->state);
	json_decref(r->vars);
	for (size_t i = 0; i < r->n_files; i++) {
		free(r->files[i].name);
		free(r->files[i].data);
	}
	free(r->files);
	strv_done(&r->collect);
	strv_done(&r->allow_import);
	strv_done(&r->deny_import);
	strv_done(&r->return_vars);
	eval_request_init(r);
}

/* ---- names ---------------------------------------------------------------------------- */

int eval_file_check(const char *name, struct err *e)
{
	bool fine = *name && *name != '/' && strlen(name) < 1024 && !str_ends(name, "/");

	for (const char *at = name; fine && *at;) {
		size_t n = strcspn(at, "/");

		fine = n > 0 && n < 256 && !(n == 1 && at[0] == '.') &&
		       !(n == 2 && at[0] == '.' && at[1] == '.');
		at += n + (at[n] == '/');
	}
	if (!fine)
		return err_set(e, ERR_USAGE,
			"file \"%.100s\": want a relative path without . and .. in it", name);
	if (strncmp(name, "main.py", 7) == 0 && (!name[7] || name[7] == '/'))
		return err_set(e, ERR_USAGE, "file \"main.py\": this is what the code itself is called");
	return 0;
}

int eval_var_check(const char *name, struct err *e)
{
	bool fine = *name && !isdigit((unsigned char)*name);

	for (const char *c = name; fine && *c; c++)
		fine = isalnum((unsigned char)*c) || *c == '_' || (unsigned char)*c >= 0x80;
	return fine ? 0 : err_set(e, ERR_USAGE, "variable \"%.100s\": not a name that python knows", name);
}

/* Replaces the file of that name among the first `among`, or adds one. */
static void put_file(struct eval_request *r, size_t among, const char *name, const void *data, size_t n)
{
	size_t i = 0;

	while (i < among && strcmp(r->files[i].name, name) != 0)
		i++;
	if (i == among)
		i = r->n_files;
	if (i == r->n_files) {
		r->files = xrealloc(r->files, ++r->n_files, sizeof(*r->files));
		r->files[i] = (struct eval_file){.name = xstrdup(name)};
	}
	free(r->files[i].data);
	r->files[i].data = xcalloc(n + 1, 1);
	if (n)
		memcpy(r->files[i].data, data, n);
	r->files[i].size = n;
}

void eval_file_add(struct eval_request *r, const char *name, const void *data, size_t n)
{
	put_file(r, r->n_files, name, data, n);
}

/* ---- fields --------------------------------------------------------------------------- */

static int expected(const char *field, const char *what, struct err *e)
{
	return err_set(e, ERR_USAGE, "field \"%s\": want %s", field, what);
}

static char *copy_text(const json_t *v, size_t *n)
{
	char *s;

	*n = json_string_length(v);
	s = xcalloc(*n + 1, 1);
	if (*n)
		memcpy(s, json_string_value(v), *n);
	return s;
}

/* Zero bytes inside would make it a different word wherever it is used as a C string. */
static bool is_word(const json_t *v)
{
	return json_is_string(v) && strlen(json_string_value(v)) == json_string_length(v);
}

static int read_code(struct eval_request *r, const json_t *v, struct err *e)
{
	if (!json_is_string(v))
		return expected("code", "a string", e);
	free(r->code);
	r->code = copy_text(v, &r->code_len);
	r->code_bytes = false;
	/* A byte order mark, which python ignores in a file, but not in a string. */
	if (str_starts(r->code, "\xef\xbb\xbf")) {
		r->code_len -= 3;
		memmove(r->code, r->code + 3, r->code_len + 1);
	}
	return 0;
}

static int read_stdin(struct eval_request *r, const json_t *v, struct err *e)
{
	if (!json_is_string(v))
		return expected("stdin", "a string", e);
	free(r->input);
	r->input = copy_text(v, &r->input_len);
	return 0;
}

static int read_timeout(struct eval_request *r, const json_t *v, struct err *e)
{
	double s = json_number_value(v);
	int64_t ns;

	if (json_is_number(v)) {
		if (!(s > 0 && s <= TIMEOUT_MAX_S))
			return expected("timeout", "more than 0 and at most 86400 seconds", e);
		r->timeout_ns = s < 1e-6 ? 1000 : (int64_t)(s * 1e9);
		return 0;
	}
	if (!is_word(v) || parse_duration(json_string_value(v), true, &ns, e) < 0)
		return expected("timeout", "seconds, or a duration like \"500ms\"", e);
	if (ns <= 0 || (double)ns > TIMEOUT_MAX_S * 1e9)
		return expected("timeout", "more than 0 and at most 86400 seconds", e);
	r->timeout_ns = ns;
	return 0;
}

static int read_bytes(const char *field, const json_t *v, int64_t *out, struct err *e)
{
	int64_t n = json_integer_value(v);

	if (!json_is_integer(v) && (!is_word(v) || parse_bytes(json_string_value(v), &n, e) < 0))
		return expected(field, "a number of bytes, or a size like \"256m\"", e);
	if (n < 0)
		return expected(field, "a size that is not negative", e);
	*out = n;
	return 0;
}

static int read_memory(struct eval_request *r, const json_t *v, struct err *e)
{
	if (read_bytes("memory", v, &r->memory, e) < 0)
		return -1;
	return r->memory > 0 ? 0 : expected("memory", "more than 0", e);
}

static int read_max_output(struct eval_request *r, const json_t *v, struct err *e)
{
	return read_bytes("max_output", v, &r->max_output, e);
}

#define VARS_DEEP 500 /* python's own reader allows 2,000, but our stack is limited */

static bool too_deep(const json_t *v, int left)
{
	const char *name;
	json_t *each;
	size_t i;

	if (left == 0)
		return true;
	if (json_is_object(v))
		json_object_foreach((json_t *)v, name, each) if (too_deep(each, left - 1)) return true;
	if (json_is_array(v))
		json_array_foreach(v, i, each) if (too_deep(each, left - 1)) return true;
	return false;
}

static int read_vars(struct eval_request *r, const json_t *v, struct err *e)
{
	const char *name;
	json_t *each;

	if (!json_is_object(v))
		return expected("vars", "an object", e);
	if (too_deep(v, VARS_DEEP))
		return expected("vars", "an object that is not so deep", e);
	json_object_foreach((json_t *)v, name, each) if (eval_var_check(name, e) < 0) return -1;
	if (!r->vars)
		r->vars = json_object();
	/* The default's object is shared by all requests; r->vars is our own copy. */
	(void)json_object_update(r->vars, (json_t *)v); /* only memory can fail here */
	return 0;
}

static int read_file(
	struct eval_request *r, size_t inherited, const char *name, const json_t *v, struct err *e)
{
	const json_t *coded = json_object_get(v, "base64");
	auto_buf struct buf data = {0};

	if (eval_file_check(name, e) < 0)
		return -1;
	if (json_is_string(v)) {
		put_file(r, inherited, name, json_string_value(v), json_string_length(v));
		return 0;
	}
	if (!json_is_string(coded) || json_object_size(v) != 1 ||
		!base64_read(&data, json_string_value(coded), json_string_length(coded)))
		return err_set(e, ERR_USAGE,
			"file \"%.100s\": want a string or {\"base64\": \"...\"}", name);
	put_file(r, inherited, name, data.s, data.len);
	return 0;
}

/* JSON objects have unique names, so that thousands of files need not be compared with each other. */
static int read_files(struct eval_request *r, const json_t *v, struct err *e)
{
	const size_t inherited = r->n_files;
	const char *name;
	json_t *each;

	if (!json_is_object(v))
		return expected("files", "an object", e);
	json_object_foreach(
		(json_t *)v, name, each) if (read_file(r, inherited, name, each, e) < 0) return -1;
	return 0;
}

static int read_words(const char *field, const json_t *v, struct strv *out, struct err *e)
{
	size_t i;
	json_t *each;

	if (!json_is_array(v))
		return expected(field, "an array of strings", e);
	json_array_foreach(v, i, each) if (!is_word(each) || !*json_string_value(each)) return expected(
		field, "an array of strings, none of them empty", e);
	strv_done(out);
	json_strv(v, out);
	return 0;
}

static int read_collect(struct eval_request *r, const json_t *v, struct err *e)
{
	return read_words("collect", v, &r->collect, e);
}

static int read_allow(struct eval_request *r, const json_t *v, struct err *e)
{
	return read_words("allow_import", v, &r->allow_import, e);
}

static int read_deny(struct eval_request *r, const json_t *v, struct err *e)
{
	return read_words("deny_import", v, &r->deny_import, e);
}

static int read_return_vars(struct eval_request *r, const json_t *v, struct err *e)
{
	if (json_is_boolean(v)) {
		r->return_all = json_is_true(v);
		strv_done(&r->return_vars); /* of the defaults */
		return 0;
	}
	r->return_all = false;
	return read_words("return_vars", v, &r->return_vars, e);
}

static int read_figures(struct eval_request *r, const json_t *v, struct err *e)
{
	r->figures = json_is_true(v);
	return json_is_boolean(v) ? 0 : expected("figures", "true or false", e);
}

static int read_redact(struct eval_request *r, const json_t *v, struct err *e)
{
	r->redact = json_is_true(v);
	return json_is_boolean(v) ? 0 : expected("redact", "true or false", e);
}

static int read_seed(struct eval_request *r, const json_t *v, struct err *e)
{
	r->seeded = true;
	r->seed = json_integer_value(v);
	return json_is_integer(v) ? 0 : expected("seed", "an integer", e);
}

static int read_state(struct eval_request *r, const json_t *v, struct err *e)
{
	struct buf data = {0};

	r->keep_state = !json_is_false(v);
	if (json_is_boolean(v))
		return 0;
	if (!json_is_string(v) || !base64_read(&data, json_string_value(v), json_string_length(v))) {
		buf_done(&data);
		return expected("state", "true, or what an answer had as its state", e);
	}
	free(r->state);
	r->state_len = data.len;
	r->state = data.s;
	return 0;
}

static int read_id(struct eval_request *r, const json_t *v, struct err *e)
{
	(void)e;
	json_decref(r->id);
	r->id = json_incref((json_t *)v);
	return 0;
}

static const struct {
	const char *name;
	int (*read)(struct eval_request *r, const json_t *v, struct err *e);
} fields[] = {
	{"id", read_id}, /* first: an answer that refuses the rest names it */
	{"code", read_code},
	{"stdin", read_stdin},
	{"timeout", read_timeout},
	{"memory", read_memory},
	{"vars", read_vars},
	{"files", read_files},
	{"collect", read_collect},
	{"figures", read_figures},
	{"redact", read_redact},
	{"max_output", read_max_output},
	{"allow_import", read_allow},
	{"deny_import", read_deny},
	{"return_vars", read_return_vars},
	{"seed", read_seed},
	{"state", read_state},
};

static int check_known(const json_t *j, struct err *e)
{
	const char *name;
	json_t *each;

	json_object_foreach((json_t *)j, name, each)
	{
		size_t i = 0;

		while (i < ARRAY_LEN(fields) && strcmp(fields[i].name, name) != 0)
			i++;
		if (i == ARRAY_LEN(fields))
			return err_set(e, ERR_USAGE, "unknown field \"%.100s\"", name);
	}
	return 0;
}

static void inherit(struct eval_request *r, const struct eval_request *from)
{
	eval_request_init(r);
	r->timeout_ns = from->timeout_ns;
	r->memory = from->memory;
	r->max_output = from->max_output;
	r->figures = from->figures;
	r->redact = from->redact;
	r->return_all = from->return_all;
	r->seeded = from->seeded;
	r->seed = from->seed;
	r->vars = from->vars ? json_copy(from->vars) : NULL;
	if (from->input) {
		r->input = xcalloc(from->input_len + 1, 1);
		memcpy(r->input, from->input, from->input_len);
		r->input_len = from->input_len;
	}
	for (size_t i = 0; i < from->n_files; i++)
		put_file(r, 0, from->files[i].name, from->files[i].data, from->files[i].size);
	strv_copy(&r->collect, &from->collect);
	strv_copy(&r->allow_import, &from->allow_import);
	strv_copy(&r->deny_import, &from->deny_import);
	strv_copy(&r->return_vars, &from->return_vars);
	r->allow_import.set = from->allow_import.set;
	r->deny_import.set = from->deny_import.set;
}

int eval_request_from_json(
	struct eval_request *r, const struct eval_request *defaults, const json_t *j, struct err *e)
{
	inherit(r, defaults);
	if (!json_is_object(j))
		return err_set(e, ERR_USAGE, "a request is a JSON object");
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		const json_t *v = json_object_get(j, fields[i].name);

		if (v && !json_is_null(v) && fields[i].read(r, v, e) < 0)
			return -1;
	}
	if (check_known(j, e) < 0)
		return -1;
	if (!r->code)
		return err_set(e, ERR_USAGE, "field \"code\" is missing");
	return 0;
}

int eval_request_read(struct eval_request *r, const struct eval_request *defaults, const char *line,
	size_t n, struct err *e)
{
	auto_json json_t *j = NULL;
	json_error_t why;

	eval_request_init(r);
	if (n > EVAL_REQUEST_MAX)
		return err_set(e, ERR_USAGE, "a request of more than %lu bytes", EVAL_REQUEST_MAX);
	j = json_loadb(line, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
	if (!j)
		return err_set(e, ERR_USAGE, "not JSON: %s (at byte %d)", why.text, why.position);
	return eval_request_from_json(r, defaults, j, e);
}
