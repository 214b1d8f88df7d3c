/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve: docker's Engine API on a socket.
 *
 * One process accepts connections and forks another for each. As these share nothing, a request that takes long, fails
 * or is killed does not affect others, and the process that waits here needs hardly any memory. Containers do not depend
 * on any of them.
 */
#include "cmd.h"

#include "api.h"
#include "await.h"
#include "epitaph.h"
#include "execs.h"
#include "listen.h"
#include "mask.h"
#include "parse.h"
#include "sys.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CONNECTIONS_MAX 1024
#define SERVE_DIR       "serve-"
#define SERVE_TMP       "sbx-serve-" /* in /tmp, if the runtime directory has too long a name */
#define FULL_MS         100          /* before the next attempt, unless a connection ends earlier */

struct serve {
	struct strv hosts;
	int64_t idle_ns;
};

/* clang-format off */
static const struct opt serve_opts[] = {
	{ 'H', "host",      "list",     "Socket to listen on: unix://PATH (default \"unix://\" and docker.sock in the runtime directory) or tcp://ADDRESS:PORT", OPT_LIST(struct serve, hosts), OPT_OURS },
	{ 0,   "idle-exit", "duration", "End when there was no connection for this long", OPT_DURATION(struct serve, idle_ns), OPT_OURS | OPT_SECONDS },
	{ 0 },
};
/* clang-format on */

static void serve_done(void *target)
{
	strv_done(&((struct serve *)target)->hosts);
}

/* ---- listening ------------------------------------------------------------------------ */

struct server {
	struct store store;
	struct serve *ask;
	struct listener {
		int fd;
		char *path; /* of a unix socket: unlinked at the end, if it is still ours */
		ino_t file;
	} listeners[8];
	size_t n_listeners, connections;
	int waiting; /* a connection for which no process could be made; -1: none */
	const struct listener *waiting_at;
	bool full; /* there was no descriptor, process or memory for another connection: nothing is accepted for FULL_MS */
	char *dir; /* of private_socket(); removed at the end */
	int signals;
	pid_t command; /* of `serve COMMAND`; 0: none */
	int64_t idle_since;
	bool over;
	int status;
};

static void server_done(struct server *v)
{
	for (size_t i = 0; i < v->n_listeners; i++) {
		struct listener *l = &v->listeners[i];

		if (l->path)
			listen_forget(l->path, l->file);
		(void)close(l->fd);
		free(l->path);
	}
	if (v->dir)
		(void)rmdir(v->dir); /* as above */
	free(v->dir);
	auto_close_(&v->signals);
	auto_close_(&v->waiting);
	store_done(&v->store);
}
#define auto_server __attribute__((cleanup(server_done)))

