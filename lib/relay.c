/* SPDX-License-Identifier: Apache-2.0 */
#include "relay.h"

#include "auto.h"
#include "ctl.h"
#include "detach.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>

/* Signals which stop or continue us, or tell of our own doing, are not the program's. */
static const int not_proxied[] = {SIGCHLD, SIGPIPE, SIGURG, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT,
	SIGWINCH, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGKILL, SIGSTOP};

static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

enum { PATIENCE = 3, OUT_OF_PATIENCE = -1 };

struct run {
	struct relay *r;
	int signals;
	struct termios saved;
	bool raw, in_open, ended;
	bool fed; /* input was sent: what is sent behind it may have to wait until the program reads */
	bool end_due;              /* the other side has yet to hear that the input has ended */
	int to[STDERR_FILENO + 1]; /* where our own streams are written to */
	bool is_socket[STDERR_FILENO + 1];
	struct detach detach;
	char pending[CTL_DATA_MAX]; /* input which the other side did not take yet */
	size_t pending_len;
	int code;
	int killed_by; /* a signal which was for us, or OUT_OF_PATIENCE */
	int64_t until; /* without ctl: the program has ended, and its streams are read until then; 0: it runs */
	int ends;          /* how often we were asked to end */
	void (*pipe)(int); /* what SIGPIPE did before us */
	struct buf *result;
	struct ctl_frame frame;
};

static bool is_ignored(int signo)
{
	struct sigaction now;

	return sigaction(signo, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int relay_begin(const struct attach *a)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGWINCH);
	if (a->third_ends) {
		(void)sigaddset(&set, SIGTERM);
		(void)sigaddset(&set, SIGINT);
	}
	if (a->proxy_signals) {
		(void)sigfillset(&set);
		for (size_t i = 0; i < ARRAY_LEN(not_proxied); i++)
			(void)sigdelset(&set, not_proxied[i]);
		if (a->tty)
			(void)sigaddset(&set, SIGWINCH);
	} else if (!a->tty && !a->third_ends && !a->killed_by) {
		return -1;
	} else if (a->tty || a->killed_by) {
		/* Signals that end this process, but first the terminal is restored and the result told. */
		for (size_t i = 0; i < ARRAY_LEN(deadly); i++)
			if (!is_ignored(deadly[i])) /* one that is blocked comes nevertheless */
				(void)sigaddset(&set, deadly[i]);
	}
	(void)sigprocmask(SIG_BLOCK, &set, NULL); /* cannot fail with these arguments */
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool relay_is_told(void)
{
	sigset_t set;

	if (sigpending(&set) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(deadly); i++)
		if (sigismember(&set, deadly[i]) == 1)
			return true;
	return false;
}

/* ---- terminal ------------------------------------------------------------------------- */

static void make_raw(struct run *x)
{
	struct termios t;

	if (!x->r->attach->tty || !x->r->attach->in || tcgetattr(STDIN_FILENO, &x->saved) < 0)
		return;
	t = x->saved;
	cfmakeraw(&t);
	x->raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &t) == 0;
}

static void restore(struct run *x)
{
	if (x->raw)
		(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &x->saved); /* gone: there is nothing to restore */
	x->raw = false;
}

bool relay_size(const struct attach *a, uint16_t *rows, uint16_t *cols)
{
	struct winsize w;

	if (!a->tty ||
		(ioctl(STDIN_FILENO, TIOCGWINSZ, &w) < 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0))
		return false;
	*rows = w.ws_row;
	*cols = w.ws_col;
	return true;
}

/* What has nothing to do with the input, and must not stand behind it. */
static void tell(struct run *x, enum ctl_kind kind, const void *data, size_t n)
{
	struct err gone; /* the loop sees it */
	auto_close int past = x->fed ? ctl_connect(x->r->store, x->r->id, &gone) : -1;

	(void)ctl_send(past >= 0 ? past : x->r->ctl, kind, data, n); /* likewise */
}

static void send_size(struct run *x, uint16_t more)
{
	struct ctl_size size;
	struct winsize w = {0};

	if (!relay_size(x->r->attach, &size.rows, &size.cols) || (more && !size.rows && !size.cols))
		return;
	size.rows = (uint16_t)(size.rows + more);
	size.cols = (uint16_t)(size.cols + more);
	w.ws_row = size.rows;
	w.ws_col = size.cols;
	if (x->r->ctl >= 0)
		tell(x, CTL_RESIZE, &size, sizeof(size));
	else if (x->r->pty >= 0)
		(void)ioctl(x->r->pty, TIOCSWINSZ, &w); /* it has ended */
}

