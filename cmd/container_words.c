/* SPDX-License-Identifier: Apache-2.0 */
/* container_words: makes a spec of the options of run, create and exec that need more than parsing: files, conflicts, defaults. */
#include "container_opts.h"

#include "mask.h"
#include "parse.h"
#include "propagate.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX ((size_t)16 << 20) /* of an --env-file */

static const char *from_environment(const char *name)
{
	return getenv(name);
}

static int read_text(const char *path, struct buf *out, struct err *e)
{
	/* Without O_NONBLOCK: `--env-file <(command)` is a pipe whose writer may be slow. */
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char chunk[16384];
	ssize_t n;

	if (fd < 0)
		return err_go(e, "open %s", path);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0) {
		if (out->len + (size_t)n > TEXT_MAX)
			return err_set(e, ERR_USAGE, "%s: larger than %zu bytes", path, TEXT_MAX);
		buf_add(out, chunk, (size_t)n);
	}
	return n < 0 ? err_go(e, "read %s", path) : 0;
}

static int file_lines(const struct strv *files, struct strv *out, struct err *e)
{
	for (size_t i = 0; i < files->n; i++) {
		auto_buf struct buf text = {0};

		if (read_text(files->v[i], &text, e) < 0)
			return str_starts(e->text, "read ")
			               ? err_ctx(e, "invalid env file (%s)", files->v[i])
			               : -1;
		if (parse_env_file(files->v[i], text.s ? text.s : "", text.len, out, e) < 0)
			return -1;
	}
	return 0;
}

/* Variables of the files come first, in the files' order, then those of -e; the last one wins. As docker's client does, -e
 * replaces only an earlier -e: a variable of a file stays in the list, and inspect shows both. Of exec, nothing is merged. */
static int env_words(const struct strv *files, const struct strv *words, bool merge,
	struct strv *out, struct err *e)
{
	auto_strv struct strv all = {0}, last = {0};

	if (file_lines(files, &all, e) < 0)
		return -1;
	parse_env_resolve(&all, from_environment, out);
	/* A name that has no value in our environment either is kept, as it removes the image's variable. */
	for (size_t i = 0; i < words->n; i++) {
		auto_strv struct strv word = {0}, resolved = {0};

		strv_add(&word, words->v[i]);
		parse_env_resolve(&word, from_environment, &resolved);
		strv_add(&last, resolved.n ? resolved.v[0] : words->v[i]);
	}
	if (merge)
		strv_env_settle(&last);
	for (size_t i = 0; i < last.n; i++)
		strv_add(out, last.v[i]);
	return 0;
}

/* --label NAME is an empty label; in a file, a line without "=" is ignored. */
static int label_words(struct run_args *a, struct err *e)
{
	auto_strv struct strv in_files = {0};

	if (file_lines(&a->label_file, &in_files, e) < 0)
		return -1;
	for (size_t i = 0; i < in_files.n; i++)
		if (strchr(in_files.v[i], '='))
			strv_add(&a->spec.labels, in_files.v[i]);
	for (size_t i = 0; i < a->label.n; i++) {
		auto_free char *kv =
			xasprintf("%s%s", a->label.v[i], strchr(a->label.v[i], '=') ? "" : "=");

		strv_add(&a->spec.labels, kv);
	}
	strv_env_settle(&a->spec.labels);
	return 0;
}

/* word: "/dev/fuse:/dev/fuse:rwm". A container has no more rights to a device than its user. */
static void warn_of_device(const char *word, struct strv *warnings)
{
	auto_free char *path = xstrndup(word, strcspn(word, ":"));
	const char *mode = strrchr(word, ':');
	int wants = (mode && strchr(mode, 'r') ? R_OK : 0) | (mode && strchr(mode, 'w') ? W_OK : 0);

	if (access(path, wants) < 0 && errno == EACCES)
		strv_addf(warnings,
			"WARNING: --device %s: this user may not open it, nor may the container", path);
}

