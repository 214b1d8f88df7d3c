/* SPDX-License-Identifier: Apache-2.0 */
#include "preread.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* A thread that only runs on an idle processor (SCHED_IDLE) lets another one, which reads, go on. The reader itself
 * must not be SCHED_IDLE: it holds page cache pages while they are being filled, and a program that wants them would
 * wait for the reader's turn, on a busy machine for a second. */
struct gate {
	sem_t wanted, open;
};

struct reader {
	int root;
	preread_turn *turn;
	void *arg;
	char *piece;
};

static void *keep_gate(void *arg)
{
	const struct sched_param none = {0};
	struct gate *g = arg;

	(void)syscall(SYS_sched_setscheduler, 0, SCHED_IDLE, &none); /* else it has its turn as everybody */
	for (;;) {
		(void)sem_wait(&g->wanted); /* EINTR: once too often open */
		(void)sem_post(&g->open);
	}
	return NULL;
}

static void pass(void *arg)
{
	struct gate *g = arg;

	(void)sem_post(&g->wanted);
	while (sem_wait(&g->open) < 0)
		;
}

/* An image may hold anything by this name: a link that leads out, a pipe. */
static int open_below(int root, const char *path)
{
	return sys_openat2(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, RESOLVE_IN_ROOT);
}

#define PIECE (128u << 10) /* for more the kernel does not ask at once */

static void read_file(const struct reader *r, int fd)
{
	size_t all = 0;
	ssize_t n;

	do {
		r->turn(r->arg);
		n = read(fd, r->piece, PIECE);
		all += n > 0 ? (size_t)n : 0;
	} while (n > 0 && all < PREREAD_MAX);
}

static void read_directory(const struct reader *r, int fd)
{
	do
		r->turn(r->arg);
	while (syscall(SYS_getdents64, fd, r->piece, PIECE) > 0);
}

static void look(const struct reader *r, const char *path)
{
	auto_close int fd = open_below(r->root, path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return;
	if (S_ISDIR(st.st_mode))
		read_directory(r, fd);
	if (S_ISREG(st.st_mode))
		read_file(r, fd);
}

/* What a python lists, and imports from elsewhere than from within itself, before anything else; % is the minor version. */
static const char *const of_python[] = {
	"lib/python3.%",
	"lib/python3.%/encodings",
	"lib/python3.%/encodings/__pycache__",
	"lib/python3.%/encodings/__init__.py",
	"lib/python3.%/encodings/__pycache__/__init__.cpython-3%.pyc",
	"lib/python3.%/encodings/aliases.py",
	"lib/python3.%/encodings/__pycache__/aliases.cpython-3%.pyc",
	"lib/python3.%/encodings/utf_8.py",
	"lib/python3.%/encodings/__pycache__/utf_8.cpython-3%.pyc",
	"lib/python3.%/site-packages",
	"lib/python3/dist-packages", /* Debian's, these */
	"local/lib/python3.%/dist-packages",
	"lib/python3.%/sitecustomize.py",
	"lib/python3.%/__pycache__/sitecustomize.cpython-3%.pyc",
};

/* program: "/usr/bin/python3.11". */
static void read_python(const struct reader *r, const char *program)
{
	static const char of_each[] = "/bin/python3.";
	const char *name = strstr(program, of_each), *minor = name ? name + strlen(of_each) : "";

	if (!*minor || minor[strspn(minor, "0123456789")])
		return;
	for (size_t k = 0; k < ARRAY_LEN(of_python); k++) {
		auto_buf struct buf path = {0};

		buf_add(&path, program, (size_t)(name - program));
		buf_puts(&path, "/");
		for (const char *c = of_python[k]; *c; c++)
			if (*c == '%')
				buf_puts(&path, minor);
			else
				buf_putc(&path, *c);
		look(r, path.s);
	}
}

static int open_program(int root, const char *path)
{
	int fd = open_below(root, path);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111)))
		return fd;
	(void)close(fd); /* only examined */
	return -1;
}

static size_t name_of(int fd, char path[PATH_MAX])
{
	char link[32];
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd); /* fits */
	n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

void preread(int root, const char *paths, size_t len, preread_turn *turn, void *arg)
{
	auto_free char *piece = xcalloc(1, PIECE);
	const struct reader r = {root, turn, arg, piece};
	char top[PATH_MAX], path[PATH_MAX];
	auto_close int fd = -1;
	size_t above;

	if (len == 0 || paths[len - 1] != '\0')
		return;
	for (const char *at = paths; fd < 0 && at < paths + len; at += strlen(at) + 1)
		fd = open_program(root, at);
	if (fd < 0)
		return;
	read_file(&r, fd);
	/* Where links led to, in the image, which is mounted where the server sees it. */
	above = name_of(root, top);
	above = above == 1 ? 0 : above;
	if (name_of(fd, path) > above)
		read_python(&r, path + above);
}

pid_t preread_start(int root, const char *paths, size_t len)
{
	pid_t pid = fork();
	struct gate gate;
	pthread_t keeper;

	if (pid != 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sem_init(&gate.wanted, 0, 0) == 0 && sem_init(&gate.open, 0, 0) == 0 &&
		pthread_create(&keeper, NULL, keep_gate, &gate) == 0)
		preread(root, paths, len, pass, &gate);
	_exit(0);
}