static bool waits_on(const struct run *x, int signo)
{
	return x->r->attach->third_ends && (signo == SIGTERM || signo == SIGINT);
}

static bool loses_patience(struct run *x, int signo)
{
	return waits_on(x, signo) && ++x->ends == PATIENCE;
}

static void on_signal(struct run *x)
{
	struct signalfd_siginfo info;

	while (read(x->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		int32_t signo = (int32_t)info.ssi_signo;

		if (signo == SIGWINCH)
			send_size(x, 0);
		else if (loses_patience(x, signo))
			x->killed_by = OUT_OF_PATIENCE;
		else if (!x->r->attach->proxy_signals)
			x->killed_by = waits_on(x, signo) ? 0 : signo;
		else if (x->r->ctl >= 0)
			tell(x, CTL_SIGNAL, &signo, sizeof(signo));
		else
			(void)sys_pidfd_kill(x->r->pidfd, signo); /* it has ended */
	}
}

/* ---- input ---------------------------------------------------------------------------- */

static bool is_pending(const struct run *x)
{
	return x->pending_len > 0 || x->end_due;
}

static ssize_t push_frame(struct run *x)
{
	char kind = x->pending_len ? CTL_STDIN : CTL_EOF;
	struct iovec iov[2] = {{&kind, 1}, {x->pending, x->pending_len}};
	struct msghdr h = {.msg_iov = iov, .msg_iovlen = 2};
	ssize_t n = sendmsg(x->r->ctl, &h, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0)
		return n;
	x->fed = true;
	x->end_due &= kind == CTL_STDIN;
	x->pending_len = 0;
	return n;
}

/* Never waits: while we waited the program's output would not be read, and it could wait for us. */
static void push_input(struct run *x)
{
	ssize_t n;

	if (!is_pending(x))
		return;
	if (x->r->ctl >= 0) {
		n = push_frame(x);
	} else {
		n = x->r->in < 0 ? 0 : write(x->r->in, x->pending, x->pending_len);
		if (n > 0) {
			x->pending_len -= (size_t)n;
			memmove(x->pending, x->pending + n, x->pending_len);
		}
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		x->pending_len = 0; /* the program does not read any more */
		x->in_open = x->end_due = false;
	}
}

static void end_input(struct run *x)
{
	x->in_open = false;
	if (x->r->ctl >= 0) {
		x->end_due = true;
		push_input(x);
	} else if (x->r->in >= 0 && x->r->pty < 0) {
		(void)close(take_fd(&x->r->in)); /* a pipe: that is its end of file */
	}
}

static bool take_input(struct run *x)
{
	char data[CTL_DATA_MAX - DETACH_KEYS_MAX];
	ssize_t n = sys_read(STDIN_FILENO, data, sizeof(data));

	if (n <= 0) {
		if (n == 0 || errno != EAGAIN)
			end_input(x);
		return false;
	}
	/* There is input to take only when nothing is pending. */
	if (detach_pass(&x->detach, data, (size_t)n, x->pending, &x->pending_len))
		return true;
	push_input(x);
	return false;
}

/* ---- output --------------------------------------------------------------------------- */

/* Told once, by the caller, when the program has ended: it is no reason to end it. */
static void cut(struct run *x, const char *what)
{
	struct err *e = x->r->attach->cut;

	if (e && e->kind == ERR_NONE &&
		errno != EBADF) /* EBADF: the caller has closed the descriptor, as it wants no output */
		(void)err_sys(e, "%s", what);
}

/* Writing must not block, so that signals are handled at once. Setting O_NONBLOCK on the caller's descriptor would
 * affect all processes that share it: so a pipe is opened anew. */
static void open_outputs(struct run *x)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		char path[32];
		struct stat st;
		int own = -1;

		x->to[fd] = fd;
		if (x->signals < 0 || fstat(fd, &st) < 0)
			continue;
		x->is_socket[fd] = S_ISSOCK(st.st_mode);
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd); /* fits */
		if (S_ISFIFO(st.st_mode))
			own = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (own >= 0) /* else it is another user's, or has no reader */
			x->to[fd] = own;
	}
}

static void close_outputs(struct run *x)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (x->to[fd] != fd)
			(void)close(x->to[fd]); /* a pipe */
}

static ssize_t give(const struct run *x, int fd, const char *data, size_t n)
{
	return x->is_socket[fd] ? send(fd, data, n, MSG_DONTWAIT) : write(x->to[fd], data, n);
}

