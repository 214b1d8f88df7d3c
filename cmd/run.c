/* SPDX-License-Identifier: Apache-2.0 */
/* run: create and start in one step; and create. */
#include "cmd.h"
#include "client_config.h"
#include "container_opts.h"

#include "enforce.h"
#include "engine.h"
#include "image.h"
#include "limit.h"
#include "log.h"
#include "mask.h"
#include "parse.h"
#include "pull.h"
#include "result.h"
#include "settings.h"
#include "sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What on_created() needs, and the id that it got. */
struct made {
	int cidfile; /* or -1 */
	const struct run_args *args;
	id_text id;
};

/* Reports an error of run_args_finish(): of docker's client, or (ERR_DENIED) of its daemon. Returns the exit status. */
static int refused(const char *command, const struct err *e)
{
	if (e->kind == ERR_CONFLICT && str_starts(e->text, "conflicting options: "))
		return say_error(e, 1);
	if (e->kind != ERR_DENIED) {
		say_client_error(command, e);
		return 125;
	}
	if (str_eq(command, "run")) {
		say_run_error(command, e);
		return 125;
	}
	say_daemon_error(e);
	return 1;
}

/* Docker's client derives its exit status from the daemon's message. */
static int run_status(const struct err *e)
{
	return strstr(e->text, "no such file or directory") ? 127 : err_exit_status(e, 125);
}

static int failed(const char *command, const struct err *e)
{
	say_run_error(command, e);
	return run_status(e);
}

/* Reports an error of docker's client after option parsing, whose framing differs from that of the daemon's errors. */
static int client_failed(const char *command, const struct err *e)
{
	if (!str_eq(command, "run"))
		return say_error(e, 1);
	say_client_error(command, e);
	return run_status(e);
}

static void args_init(void *target)
{
	run_args_init(target);
	((struct run_args *)target)->untrusted = client_untrusted();
}

/* ---- what run and create share -------------------------------------------------------- */

/* No registry is asked for an id. */
static bool is_whole_id(const char *image)
{
	return str_is_hex(str_starts(image, "sha256:") ? image + strlen("sha256:") : image, SHA256_HEX);
}

static bool is_path(const char *image)
{
	return *image == '/' || str_starts(image, "./") || str_starts(image, "../") ||
	       str_ends(image, ".sqsh");
}

/* Checks the syntax of the image's and the platform's name. Paths of files are no names in docker, so they are not checked. */
static int check_names(const struct run_args *a, struct err *e)
{
	auto_free char *os = NULL, *arch = NULL, *variant = NULL;
	auto_ref struct ref ref = {0};
	const char *image = a->spec.image, *platform = a->spec.platform;

	if (!*image)
		return err_set(e, ERR_USAGE, "invalid reference format");
	if (!is_path(image) && !is_whole_id(image) && ref_parse(image, &ref, e) < 0)
		return -1;
	if (platform && *platform && parse_platform(platform, &os, &arch, &variant, e) < 0)
		return err_ctx(e, "error parsing specified platform");
	return client_check_trust(a->untrusted, &ref, e);
}

/* An image that is not in the store would be pulled from its registry. */
static int find_image(const struct store *s, const struct run_args *a, struct err *e)
{
	auto_image struct image image = {0};
	auto_ref struct ref ref = {0};
	auto_free char *full = NULL;
	struct err no_ref;

	/* an image of another platform does not count: the registry may have the right one */
	if (image_find(s, a->spec.image, &image, e) == 0 &&
		spec_check_platform(a->spec.platform, a->spec.image, image.architecture, e) == 0)
		return 0;
	if (e->kind != ERR_NOT_FOUND || str_eq(a->pull, "never") || !*a->pull ||
		is_whole_id(a->spec.image) || ref_parse(a->spec.image, &ref, &no_ref) < 0)
		return -1;
	full = ref_familiar(a->spec.image, &no_ref);
	if (!a->quiet && !str_eq(a->pull, "always")) /* with "always" docker pulls without having looked */
		(void)fprintf(stderr, "Unable to find image '%s' locally\n", full);
	return pull_image(s, &ref, a->spec.platform, e);
}

/* Errors in docker's order: its client first asks for the container, and pulls the image only when the daemon says that it is
 * missing; but with --pull=always it pulls first. */
static int ask_first(const struct store *s, struct run_args *a, struct err *e)
{
	bool pulls = str_eq(a->pull, "always");

	if (pulls && find_image(s, a, e) < 0)
		return -1;
	return engine_check_asked(s, &a->spec, e) < 0 || (!pulls && find_image(s, a, e) < 0) ? -1 : 0;
}

