// SPDX-License-Identifier: GPL-2.0-only
#include "live/terminal_crash.h"
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

static struct {
	struct termios modes;
	bool has_modes;
	bool on;
	bool at_exit;
	char codes[256]; /* that leave the screen: a handler must not look them up */
	size_t length;
} crash;

/* Signals that end a program, and are handled or ignored nowhere else; so do those of real time. */
static const int signals[] = {
	SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGQUIT, SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF,
	SIGUSR1, SIGUSR2, SIGIO, SIGPWR, SIGSTKFLT,
};

void crash_remember(void)
{
	crash.has_modes = !tcgetattr(STDIN_FILENO, &crash.modes);
}

/* Without the delays that it asks old terminals for. */
static void add_code(const char *name)
{
	const char *code = tigetstr(name);

	if (!code || code == (char *)-1)
		return;
	for (; *code && crash.length < sizeof(crash.codes); code++) {
		if (code[0] == '$' && code[1] == '<' && strchr(code, '>'))
			code = strchr(code, '>');
		else
			crash.codes[crash.length++] = *code;
	}
}

static void give_back(int signo)
{
	if (crash.on) {
		crash.on = false;
		if (write(STDOUT_FILENO, crash.codes, crash.length) < 0)
			crash.length = 0;
		if (crash.has_modes)
			tcsetattr(STDIN_FILENO, TCSANOW, &crash.modes);
	}
	raise(signo); /* its action is the default again */
}

static void watch(int signo)
{
	struct sigaction action = { .sa_handler = give_back, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND | SA_NODEFER };
	struct sigaction old;

	if (!sigaction(signo, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(signo, &action, NULL);
}

static void forget(int signo)
{
	struct sigaction action;

	if (!sigaction(signo, NULL, &action) && action.sa_handler == give_back)
		signal(signo, SIG_DFL);
}

static void each(void (*act)(int signo))
{
	size_t i;
	int signo;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		act(signals[i]);
	for (signo = SIGRTMIN; signo <= SIGRTMAX; signo++)
		act(signo);
}

void crash_watch(void (*end)(void))
{
	static char stack[1 << 16];
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };

	crash.length = 0;
	add_code("sgr0");
	add_code("rmkx");
	add_code("cnorm");
	add_code("rmcup");
	crash.on = true;
	sigaltstack(&other, NULL); /* where it overflows, there is no other */
	each(watch);
	if (!crash.at_exit)
		atexit(end);
	crash.at_exit = true;
}

void crash_forget(void)
{
	crash.on = false;
	each(forget);
}