/* CDI names ("vendor.com/class=name") become one request to the driver "cdi", after those of --gpus. */
static int device_words(struct run_args *a, struct err *e)
{
	auto_strv struct strv named = {0};

	for (size_t i = 0; i < a->device.n; i++) {
		char *word = NULL;

		if (parse_is_cdi(a->device.v[i])) {
			strv_add(&named, a->device.v[i]);
			continue;
		}
		if (parse_device(a->device.v[i], &word, e) < 0)
			return -1;
		warn_of_device(word, &a->warnings);
		strv_take(&a->spec.devices, word);
	}
	if (!named.n)
		return 0;
	if (!a->spec.device_requests)
		a->spec.device_requests = json_array();
	(void)json_array_append_new(a->spec.device_requests, /* memory */
		json_pack("{s:s, s:i, s:o, s:n, s:n}", "Driver", "cdi", "Count", 0, "DeviceIDs",
			json_from_strv(&named), "Capabilities", "Options"));
	return 0;
}

static bool has_before(const struct strv *a, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (str_eq(a->v[i], a->v[at]))
			return true;
	return false;
}

static int file_words(struct run_args *a, struct err *e)
{
	auto_free char *cwd = getcwd(NULL, 0);

	/* docker ignores a repeated -v */
	for (size_t i = 0; i < a->volume.n; i++)
		if (!has_before(&a->volume, i) && parse_volume(&a->spec, a->volume.v[i], cwd, e) < 0) {
			if (str_starts(e->text, "invalid volume specification"))
				e->kind = ERR_DENIED; /* docker's client leaves this check to its daemon */
			return -1;
		}
	for (size_t i = 0; i < a->tmpfs.n; i++)
		if (parse_tmpfs(&a->spec, a->tmpfs.v[i], e) < 0)
			return -1;
	if (device_words(a, e) < 0)
		return -1;
	/* The kernel lets a user namespace copy another one's mount only together with all mounts below it. */
	for (size_t i = 0; i < a->spec.n_mounts; i++)
		if (a->spec.mounts[i].non_recursive)
			strv_addf(&a->warnings,
				"WARNING: %s: what is mounted below the source is shown too",
				a->spec.mounts[i].why);
	for (size_t i = 0; i < a->spec.n_mounts; i++)
		if (propagate_warns(&a->spec.mounts[i]))
			strv_addf(&a->warnings,
				"WARNING: %s: %s is slave here, what is mounted inside is not seen outside",
				a->spec.mounts[i].why, a->spec.mounts[i].propagation);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct spec_ulimit *)a)->name, ((const struct spec_ulimit *)b)->name);
}

static int64_t none_if_zero(int64_t v)
{
	return v == 0 ? SPEC_UNSET : v;
}

static int health_words(struct run_args *a, struct err *e)
{
	struct spec_health *h = &a->spec.health;
	const struct {
		const char *name;
		int64_t v;
	} numbers[] = {{"interval", h->interval_ns}, {"timeout", h->timeout_ns}, {"retries", h->retries},
		{"start-period", h->start_period_ns}, {"start-interval", h->start_interval_ns}};
	bool any = a->health_cmd && *a->health_cmd;

	h->interval_ns = none_if_zero(h->interval_ns);
	h->timeout_ns = none_if_zero(h->timeout_ns);
	h->start_period_ns = none_if_zero(h->start_period_ns);
	h->start_interval_ns = none_if_zero(h->start_interval_ns);
	h->retries = none_if_zero(h->retries);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		any |= numbers[i].v != SPEC_UNSET && numbers[i].v != 0;
	if (a->no_healthcheck && any)
		return err_set(e, ERR_USAGE, "--no-healthcheck conflicts with --health-* options");
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (numbers[i].v != SPEC_UNSET && numbers[i].v < 0)
			return err_set(e, ERR_USAGE, "--health-%s cannot be negative", numbers[i].name);
	if (a->no_healthcheck) {
		strv_add(&h->test, "NONE");
	} else if (a->health_cmd && *a->health_cmd) {
		strv_add(&h->test, "CMD-SHELL");
		strv_add(&h->test, a->health_cmd);
	}
	return 0;
}