/* Like docker, creates the file before the container. *fd: -1 without --cidfile. */
static int open_cidfile(const char *path, int *fd, struct err *e)
{
	*fd = -1;
	if (!path)
		return 0;
	*fd = mask_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (*fd >= 0)
		return 0;
	if (errno == EEXIST)
		return err_set(e, ERR_CONFLICT,
			"container ID file found, make sure the other container isn't running or delete %s",
			path);
	if (errno == ENOENT || errno == ENOTDIR)
		return err_set(e, ERR_NO_COMMAND, "failed to create the container ID file: open %s: %s",
			path, errno == ENOENT ? "no such file or directory" : "not a directory");
	return err_sys(e, "failed to create the container ID file: open %s", path);
}

static int write_cidfile(int fd, const char *id, struct err *e)
{
	if (fd >= 0 && write(fd, id, ID_LEN) != ID_LEN)
		return err_sys(e, "failed to write the container ID to the file");
	return 0;
}

/* Removes the file unless it holds a complete id. */
static void drop_cidfile(const struct run_args *a, int fd)
{
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_size < ID_LEN))
		(void)unlink(a->spec.cidfile);
}

/* Unlike docker's daemon, which is root, we cannot raise a limit above the caller's own hard limit. */
static void warn_of_ulimits(const struct spec *s)
{
	for (size_t i = 0; i < s->n_ulimits; i++) {
		struct rlimit now;
		int resource = ulimit_resource(s->ulimits[i].name);

		if (resource < 0 || getrlimit(resource, &now) < 0 || now.rlim_max == RLIM_INFINITY)
			continue;
		if (s->ulimits[i].hard < 0 || (rlim_t)s->ulimits[i].hard > now.rlim_max)
			(void)fprintf(stderr,
				"WARNING: --ulimit %s: this user's own hard limit %llu holds.\n",
				s->ulimits[i].name, (unsigned long long)now.rlim_max);
	}
}

static void say_warnings(const struct run_args *a)
{
	auto_strv struct strv words = {0};

	if (a->spec.image_warning)
		(void)fprintf(stderr, "WARNING: %s\n", a->spec.image_warning);
	for (size_t i = 0; i < a->warnings.n; i++)
		(void)fprintf(stderr, "%s\n", a->warnings.v[i]);
	warn_of_ulimits(&a->spec);
	if (log_warning(&a->spec))
		strv_add(&words, log_warning(&a->spec));
	enforce_warnings(&a->spec, &words);
	for (size_t i = 0; i < words.n; i++)
		(void)fprintf(stderr, "WARNING: %s\n", words.v[i]);
}

static int on_created(const char *id, void *arg, struct err *e)
{
	struct made *m = arg;

	say_warnings(m->args); /* only now: a refused container gets no warnings */
	if (write_cidfile(m->cidfile, id, e) < 0)
		return -1;
	memcpy(m->id, id, sizeof(m->id));
	return 0;
}

/* ---- create --------------------------------------------------------------------------- */

/* Of create, errors of docker's daemon have status 1, not 125 as of run. */
static int not_created(const struct err *e)
{
	say_daemon_error(e);
	return 1;
}

static int create_main(void *target, int argc, char **argv)
{
	struct run_args *a = target;
	auto_store struct store s = {-1, -1, NULL, NULL};
	struct err e = {0};
	auto_close int cidfile = -1;
	id_text id;

	client_proxies(&a->env);
	if (run_args_finish(a, argc, argv, false, &e) < 0)
		return refused("create", &e);
	if (check_names(a, &e) < 0 || open_cidfile(a->spec.cidfile, &cidfile, &e) < 0)
		return client_failed("create", &e);
	if (store_open(&s, &e) < 0 || ask_first(&s, a, &e) < 0 ||
		engine_create(&s, &a->spec, id, &e) < 0) {
		drop_cidfile(a, cidfile);
		return not_created(&e);
	}
	if (write_cidfile(cidfile, id, &e) < 0) {
		struct err other;

		(void)engine_remove(&s, id, true, true, &other); /* the first error is reported */
		drop_cidfile(a, cidfile);
		return not_created(&e);
	}
	say_warnings(a);
	say_print("%s\n", id);
	return 0;
}

/* ---- run ------------------------------------------------------------------------------ */

static int run_detached(const struct store *s, struct run_args *a, int cidfile, struct err *e)
{
	struct made m = {.cidfile = cidfile, .args = a};
	int status = 0;
	int result = engine_run(s, &a->spec, NULL, on_created, &m, &status, e);

	/* docker prints the id even of a container that could be made but not started, before the error */
	if (m.id[0] && (result == 0 || e->kind != ERR_UNMADE))
		say_print("%s\n", m.id);
	say_flush(); /* a failed write is reported by main() */
	return result;
}