/* "127.0.0.1:2375", "[::1]:2375": numeric addresses only. */
static int listen_tcp(const char *address, struct err *e)
{
	const char *colon = strrchr(address, ':');
	auto_free char *host = colon ? xstrndup(address, (size_t)(colon - address)) : xstrdup("");
	struct sockaddr_in a = {.sin_family = AF_INET};
	struct sockaddr_in6 a6 = {.sin6_family = AF_INET6};
	size_t n = strlen(host);
	auto_close int fd = -1;
	bool six = n > 2 && host[0] == '[' && host[n - 1] == ']', fine;
	struct err unused; /* the sentence below says it */
	int64_t port = 0;

	if (colon)
		(void)parse_uint(colon + 1, 65535, &port, &unused); /* else it stays 0, which is no port */
	if (six) {
		host[n - 1] = '\0';
		fine = inet_pton(AF_INET6, host + 1, &a6.sin6_addr) == 1;
		a6.sin6_port = htons((uint16_t)port);
	} else {
		fine = inet_pton(AF_INET, host, &a.sin_addr) == 1;
		a.sin_port = htons((uint16_t)port);
	}
	if (!fine || port <= 0)
		return err_set(e, ERR_USAGE, "tcp://%s: want an address in numbers and a port", address);
	fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_sys(e, "socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)); /* optional */
	if (bind(fd, six ? (struct sockaddr *)&a6 : (struct sockaddr *)&a,
		    six ? sizeof(a6) : sizeof(a)) < 0 ||
		listen(fd, 512) < 0)
		return err_sys(e, "listen on %s", address);
	(void)fprintf(stderr,
		"WARNING: whoever can connect to tcp://%s can do on this machine what you can: "
		"nothing asks who it is.\n",
		address);
	return take_fd(&fd);
}

static int add_listener(struct server *v, const char *host, struct err *e)
{
	struct listener *l = &v->listeners[v->n_listeners];
	bool tcp = str_starts(host, "tcp://");
	const char *path = str_starts(host, "unix://") ? host + 7 : host;

	if (v->n_listeners == ARRAY_LEN(v->listeners))
		return err_set(e, ERR_USAGE, "too many sockets");
	if (!tcp && path[0] != '/')
		return err_set(e, ERR_USAGE,
			"invalid value \"%s\" for --host: want unix:///PATH or "
			"tcp://ADDRESS:PORT",
			host);
	l->fd = tcp ? listen_tcp(host + 6, e) : listen_unix(path, e);
	if (l->fd < 0)
		return -1;
	l->path = tcp ? NULL : xstrdup(path);
	l->file = tcp ? 0 : listen_file(path);
	v->n_listeners++;
	return 0;
}

/* Our own directory, and no link to somewhere else. */
static bool is_own_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/* Removes the sockets of killed servers that had a command. */
static void sweep_sockets(const char *in, const char *prefix)
{
	DIR *d = opendir(in);
	const struct dirent *at;

	while (d && (at = readdir(d))) {
		auto_free char *dir = xasprintf("%s/%s", in, at->d_name);
		auto_free char *path = xasprintf("%s/docker.sock", dir);

		if (str_starts(at->d_name, prefix) && is_own_dir(dir) && listen_is_dead(path) &&
			unlink(path) == 0)
			(void)rmdir(dir); /* empty, or not ours */
	}
	if (d)
		(void)closedir(d); /* only read from */
}

/* A socket that only the command knows. */
static int private_socket(struct server *v, struct err *e)
{
	auto_free char *dir = xasprintf("%s/" SERVE_DIR "XXXXXX", v->store.runtime_path), *path = NULL;

	/* The path of a unix socket is limited to 107 bytes, that of a runtime directory is not. */
	if (strlen(dir) > 90) {
		free(dir);
		dir = xstrdup("/tmp/" SERVE_TMP "XXXXXX");
	}
	if (!mkdtemp(dir))
		return err_sys(e, "make %s", dir);
	v->dir = take(dir);
	path = xasprintf("unix://%s/docker.sock", v->dir);
	return add_listener(v, path, e);
}

static int listen_all(struct server *v, bool command, struct err *e)
{
	auto_free char *usual = xasprintf("unix://%s/docker.sock", v->store.runtime_path);

	for (size_t i = 0; i < v->ask->hosts.n; i++)
		if (add_listener(v, v->ask->hosts.v[i], e) < 0)
			return -1;
	if (v->n_listeners)
		return 0;
	return command ? private_socket(v, e) : add_listener(v, usual, e);
}

/* ---- connections ---------------------------------------------------------------------- */

static bool is_ours(int fd, bool is_unix)
{
	struct ucred c;
	socklen_t n = sizeof(c);

	if (!is_unix)
		return true;
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &c, &n) == 0 &&
	       (c.uid == geteuid() || c.uid == 0);
}

static void plain_signals(void)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* cannot fail with these arguments */
	(void)signal(SIGPIPE, SIG_IGN);
}

/* If a TCP client half-closes its connection and later vanishes, nothing tells us so; keepalive probes do. */
static void ask_after_peer(int fd)
{
	static const int yes = 1, first_s = 30, then_s = 10, times = 3;

	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &first_s, sizeof(first_s));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &then_s, sizeof(then_s));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof(times));
}

static void log_line(const char *sentence)
{
	(void)fprintf(stderr, "WARNING: %s\n", sentence);
}

/* Errors of accept() that leave the connection in the queue: without a pause, the loop would spin. */
static bool is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

static void on_connection(struct server *v, const struct listener *l)
{
	auto_close int fd =
		v->waiting >= 0 ? take_fd(&v->waiting) : accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
	pid_t pid;

	v->full = fd < 0 && is_shortage(errno);
	if (fd < 0 || !is_ours(fd, l->path != NULL))
		return;
	pid = fork();
	if (pid < 0) { /* the client waits instead of being refused */
		v->waiting = take_fd(&fd);
		v->waiting_at = l;
		v->full = true;
		return;
	}
	if (pid == 0) {
		for (size_t i = 0; i < v->n_listeners; i++)
			(void)close(v->listeners[i].fd); /* the child's copy */
		(void)close(v->signals);
		(void)setsid(); /* signals of our terminal must not reach containers that clients start */
		(void)prctl(PR_SET_NAME, "sbx-serve-conn");
		plain_signals();
		if (!l->path)
			ask_after_peer(fd);
		api_serve(&v->store, take_fd(&fd), log_line);
		_exit(0);
	}
	v->connections++;
}

static void reap(struct server *v)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == v->command) {
			v->over = true;
			v->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
			continue;
		}
		v->connections -= v->connections > 0;
		if (v->connections == 0)
			v->idle_since = sys_now_ns();
	}
}