static int life_words(struct run_args *a, struct err *e)
{
	struct spec *s = &a->spec;

	if (a->restart && !*a->restart)
		s->restart = xstrdup("");
	else if (a->restart && parse_restart(a->restart, &s->restart, &s->restart_max, e) < 0)
		return -1;
	if (str_eq(s->log_driver, "none") && s->log_opts.n)
		return err_set(e, ERR_USAGE, "invalid logging opts for driver none");
	strv_env_settle(&s->log_opts); /* docker has them in a map: only the last one of a name is checked */
	return 0;
}

static int rm_words(const struct spec *s, struct err *e)
{
	if (s->auto_remove && s->restart && *s->restart && !str_eq(s->restart, "no"))
		return err_set(e, ERR_USAGE,
			"conflicting options: cannot specify both --restart and --rm");
	return 0;
}

static int pull_word(const char *word, struct err *e)
{
	if (!*word || str_eq(word, "missing") || str_eq(word, "always") || str_eq(word, "never"))
		return 0;
	return err_set(e, ERR_USAGE,
		"invalid pull option: '%s': must be one of \"always\", \"missing\" or \"never\"", word);
}

static int swappiness_word(int64_t *v, struct err *e)
{
	if (*v != SPEC_UNSET && (*v < -1 || *v > 100))
		return err_set(e, ERR_USAGE,
			"invalid value: %lld. Valid memory swappiness range is 0-100", (long long)*v);
	if (*v == -1)
		*v = SPEC_UNSET;
	return 0;
}

static int no_json(const char *path, const char *text, const json_error_t *why, struct err *e)
{
	auto_free char *words = json_fault(text, strlen(text), why);

	return err_set(e, ERR_USAGE, "compacting json for seccomp profile (%s) failed: %s", path, words);
}

/* Removes the blanks outside of strings from valid JSON, as Go's json.Compact(). */
static void compact(struct buf *json)
{
	size_t n = 0;
	bool quoted = false;

	for (size_t i = 0; i < json->len; i++) {
		if (!quoted && strchr(" \t\r\n", json->s[i]))
			continue;
		if (json->s[i] == '"')
			quoted = !quoted;
		json->s[n++] = json->s[i];
		if (quoted && json->s[i] == '\\')
			json->s[n++] = json->s[++i]; /* valid JSON does not end in a backslash */
	}
	json->s[n] = '\0';
}

/* Replaces the path of a profile by its content, as docker's client does: the path is the caller's, and later changes of the file
 * have no effect. */
static int seccomp_word(char **word, struct err *e)
{
	const char *path = *word + strlen("seccomp=");
	auto_buf struct buf text = {0};
	auto_json json_t *profile = NULL;
	json_error_t why;

	if (read_text(path, &text, e) < 0)
		return err_ctx(e, "opening seccomp profile (%s) failed", path);
	profile = json_loadb(
		text.s ? text.s : "", text.len, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, &why);
	if (!profile)
		return no_json(path, text.len ? text.s : "", &why, e);
	compact(&text);
	free(*word);
	*word = xasprintf("seccomp=%s", text.s);
	return 0;
}

