/* SPDX-License-Identifier: Apache-2.0 */
#include "enroot_args.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void enroot_args_done(struct args *a)
{
	strv_done(&a->env);
	strv_done(&a->mounts);
}

/* ---- output ----------------------------------------------------------------------------- */

int enroot_fail(const struct err *e)
{
	/* Errors of enroot's helper programs begin with the program's name; all others get a tag. */
	bool helper = str_starts(e->text, "enroot-") || str_starts(e->text, "mkdir: ");
	bool colour = !helper && isatty(STDERR_FILENO);

	(void)fprintf(stderr, "%s%s%s%s\n", colour ? "\033[31m" : "", helper ? "" : "[ERROR] ",
		colour ? "\033[0m" : "", e->text);
	return 1;
}

int enroot_usage(const struct verb *v, int status)
{
	say_print("Usage: %s%s%s%s\n\n%s\n", v->run ? "enroot " : "", v->name, *v->args ? " " : "",
		v->args, v->about);
	if (v->rows->name)
		say_print("\n Options:\n");
	for (const struct row *r = v->rows; r->name; r++) {
		auto_free char *left = xasprintf("%s--%s%s%s",
			r->letter ? (char[]){'-', r->letter, ',', ' ', 0} : "    ", r->name,
			r->value ? " " : "", r->value ? r->value : "");

		say_print("   %-24s %s\n", left, r->about);
	}
	return say_written(status);
}

/* Dies of the signal itself, so that the caller sees the same wait status as that of the command. */
int enroot_end_as(int status)
{
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	(void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* the command has already dumped core, if it should */
	(void)signal(WTERMSIG(status), SIG_DFL);
	(void)raise(WTERMSIG(status));
	return 128 + WTERMSIG(status); /* only reached if the caller had the signal blocked */
}

/* ---- options ---------------------------------------------------------------------------- */

static const struct row *row_of(const struct verb *v, const char *word, const char **value)
{
	size_t n = strcspn(word, "=");

	*value = word[n] ? word + n + 1 : NULL;
	for (const struct row *r = v->rows; r->name; r++) {
		if (word[1] == '-' ? strlen(r->name) == n - 2 && memcmp(word + 2, r->name, n - 2) == 0
				   : r->letter && word[1] == r->letter && !word[2])
			return r;
	}
	return NULL;
}

int enroot_parse(const struct verb *v, int argc, char **argv, struct args *a)
{
	int i = 0;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		const char *value;
		const struct row *r;

		if (str_eq(argv[i], "--"))
			return i + 1;
		if (str_eq(argv[i], "-h") || str_eq(argv[i], "--help"))
			return -2;
		r = row_of(v, argv[i], &value);
		if (!r || (r->kind == FLAG && value))
			return -1;
		if (r->kind == FLAG) {
			*(bool *)((char *)a + r->at) = true;
			continue;
		}
		if (!value)
			value = i + 1 < argc ? argv[++i] : "";
		if (!*value)
			return -1;
		if (r->kind == TEXT)
			*(const char **)((char *)a + r->at) = value;
		else
			strv_add((struct strv *)((char *)a + r->at), value);
	}
	return i;
}

static bool is_mount(const char *s)
{
	return *s && !strpbrk(s, " \t\r\n\v\f");
}

static bool is_env(const char *s)
{
	size_t n = strcspn(s, "=");
	static const char ok[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return n > 0 && strspn(s, ok) >= n && !(s[0] >= '0' && s[0] <= '9');
}

static int check_all(const struct strv *words, bool (*good)(const char *), struct err *e)
{
	for (size_t i = 0; i < words->n; i++)
		if (!good(words->v[i]))
			return err_set(e, ERR_USAGE, "Invalid argument: %s", words->v[i]);
	return 0;
}

int enroot_check(const struct args *a, struct err *e)
{
	if (check_all(&a->mounts, is_mount, e) < 0)
		return -1;
	return check_all(&a->env, is_env, e);
}
