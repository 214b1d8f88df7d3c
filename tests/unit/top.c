/* SPDX-License-Identifier: Apache-2.0 */
/* ps's options as `top` understands them, and the numbers behind `stats`. */
#include "procs.h"
#include "tap.h"
#include "top.h"
#include "usage.h"

#include <string.h>
#include <unistd.h>

static void columns(char *const *args, const char *want, const char *sentence)
{
	auto_strv struct strv keys = {0};
	auto_buf struct buf b = {0};
	struct err e;

	if (top_columns(args, &keys, &e) < 0)
		buf_puts(&b, e.text);
	for (size_t i = 0; i < keys.n; i++)
		buf_printf(&b, "%s%s", i ? " " : "", keys.v[i]);
	is_str(b.s, want, sentence);
}
#define ARGS(...) ((char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

#define EF "user=UID pid ppid c stime tname time cmd"

static char memory[16 << 20];

int main(void)
{
	static const char net[] =
		"Inter-|   Receive                                                |  Transmit\n"
		" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs\n"
		"    lo:    1000      10    0    0    0     0          0         0     1000      10    0\n"
		"  eth0:    2000      20    0    0    0     0          0         0     3000      10    0\n"
		"  eth1:5 1 0 0 0 0 0 0 7 1 0\n";
	struct usage before = {.at_ns = 0, .cpu = 1}, now = {.at_ns = 2000000000, .cpu = 4};
	int64_t in, out;
	struct proc p;

	columns(ARGS(), EF, "without options: -ef");
	columns(ARGS((char *)"-ef"), EF, "-ef");
	columns(ARGS((char *)"-e", (char *)"-f"), EF, "-e -f");
	columns(ARGS((char *)"-e"), "pid tname time ucmd", "-e");
	columns(ARGS((char *)"aux"),
		"user pid %cpu %mem vsz rss tname stat start_time time command", "aux");
	columns(ARGS((char *)"ax"), "pid tname stat time command", "ax");
	columns(ARGS((char *)"-x"), "pid tname stat time command", "-x");
	columns(ARGS((char *)"-o", (char *)"pid,comm"), "pid comm", "-o and a list");
	columns(ARGS((char *)"-opid,comm"), "pid comm", "-o with a list");
	columns(ARGS((char *)"-eo", (char *)"pid ppid,args"), "pid ppid args", "-eo, blanks between");
	columns(ARGS((char *)"o", (char *)"pid"), "pid", "o without a dash");
	columns(ARGS((char *)"-o", (char *)"pid,user=WHO,comm"), "pid user=WHO comm",
		"a title of one's own");
	columns(ARGS((char *)"-o", (char *)"pid", (char *)"-o", (char *)"comm"), "pid comm", "-o twice");
	columns(ARGS((char *)"aux", (char *)"--sort=-pid"),
		"user pid %cpu %mem vsz rss tname stat start_time time command", "--sort");
	columns(ARGS((char *)"-o"), "ps: error: list of format specifiers must follow -o", "-o alone");
	columns(ARGS((char *)"-o", (char *)"foo"),
		"ps: error: unknown user-defined format specifier \"foo\"", "an unknown column");
	columns(ARGS((char *)"-o", (char *)"pid,=WHO"),
		"ps: error: unknown user-defined format specifier \"\"", "a title of nothing");
	columns(ARGS((char *)"-q"), "ps: error: unsupported SysV option", "an unknown option");
	columns(ARGS((char *)"--foo"), "ps: error: unknown gnu long option", "a long one");

	usage_parse_net(net, &in, &out);
	is_int(in, 2005, "received: all devices but lo");
	is_int(out, 3007, "sent, with a name that touches its number");
	usage_parse_net("", &in, &out);
	is_int(in + out, 0, "an empty file is nothing");
	is_int((int64_t)usage_cpu_percent(&before, &now), 150, "three seconds in two are 150 per cent");
	is_int((int64_t)usage_cpu_percent(&now, &before), 0, "nothing comes of clocks that go back");

	/* Enough of it for the kernel to tell: it counts pages for each processor first. */
	memset(memory, 1, sizeof(memory));
	ok(procs_read(getpid(), &p) && p.pid == getpid() && p.ppid == getppid() && p.state == 'R',
		"a process reads itself");
	ok(p.resident > 0 && p.virtual > p.resident && p.threads == 1 && p.start > 0, "with its memory");
	ok(!procs_read(-1, &p), "no process is none");
	return done_testing();
}
