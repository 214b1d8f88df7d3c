/* SPDX-License-Identifier: Apache-2.0 */
/* doctor: prints a line for each thing that sbx uses of the machine, and what would help where one is missing. */
#include "cmd.h"
#include "doctor.h"
#include "store.h"

static void tell(const struct doctor_line *l, void *arg)
{
	static const char *const marks[] = {
		[DOCTOR_FINE] = "ok  ", [DOCTOR_LESS] = "less", [DOCTOR_BAD] = "BAD "};
	bool *bad = arg;

	say_print("%s  %-15s  %s\n", marks[l->level], l->what, l->text);
	if (*l->fix)
		say_print("%22s -> %s\n", "", l->fix);
	*bad |= l->level == DOCTOR_BAD;
}

static int doctor_main(void *target, int argc, char **argv)
{
	auto_store struct store s = {-1, -1, NULL, NULL};
	struct err e = {0};
	bool bad = false;

	(void)target;
	(void)argc;
	(void)argv;
	if (store_open(&s, &e) < 0)
		return say_error(&e, 1);
	doctor_look(&s, tell, &bad);
	return bad ? 1 : 0;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.args = "",
	.about = "Tell what this machine allows, and which way each thing is done here",
	.aliases = "docker doctor",
	.ours = true,
	.run = doctor_main,
};