static int by_word(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Like docker's client: in capitals, with CAP_, sorted, without repetitions. Unknown names are left to spec_complete(). */
static void normal_caps(struct strv *caps)
{
	struct strv out = {0};

	for (size_t i = 0; i < caps->n; i++) {
		auto_free char *word = xstrdup(caps->v[i]);

		for (char *c = word; *c; c++)
			*c = (char)toupper((unsigned char)*c);
		strv_addf(&out, "%s%s",
			str_eq(word, "ALL") || str_starts(word, "CAP_") ? "" : "CAP_", word);
	}
	if (out.n)
		qsort(out.v, out.n, sizeof(*out.v), by_word);
	strv_done(caps);
	for (size_t i = 0; i < out.n; i++)
		if (i == 0 || !str_eq(out.v[i], out.v[i - 1]))
			strv_add(caps, out.v[i]);
	strv_done(&out);
}

/* Whether a --security-opt has the value that all need but one. What comes before it is checked by docker's daemon. */
static bool is_complete(const char *word)
{
	const char *equals = strchr(word, '='), *sep = equals ? equals : strchr(word, ':');
	size_t n = sep ? (size_t)(sep - word) : strlen(word);

	return (sep && sep[1]) ||
	       (str_starts(word, "no-new-privileges") && n == strlen("no-new-privileges"));
}

static int rights_words(struct run_args *a, struct err *e)
{
	struct spec *s = &a->spec;

	normal_caps(&s->cap_add);
	normal_caps(&s->cap_drop);
	for (size_t i = 0; i < s->security_opt.n; i++) {
		char **word = &s->security_opt.v[i];
		const char *profile;

		if (!is_complete(*word))
			return err_set(e, ERR_USAGE, "Invalid --security-opt: %s", QUOTED(*word));
		/* "seccomp:VALUE" is docker's old spelling, as long as the new one */
		if (!str_starts(*word, "seccomp") || !strchr("=:", (*word)[strlen("seccomp")]))
			continue;
		profile = *word + strlen("seccomp=");
		if (!str_eq(profile, "unconfined") && !str_eq(profile, "builtin") &&
			seccomp_word(word, e) < 0)
			return -1;
	}
	for (size_t i = 0; i < s->storage_opt.n; i++)
		if (!strchr(s->storage_opt.v[i], '='))
			return err_set(e, ERR_USAGE, "invalid storage option");
	return 0;
}

static int mode_words(const struct spec *s, struct err *e)
{
	if ((s->pid_mode && parse_pid_mode(s->pid_mode, e) < 0) ||
		(s->uts_mode && parse_uts_mode(s->uts_mode, e) < 0) ||
		(s->userns_mode && parse_userns_mode(s->userns_mode, e) < 0) ||
		(s->cgroupns_mode && parse_cgroupns_mode(s->cgroupns_mode, e) < 0))
		return -1;
	return 0;
}

static bool has(const struct strv *a, const char *word)
{
	for (size_t i = 0; i < a->n; i++)
		if (str_eq(a->v[i], word))
			return true;
	return false;
}

static int stream_words(struct run_args *a, bool run, struct err *e)
{
	struct spec *s = &a->spec;
	bool all = a->attach.n == 0;

	if (run && a->detach && !all)
		return err_set(e, ERR_CONFLICT,
			"conflicting options: cannot specify both --attach and --detach");
	if (!(run && a->detach)) {
		/* -i attaches stdin even if -a names other streams only */
		s->attach_stdin = s->stdin_open || has(&a->attach, "stdin");
		s->attach_stdout = all || has(&a->attach, "stdout");
		s->attach_stderr = all || has(&a->attach, "stderr");
	}
	s->stdin_once = s->stdin_open && s->attach_stdin;
	if (s->n_ulimits) /* docker's client sends them sorted */
		qsort(s->ulimits, s->n_ulimits, sizeof(*s->ulimits), by_name);
	return 0;
}

static int check_result(const char *result, bool detach, struct err *e)
{
	if (result && detach)
		return err_set(e, ERR_USAGE,
			"conflicting options: nobody who is detached sees the end that --result tells");
	return result_check(result, e);
}

static void command_words(struct run_args *a, int argc, char *const *argv)
{
	struct spec *s = &a->spec;
	/* an empty value of these is the same as none */
	char **words[] = {&s->runtime, &s->name, &s->stop_signal, &s->mac_address, &s->cidfile,
		&s->isolation, &s->volume_driver};

	free(s->image);
	s->image = xstrdup(argv[0]);
	for (int i = 1; i < argc; i++)
		strv_add(&s->cmd, argv[i]);
	if (a->entrypoint)
		strv_add(&s->entrypoint, a->entrypoint);
	if (!s->platform && getenv("DOCKER_DEFAULT_PLATFORM"))
		s->platform = xstrdup(getenv("DOCKER_DEFAULT_PLATFORM"));
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (*words[i] && !**words[i]) {
			free(*words[i]);
			*words[i] = NULL;
		}
	}
}

/* The lists that docker's client sends also when they are empty; inspect shows them as they were sent. */
static void empty_lists(struct spec *s)
{
	struct strv *const lists[] = {&s->dns, &s->dns_options, &s->dns_search, &s->devices, &s->ports};
	json_t **const objects[] = {
		&s->weight_devices, &s->read_bps, &s->write_bps, &s->read_iops, &s->write_iops};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		lists[i]->set = true;
	for (size_t i = 0; i < ARRAY_LEN(objects); i++)
		if (!*objects[i])
			*objects[i] = json_array();
	s->ulimits_set = true;
}