static void put(struct run *x, int fd, const char *data, size_t n)
{
	/* If the disk is full the program goes on; if the reader is gone this process ends, as docker does. */
	while (n > 0 && !x->killed_by) {
		ssize_t done = give(x, fd, data, n);

		if (done < 0 && errno == EAGAIN) {
			struct pollfd p[2] = {{.fd = x->to[fd], .events = POLLOUT},
				{.fd = x->signals, .events = POLLIN}};

			(void)poll(p, 2, -1);
			if (p[1].revents)
				on_signal(x);
			continue;
		}
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			if (errno == EPIPE && x->pipe != SIG_IGN)
				x->killed_by = SIGPIPE;
			else
				cut(x, fd == STDERR_FILENO ? "write /dev/stderr" : "write /dev/stdout");
			return;
		}
		data += done;
		n -= (size_t)done;
	}
}

static void hear(struct run *x)
{
	ssize_t n = ctl_recv(x->r->ctl, &x->frame);
	struct ctl_exit end;

	if (n < 0) {
		x->ended = true;
		x->code = -1;
		return;
	}
	if (x->frame.kind == CTL_OUT)
		put(x, STDOUT_FILENO, x->frame.data, (size_t)n);
	else if (x->frame.kind == CTL_ERR)
		put(x, STDERR_FILENO, x->frame.data, (size_t)n);
	if (x->frame.kind != CTL_EXIT || n < (ssize_t)sizeof(struct ctl_exit))
		return;
	memcpy(&end, x->frame.data, sizeof(end)); /* behind one byte: not where an int may be read */
	x->ended = true;
	x->code = end.code;
	if (x->result)
		buf_add(x->result, x->frame.data + sizeof(struct ctl_exit),
			(size_t)n - sizeof(struct ctl_exit));
}

/* The part of n bytes which the limit of output still lets through. */
static size_t within_limit(struct relay *r, size_t n)
{
	uint64_t had = r->bytes[0] + r->bytes[1];
	uint64_t room = had < r->output_limit ? r->output_limit - had : 0;

	if (r->output_limit == 0 || n <= room)
		return n;
	r->dropped += n - room;
	return room;
}

/* Copies what is there; false: there is nothing more. */
static bool copy(struct run *x, int *from, int to)
{
	char data[CTL_DATA_MAX];
	ssize_t n = sys_read(*from, data, sizeof(data));

	if (n > 0) {
		size_t fine = within_limit(x->r, (size_t)n);

		x->r->bytes[to == STDERR_FILENO] += fine;
		put(x, to, data, fine);
		return true;
	}
	if (n < 0 && errno != EAGAIN && x->r->pty < 0) /* of a terminal it is the end */
		cut(x, "read what the command writes");
	if (n == 0 || errno != EAGAIN)
		*from = -1; /* the caller's to close */
	return false;
}

/* Copies what is there by now. What a child that was left behind writes later is discarded, as with docker: it might go on
 * for ever. */
static void copy_rest(struct run *x, int *from, int to)
{
	uint64_t *bytes = &x->r->bytes[to == STDERR_FILENO], had = *bytes + x->r->dropped;
	int there = 0;

	/* a terminal passes data on with a delay, and then reports its end of file */
	if (*from < 0 || x->r->pty >= 0 || ioctl(*from, FIONREAD, &there) < 0)
		there = INT_MAX;
	while (*from >= 0 && *bytes + x->r->dropped - had < (uint64_t)there && copy(x, from, to))
		;
}

static void give_up(void)
{
	static const char words[] = "\ngot 3 SIGTERM/SIGINTs, forcefully exiting\n";

	(void)sys_write_all(STDERR_FILENO, words,
		sizeof(words) - 1); /* if it cannot be printed the exit code still tells */
	_exit(1);
}

/* Who passes all signals on hears of the reader by an error, as docker's client; the others die of the signal. */
static void lose_reader(const struct run *x)
{
	static const char words[] = "write /dev/stdout: broken pipe\n";

	if (x->r->attach->proxy_signals && sys_write_all(STDERR_FILENO, words, sizeof(words) - 1) == 0)
		_exit(1);
}

/* ---- the loop ------------------------------------------------------------------------- */

enum { ON_IN, ON_PUSH, ON_CTL, ON_OUT, ON_ERR, ON_END, ON_SIGNAL, ON_ALL };