static int run_attached(
	const struct store *s, struct run_args *a, int cidfile, int *status, struct err *e)
{
	auto_free char *result = NULL;
	struct err lost = {0}, cut = {0};
	struct made m = {.cidfile = cidfile, .args = a};
	struct attach at = {
		.in = a->spec.attach_stdin,
		.out = a->spec.attach_stdout,
		.err = a->spec.attach_stderr,
		.tty = a->spec.tty,
		.proxy_signals = a->sig_proxy,
		.third_ends = true,
		.die_with_me = a->spec.auto_remove,
		.detach_keys = a->detach_keys,
		.result = a->result ? &result : NULL,
		.lost = &lost,
		.cut = &cut,
	};
	int done = engine_run(s, &a->spec, &at, on_created, &m, status, e);

	if (done == 0 && lost.kind != ERR_NONE)
		say_daemon_error(&lost);
	*status = say_cut(&cut, *status);

	if (a->result && done == 0)
		result_write(a->result, result, NULL, *status);
	return done;
}

/* The detach keys are wrong. Docker's client finds that out only after the container was made, which stays. */
static int run_without_keys(const struct store *s, struct run_args *a, int cidfile,
	const struct err *keys, struct err *e)
{
	struct made m = {.cidfile = cidfile, .args = a};
	struct err other;
	id_text id;

	if (engine_create(s, &a->spec, id, e) < 0)
		return result_refuse(a->result, e, failed("run", e));
	if (on_created(id, &m, e) < 0) {
		(void)engine_remove(s, id, true, true, &other); /* the first error is reported */
		return result_refuse(a->result, e, failed("run", e));
	}
	return result_refuse(a->result, keys, say_error(keys, 1));
}

static void tell_of_network(const struct spec *s)
{
	auto_free char *set = NULL;

	if (s->network || !isatty(STDERR_FILENO))
		return;
	set = setting("network");
	if (!set)
		(void)fputs("note: this container has no network; --network host (or SBX_NETWORK=host) "
			    "gives it the machine's\n",
			stderr);
}

static int prepare(struct store *s, struct run_args *a, struct err *e)
{
	if (store_open(s, e) < 0)
		return -1;
	engine_expect(s, &a->spec);
	return ask_first(s, a, e);
}

static int run_main(void *target, int argc, char **argv)
{
	struct run_args *a = target;
	auto_store struct store s = {-1, -1, NULL, NULL};
	struct err e = {0};
	auto_close int cidfile = -1;
	int status = 0, done = -1;

	if (result_begin(a->result, &e) < 0)
		return client_failed("run", &e);
	client_proxies(&a->env);
	if (run_args_finish(a, argc, argv, true, &e) < 0)
		return result_refuse(a->result, &e, refused("run", &e));
	if (!a->detach && a->spec.attach_stdin && a->spec.tty && !isatty(STDIN_FILENO)) {
		(void)err_set(&e, ERR_USAGE, "the input device is not a TTY");
		return result_refuse(a->result, &e, say_error(&e, 1));
	}
	if (check_names(a, &e) < 0 || open_cidfile(a->spec.cidfile, &cidfile, &e) < 0)
		return result_refuse(a->result, &e, client_failed("run", &e));
	tell_of_network(&a->spec);
	if (prepare(&s, a, &e) == 0) {
		struct err keys;

		if (!a->detach && client_detach_keys(&a->detach_keys, false, &keys) < 0) {
			status = run_without_keys(&s, a, cidfile, &keys, &e);
			drop_cidfile(a, cidfile);
			return status;
		}
		done = a->detach ? run_detached(&s, a, cidfile, &e)
		                 : run_attached(&s, a, cidfile, &status, &e);
	}
	if (done < 0 && e.kind == ERR_UNMADE && cidfile >= 0)
		(void)ftruncate(cidfile, 0); /* so that drop_cidfile() removes it */
	drop_cidfile(a, cidfile);
	return done < 0 ? result_refuse(a->result, &e, failed("run", &e)) : status;
}

const struct command cmd_run = {
	.name = "run",
	.args = "[OPTIONS] IMAGE [COMMAND] [ARG...]",
	.about = "Create and run a new container from an image",
	.aliases = "docker container run, docker run",
	.opts = run_opts,
	.target_size = sizeof(struct run_args),
	.init = args_init,
	.run = run_main,
	.done = run_args_done,
	.min_args = 1,
	.max_args = -1,
	.stop_at_operand = true,
	.held = offsetof(struct run_args, warnings),
};

const struct command cmd_create = {
	.name = "create",
	.args = "[OPTIONS] IMAGE [COMMAND] [ARG...]",
	.about = "Create a new container",
	.aliases = "docker container create, docker create",
	.opts = run_opts + RUN_ONLY_ROWS,
	.target_size = sizeof(struct run_args),
	.init = args_init,
	.run = create_main,
	.done = run_args_done,
	.min_args = 1,
	.max_args = -1,
	.stop_at_operand = true,
	.held = offsetof(struct run_args, warnings),
};