int run_args_finish(struct run_args *a, int argc, char *const *argv, bool run, struct err *e)
{
	assert(argc > 0);
	command_words(a, argc, argv);
	/* in the order of docker's client, so that the same one of several errors is reported */
	if (pull_word(a->pull, e) < 0 || stream_words(a, run, e) < 0 ||
		swappiness_word(&a->spec.memory_swappiness, e) < 0 || file_words(a, e) < 0 ||
		port_words(a, e) < 0 || env_words(&a->env_file, &a->env, true, &a->spec.env, e) < 0 ||
		label_words(a, e) < 0 || mode_words(&a->spec, e) < 0 || life_words(a, e) < 0 ||
		rights_words(a, e) < 0 || health_words(a, e) < 0 || rm_words(&a->spec, e) < 0 ||
		network_words(a, e) < 0)
		return -1;
	empty_lists(&a->spec);
	if (a->denied) /* an error of docker's daemon: after all of the client's */
		return err_set(e, ERR_DENIED, "%s", a->denied);
	return check_result(a->result, run && a->detach, e);
}

void run_args_init(void *target)
{
	struct run_args *a = target;

	spec_init(&a->spec);
	a->sig_proxy = true;
	a->pull = xstrdup("missing");
}

void run_args_done(void *target)
{
	struct run_args *a = target;
	struct strv *lists[] = {&a->attach, &a->env, &a->env_file, &a->label, &a->label_file,
		&a->volume, &a->tmpfs, &a->publish, &a->expose, &a->network, &a->network_alias,
		&a->link, &a->link_local, &a->device, &a->warnings};

	spec_done(&a->spec);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		strv_done(lists[i]);
	free(a->detach_keys);
	free(a->pull);
	free(a->result);
	free(a->health_cmd);
	free(a->restart);
	free(a->entrypoint);
	free(a->ip);
	free(a->ip6);
	free(a->denied);
}

int exec_args_finish(struct exec_args *a, int argc, char *const *argv, struct err *e)
{
	struct spec *s = &a->spec;

	for (int i = 0; i < argc; i++)
		strv_add(&s->cmd, argv[i]);
	if (!a->detach) {
		s->attach_stdin = s->stdin_open;
		s->attach_stdout = s->attach_stderr = true;
	}
	s->stdin_once = s->stdin_open && s->attach_stdin;
	if (env_words(&a->env_file, &a->env, false, &s->env, e) < 0)
		return -1;
	return check_result(a->result, a->detach, e);
}

void exec_args_init(void *target)
{
	struct exec_args *a = target;

	spec_init(&a->spec);
}

void exec_args_done(void *target)
{
	struct exec_args *a = target;

	spec_done(&a->spec);
	free(a->detach_keys);
	free(a->result);
	strv_done(&a->env);
	strv_done(&a->env_file);
}

/* N of "fd:N"; -1: a file; -2: N is no number. */
static int result_fd(const char *result)
{
	const char *digits = result + strlen("fd:");

	if (!str_starts(result, "fd:"))
		return -1;
	if (!*digits || strlen(digits) > 6 || strspn(digits, "0123456789") != strlen(digits))
		return -2;
	return atoi(digits);
}

int result_check(const char *result, struct err *e)
{
	int fd;

	if (!result)
		return 0;
	fd = result_fd(result);
	if (!*result || fd == -2)
		return err_set(e, ERR_USAGE, "--result %s: must be a file or fd:N", result);
	if (fd >= 0 && fcntl(fd, F_GETFD) < 0)
		return err_sys(e, "--result %s", result);
	return 0;
}

int result_open(const char *result, struct err *e)
{
	int n = result_fd(result);
	int fd = n >= 0 ? fcntl(n, F_DUPFD_CLOEXEC, 3)
	                : mask_open(result, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);

	return fd < 0 ? err_sys(e, "--result %s", result) : fd;
}