static void on_signal(struct server *v)
{
	struct signalfd_siginfo info;

	while (read(v->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			reap(v);
		else if (!v->command)
			v->over = true;
		else if (info.ssi_code != SI_KERNEL) /* a terminal has sent it to the command, too */
			(void)kill(v->command, (int)info.ssi_signo); /* it may have ended; we end when it does */
	}
}

/* The timeout for poll(): until the next attempt after a shortage, or until --idle ends the server; -1: none. */
static int idle_ms(const struct server *v)
{
	int64_t left;

	if (v->full)
		return FULL_MS;
	if (!v->ask->idle_ns || v->connections || v->command)
		return -1;
	left = v->ask->idle_ns - (sys_now_ns() - v->idle_since);
	if (left <= 0)
		return 0;
	return left / 1000000 < INT_MAX ? (int)(left / 1000000 + 1) : INT_MAX; /* and once more, then */
}

static bool is_open(const struct server *v)
{
	return !v->full && v->connections < CONNECTIONS_MAX;
}

static void run(struct server *v)
{
	struct pollfd p[1 + ARRAY_LEN(v->listeners)];

	v->idle_since = sys_now_ns();
	sys_trim();
	while (!v->over) {
		int timeout = idle_ms(v), ready;

		p[0] = (struct pollfd){.fd = v->signals, .events = POLLIN};
		for (size_t i = 0; i < v->n_listeners; i++)
			p[1 + i] = (struct pollfd){
				.fd = is_open(v) ? v->listeners[i].fd : -1, .events = POLLIN};
		ready = poll(p, 1 + v->n_listeners, timeout);
		if (ready == 0 && !v->full && timeout >= 0 && idle_ms(v) == 0)
			return;
		if (p[0].revents)
			on_signal(v);
		if (v->full && v->waiting >= 0)
			on_connection(v, v->waiting_at);
		else
			v->full = false;
		for (size_t i = 0; i < v->n_listeners; i++)
			if (p[1 + i].revents && v->waiting < 0)
				on_connection(v, &v->listeners[i]);
	}
}

/* ---- the command ---------------------------------------------------------------------- */

static int take_signals(struct server *v, struct err *e)
{
	static const int ours[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		(void)sigaddset(&set, ours[i]);
	(void)sigprocmask(SIG_BLOCK, &set, NULL); /* cannot fail with these arguments */
	v->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return v->signals < 0 ? err_sys(e, "signalfd") : 0;
}

/* If a directory of $PATH may not be searched, execvp() fails with EACCES even if no directory has the command. As shells do, we call
 * that "not found". */
static bool is_nowhere(const char *name)
{
	const char *at = getenv("PATH");

	if (!at || strchr(name, '/'))
		return false;
	for (size_t n = strcspn(at, ":");; at += n + 1, n = strcspn(at, ":")) {
		auto_free char *path = xasprintf("%.*s%s%s", (int)n, at, n ? "/" : "", name);

		if (access(path, F_OK) == 0)
			return false;
		if (!at[n])
			return true;
	}
}

static int run_command(struct server *v, char **argv, struct err *e)
{
	auto_free char *host = xasprintf("unix://%s", v->listeners[0].path ? v->listeners[0].path : "");
	sigset_t none;
	int why;

	if (!v->listeners[0].path)
		return err_set(e, ERR_USAGE, "a command needs a unix socket");
	v->command = fork();
	if (v->command < 0)
		return err_sys(e, "fork");
	if (v->command > 0)
		return 0;
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* as above */
	(void)setenv("DOCKER_HOST", host, 1);
	(void)unsetenv("DOCKER_CONTEXT"); /* it could override DOCKER_HOST */
	(void)signal(SIGXFSZ, SIG_DFL);
	mask_end();
	(void)execvp(argv[0], argv);
	why = errno == EACCES && is_nowhere(argv[0]) ? ENOENT : errno;
	(void)fprintf(stderr, "sbx serve: %s: %s\n", argv[0], errno_text(why));
	_exit(why == ENOENT ? 127 : 126);
}

static int serve_main(void *target, int argc, char **argv)
{
	auto_server struct server v = {
		.ask = target, .store = {-1, -1, NULL, NULL}, .signals = -1, .waiting = -1};
	struct err e = {0};

	if (store_open(&v.store, &e) < 0)
		return say_error(&e, 1);
	if (listen_all(&v, argc > 0, &e) < 0 || take_signals(&v, &e) < 0)
		return say_error(&e, e.kind == ERR_USAGE ? 125 : 1);
	json_object_seed(0); /* here once, not in the process of each connection */
	(void)prctl(PR_SET_NAME, "sbx-serve");
	sweep_sockets(v.store.runtime_path, SERVE_DIR);
	sweep_sockets("/tmp", SERVE_TMP);
	await_sweep(&v.store);
	execs_sweep(&v.store);
	epitaph_begin(&v.store);
	if (argc > 0 && run_command(&v, argv, &e) < 0)
		return say_error(&e, 125);
	for (size_t i = 0; i < v.n_listeners && argc == 0; i++)
		if (v.listeners[i].path)
			(void)fprintf(stderr, "listening on unix://%s\n", v.listeners[i].path);
	run(&v);
	return v.status;
}

const struct command cmd_serve = {
	.name = "serve",
	.args = "[OPTIONS] [COMMAND [ARG...]]",
	.about = "Serve docker's Engine API on a socket, for ever or while a command runs",
	.opts = serve_opts,
	.target_size = sizeof(struct serve),
	.run = serve_main,
	.done = serve_done,
	.max_args = -1,
	.stop_at_operand = true,
	.ours = true,
};
