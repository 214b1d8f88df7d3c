/* SPDX-License-Identifier: Apache-2.0 */
#include "spent.h"

#include "tap.h"

static struct spent_process process(pid_t pid, uint64_t own, uint64_t children)
{
	return (struct spent_process){
		.pid = pid, .start = 7, .own = {own, 1}, .children = {children, 0}};
}

static void add(struct spent *s, pid_t pid, uint64_t own, uint64_t children)
{
	struct spent_process p = process(pid, own, children);

	spent_add(s, &p);
}

static int64_t look(struct spent *s)
{
	spent_look(s, NULL, NULL);
	return (int64_t)spent_ticks(s, SPENT_USER);
}

static void parse(void)
{
	struct spent_process p;

	ok(spent_parse("12 (a) b) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 20 0 1 0 99 0 0", &p), "a process");
	is_int(p.pid, 12, "its number");
	is_int((int64_t)p.start, 99, "its start");
	is_int((int64_t)p.own[SPENT_SYSTEM], 12, "its own time");
	is_int((int64_t)p.children[SPENT_USER], 13, "that of its children");
	ok(!spent_parse("12 (a) R 1 2 3", &p) && !spent_parse("", &p), "half a line is none");
}

static void waited_for(void)
{
	struct spent s = {0};

	add(&s, 1, 5, 0);
	add(&s, 2, 40, 0);
	is_int(look(&s), 45, "who lives counts");
	add(&s, 1, 5, 0); /* looked at before it waited */
	is_int(look(&s), 5, "a child is gone");
	add(&s, 1, 6, 42);
	is_int(look(&s), 48, "and turns up with its parent");
	add(&s, 1, 6, 42);
	is_int(look(&s), 48, "once");
	spent_done(&s);
	add(&s, 2, 1, 0);
	add(&s, 3, 40, 0);
	(void)look(&s);
	add(&s, 2, 1, 40); /* looked at after that, the time before */
	add(&s, 3, 40, 0);
	(void)look(&s);
	add(&s, 2, 1, 40);
	(void)look(&s);
	add(&s, 2, 1, 40);
	is_int(look(&s), 41, "whichever of them was looked at first");
	spent_done(&s);
}

static void ignored(void)
{
	struct spent s = {0};

	for (int i = 0; i < 10; i++) {
		add(&s, 1, 5, 0);
		add(&s, 10 + i, 30, 0);
		(void)look(&s);
	}
	add(&s, 1, 5, 0);
	(void)look(&s);
	add(&s, 1, 5, 0);
	is_int(look(&s), 305, "what nobody waited for stays counted");
	is_int((int64_t)spent_ticks(&s, SPENT_SYSTEM), 11, "of each kind");
	spent_done(&s);
}

static bool is_there(struct spent_process *p, void *arg)
{
	*(int *)arg += 1;
	p->own[SPENT_USER] = 50;
	return p->pid == 2;
}

static void zombies(void)
{
	struct spent s = {0};
	int asked = 0;

	add(&s, 1, 5, 0);
	add(&s, 2, 40, 0);
	(void)look(&s);
	add(&s, 1, 5, 0);
	spent_look(&s, is_there, &asked);
	is_int((int64_t)spent_ticks(&s, SPENT_USER), 55, "who is there all the same counts");
	is_int(asked, 1, "only who was not seen is asked for");
	add(&s, 1, 5, 50);
	(void)look(&s);
	add(&s, 1, 5, 50);
	is_int(look(&s), 55, "until it is waited for");
	spent_done(&s);
}

static void same_number(void)
{
	struct spent s = {0};
	struct spent_process other = process(2, 3, 0);

	add(&s, 2, 40, 0);
	(void)look(&s);
	other.start = 8;
	spent_add(&s, &other);
	(void)look(&s);
	spent_add(&s, &other);
	is_int(look(&s), 43, "another one with its number is another one");
	spent_done(&s);
}

int main(void)
{
	parse();
	waited_for();
	ignored();
	zombies();
	same_number();
	return done_testing();
}
