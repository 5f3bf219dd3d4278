// SPDX-License-Identifier: GPL-2.0-only
#include "run/inherited.h"
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static struct {
	sigset_t ignored;
	sigset_t blocked;
	struct rlimit files;
	bool has_files;
	int parent_death; /* the signal; 0: none */
	int subreaper;
} inherited;

/* Reading and writing them fails, as with a closed one, and they are closed again in what we execute. */
static void hold_closed_streams(void)
{
	int fd;

	do
		fd = open("/", O_PATH | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void inherited_save(void)
{
	struct sigaction action;
	int signo;

	hold_closed_streams();
	sigemptyset(&inherited.ignored);
	for (signo = 1; signo <= SIGRTMAX; signo++)
		if (!sigaction(signo, NULL, &action) && action.sa_handler == SIG_IGN)
			sigaddset(&inherited.ignored, signo);
	sigprocmask(SIG_BLOCK, NULL, &inherited.blocked);
	inherited.has_files = !getrlimit(RLIMIT_NOFILE, &inherited.files);
	/* execve(2) keeps these two, fork(2) does not. */
	prctl(PR_GET_PDEATHSIG, &inherited.parent_death);
	prctl(PR_GET_CHILD_SUBREAPER, &inherited.subreaper);
}

static void restore_signal(int signo)
{
	signal(signo, sigismember(&inherited.ignored, signo) == 1 ? SIG_IGN : SIG_DFL);
}

void inherited_restore(void)
{
	sigset_t unblocked;
	int signo;

	for (signo = 1; signo <= SIGRTMAX; signo++)
		restore_signal(signo);
	if (inherited.has_files)
		setrlimit(RLIMIT_NOFILE, &inherited.files);
	prctl(PR_SET_PDEATHSIG, inherited.parent_death);
	prctl(PR_SET_CHILD_SUBREAPER, inherited.subreaper);
	/*
	 * SIG_SETMASK would unblock the two signals that glibc keeps for itself and does not let programs name. The
	 * mask comes last: a signal that is pending finds its disposition.
	 */
	sigfillset(&unblocked);
	for (signo = 1; signo <= SIGRTMAX; signo++)
		if (sigismember(&inherited.blocked, signo) == 1)
			sigdelset(&unblocked, signo);
	sigprocmask(SIG_BLOCK, &inherited.blocked, NULL);
	sigprocmask(SIG_UNBLOCK, &unblocked, NULL);
}

void inherited_raise(int signo)
{
	restore_signal(signo);
	raise(signo);
}
