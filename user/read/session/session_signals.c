// SPDX-License-Identifier: GPL-2.0-only
/* Ctrl-C and similar signals, and the end of a command. */
#include "output/message.h"
#include "session/session_state.h"
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_ignored(int signo)
{
	struct sigaction action;

	return !sigaction(signo, NULL, &action) && action.sa_handler == SIG_IGN;
}

void session_signal_set(sigset_t *set)
{
	static const int enders[] = { SIGINT, SIGTERM, SIGHUP };
	size_t i;

	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (i = 0; i < sizeof(enders) / sizeof(enders[0]); i++)
		if (!is_ignored(enders[i])) /* nohup(1) */
			sigaddset(set, enders[i]);
}

void session_block_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN); /* write(2) reports it */
	signal(SIGXFSZ, SIG_IGN); /* write(2) reports it, too */
	signal(SIGCHLD, SIG_DFL); /* if it were ignored, the status of the command would be lost */
	session_signal_set(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void session_stop_at(struct session *s, uint64_t when, enum stop why)
{
	if (s->stop_at <= when)
		return;
	s->stop_at = when;
	s->stop_then = why;
	s->give_up_at = when + 2 * SECOND;
}

static void take_signal(struct session *s, int signo)
{
	if (signo == SIGCHLD) /* it has only woken us: reap() looks which process ended */
		return;
	if (signo == SIGINT && message_on_terminal())
		message_interrupted();
	if (signo == SIGINT && s->follow.pid && !s->follow.ended && !s->interrupted) {
		/* The terminal has sent it to the command, too. */
		s->interrupted = true;
		if (message_on_terminal())
			message("waiting for the command to end; Ctrl-C once more stops at once");
		return;
	}
	s->killed_by = signo;
	if (s->replay) { /* a recording has another clock */
		s->stop = STOP_SIGNAL;
		s->run.ended = proclife_source_horizon(s->run.source);
		return;
	}
	session_stop_at(s, session_now(s), STOP_SIGNAL);
}

/* Do orphans become our children? */
static bool adopts(void)
{
	int subreaper = 0;

	return getpid() == 1 || prctl(PR_GET_CHILD_SUBREAPER, &subreaper) || subreaper;
}

/*
 * Once there is no child, there is none until we fork: a sibling needs a child that makes it. To look anyway makes a
 * record, WAIT, which wakes a recorder that has nothing else to do.
 */
static bool may_have_children(const struct session *s)
{
	return !s->childless || reaction_is_busy(&s->triggers.reaction) || (s->follow.pid && !s->follow.ended);
}

/*
 * We have children that we did not fork: siblings that a command makes (CLONE_PARENT), orphans if we are a
 * subreaper or process 1, and children from before our execve(2). No other process can reap them. Some end without
 * SIGCHLD: hence __WALL, and a call whether there was one or not.
 */
static void reap(struct session *s)
{
	int status;
	pid_t pid;

	if (!may_have_children(s))
		return;
	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		follow_reaped(&s->follow, pid, status);
		reaction_reaped(&s->triggers.reaction, pid, status);
	}
	s->childless = pid < 0 && errno == ECHILD && !adopts();
	if (s->follow.ended && !s->ended_at)
		s->ended_at = session_now(s);
}

void session_take_signals(struct session *s)
{
	struct signalfd_siginfo info;

	while (read(s->signals, &info, sizeof(info)) == sizeof(info))
		take_signal(s, info.ssi_signo);
	reap(s);
}
