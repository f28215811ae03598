// SPDX-License-Identifier: GPL-2.0-only
/*
 * progress.c - work that takes a while, and showing how far it is.
 *
 * The driver's long calls block.  A child makes the call while the parent asks
 * for the card's status through a descriptor of its own; the result comes back
 * through a pipe.  A child, not a thread: it can be left behind in a call that
 * does not end, and it needs nothing but libc.
 *
 * Ctrl-C reaches both; a signal sent to the parent alone is passed on, again
 * and again, since one that arrives just before the child enters the call
 * would be lost.  It is the very same signal: one that we caught is not ignored
 * by the child, as SIGINT is in a script's background job.
 */
#include "progress.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stop.h"

#define BAR_WIDTH	40
#define POLL_MS		100

void progress_show(struct progress *progress, unsigned int permille)
{
	int percent = permille < 1000 ? permille / 10 : 100;
	int filled = percent * BAR_WIDTH / 100;
	int i;

	if (progress->hidden || percent == progress->shown)
		return;
	if (!isatty(STDOUT_FILENO)) {
		if (percent / 10 == progress->shown / 10 || percent < 10)
			return;
		printf("%s: %s: %d%%\n", progress->name, progress->doing, percent);
	} else {
		printf("\r%s: %s [", progress->name, progress->doing);
		for (i = 0; i < BAR_WIDTH; i++)
			putchar(i < filled ? '=' : ' ');
		printf("] %3d%%", percent);
	}
	progress->shown = percent;
	fflush(stdout);
}

void progress_end(struct progress *progress)
{
	if (progress->shown >= 0 && isatty(STDOUT_FILENO))
		printf("\r\033[K");
	progress->shown = -1;
	fflush(stdout);
}

static void child(int fd, unsigned long request, void *arg, int result_fd, pid_t parent)
{
	int err = -EINTR;
	ssize_t done;

	/* If the parent is killed, the work has nobody left: stop it. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (!stop_asked() && getppid() == parent)
		err = dev_call(fd, request, arg);
	done = write(result_fd, &err, sizeof(err));
	_exit(done == sizeof(err) ? 0 : 1);
}

static void show_status(int fd, struct progress *progress)
{
	struct openvsl_info info = { .size = sizeof(info) };

	if (fd >= 0 && !dev_call(fd, OPENVSL_IOC_INFO, &info) && info.progress_permille < 1000)
		progress_show(progress, info.progress_permille);
}

/* Return: what the child sent; -EINTR if it died. */
static int wait_for(pid_t pid, int result_fd, int status_fd, struct progress *progress)
{
	struct pollfd poll_fd = { .fd = result_fd, .events = POLLIN };
	int err = -EINTR;

	for (;;) {
		if (poll(&poll_fd, 1, POLL_MS) > 0)
			break;
		show_status(status_fd, progress);
		if (stop_asked() > 1)
			return -EINPROGRESS;
		if (stop_asked())
			kill(pid, stop_signal());
	}
	if (read(result_fd, &err, sizeof(err)) != sizeof(err))
		err = -EINTR;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return err;
}

int progress_call(struct card *card, struct progress *progress, unsigned long request,
		  void *arg)
{
	pid_t self = getpid();
	int status_fd;
	int result[2];
	pid_t pid;
	int err;

	if (pipe(result))
		return -errno;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(result[0]);
		child(card->fd, request, arg, result[1], self);
	}
	close(result[1]);
	if (pid < 0) {
		err = -errno;
	} else {
		status_fd = dev_open_card(card->nr);
		err = wait_for(pid, result[0], status_fd, progress);
		if (status_fd >= 0)
			dev_close(status_fd);
	}
	close(result[0]);
	progress_end(progress);
	return err;
}