static void what_to_poll(const struct run *x, struct pollfd *p)
{
	const struct relay *r = x->r;
	bool room = !is_pending(x);

	p[ON_IN] = (struct pollfd){.fd = x->in_open && room ? STDIN_FILENO : -1, .events = POLLIN};
	p[ON_PUSH] = (struct pollfd){.fd = room || r->ctl >= 0 ? -1 : r->in, .events = POLLOUT};
	p[ON_CTL] = (struct pollfd){.fd = r->ctl, .events = POLLIN};
	if (!room && r->ctl >= 0)
		p[ON_CTL].events |= POLLOUT;
	p[ON_OUT] = (struct pollfd){.fd = r->out, .events = POLLIN};
	p[ON_ERR] = (struct pollfd){.fd = r->err, .events = POLLIN};
	p[ON_END] = (struct pollfd){.fd = r->ctl >= 0 || x->until ? -1 : r->end, .events = POLLIN};
	p[ON_SIGNAL] = (struct pollfd){.fd = x->signals, .events = POLLIN};
}

/* The program has ended; what it left behind may still write, but our input is not for that. */
static void begin_end(struct run *x)
{
	x->until = sys_now_ns() + RELAY_LATE_NS;
	x->in_open = x->end_due = false;
	x->pending_len = 0;
}

/* For poll(). */
static int patience(const struct run *x)
{
	int64_t left = x->until - sys_now_ns();

	return !x->until ? -1 : left > 0 ? (int)(left / 1000000 + 1) : 0;
}

static bool is_over(struct run *x)
{
	if (!x->until || (patience(x) > 0 && (x->r->out >= 0 || x->r->err >= 0)))
		return false;
	copy_rest(x, &x->r->out, STDOUT_FILENO);
	copy_rest(x, &x->r->err, STDERR_FILENO);
	return true;
}

static enum relay_end loop(struct run *x)
{
	struct relay *r = x->r;
	struct pollfd p[ON_ALL];

	while (!x->ended && !x->killed_by) {
		what_to_poll(x, p);
		(void)poll(p, ON_ALL, patience(x)); /* what woke us is in p; EINTR is nothing */
		if (p[ON_SIGNAL].revents)
			on_signal(x);
		if (p[ON_CTL].revents & (POLLIN | POLLHUP | POLLERR))
			hear(x);
		if (p[ON_OUT].revents)
			(void)copy(x, &r->out, STDOUT_FILENO);
		if (p[ON_ERR].revents)
			(void)copy(x, &r->err, STDERR_FILENO);
		if (r->dropped && r->output_limit_kills)
			return RELAY_OUTPUT;
		if (p[ON_PUSH].revents || (p[ON_CTL].revents & POLLOUT))
			push_input(x);
		if (p[ON_IN].revents && take_input(x))
			return RELAY_DETACHED;
		if (p[ON_END].revents)
			begin_end(x);
		if (is_over(x))
			return RELAY_ENDED;
	}
	if (x->killed_by)
		return RELAY_LOST; /* relay_run ends us */
	return x->code < 0 ? RELAY_LOST : RELAY_ENDED;
}

enum relay_end relay_run(struct relay *r, int signals, int *code, struct buf *result)
{
	struct run *x = xcalloc(1, sizeof(*x));
	enum relay_end end;

	x->r = r;
	x->signals = signals;
	x->in_open = r->attach->in;
	open_outputs(x);
	x->result = result;
	if (r->attach->tty && r->attach->in)
		(void)detach_init(&x->detach, /* words that say nothing sensible were refused above us */
			r->attach->detach_keys ? r->attach->detach_keys : DETACH_USUAL,
			&(struct err){0});
	/* If the program stops reading, this process must not end by SIGPIPE; if our own reader is gone it should. */
	x->pipe = signal(SIGPIPE, SIG_IGN);
	make_raw(x);
	if (r->attach->redraw && isatty(STDOUT_FILENO))
		send_size(x, 1);
	send_size(x, 0);
	end = loop(x);
	close_outputs(x);
	restore(x);
	(void)signal(SIGPIPE, x->pipe); /* as it was */
	if (x->killed_by == OUT_OF_PATIENCE)
		give_up();
	if (x->killed_by && r->attach->killed_by) {
		*r->attach->killed_by = x->killed_by;
		end = RELAY_KILLED;
	} else if (x->killed_by) {
		if (x->killed_by == SIGPIPE)
			lose_reader(x);
		sys_die_of(x->killed_by); /* and what hangs on us, an exec's tree or a container of --rm */
	}
	*code = x->code;
	free(x);
	return end;
}
