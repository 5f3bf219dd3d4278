// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "session/compress.h"
#include "session/session_state.h"
#include <errno.h>
#include <inttypes.h>
#include <proclife.h>
#include <signal.h>
#include <time.h>

struct compress {
	const char *dir;
	sigset_t enders; /* signals that end a session */
	time_t began;
	bool said;
};

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void say_what_takes_long(struct compress *compress)
{
	if (compress->said || !message_on_terminal() || seconds() <= compress->began + 1)
		return;
	message("%s: compressing; Ctrl-C leaves the rest as it is", quoted(compress->dir));
	compress->said = true;
}

static bool is_interrupted(void *data)
{
	struct compress *compress = data;
	sigset_t pending;

	say_what_takes_long(compress);
	sigpending(&pending);
	sigandset(&pending, &pending, &compress->enders);
	return !sigisemptyset(&pending);
}

static int compress_it(const char *option, struct compress *compress)
{
	struct proclife_fault fault;
	uint64_t bytes = 0;
	int ret = proclife_recording_compress(compress->dir, is_interrupted, compress, &bytes, &fault);

	if (ret == -ENOMEM)
		die_no_memory();
	if (ret == -ECANCELED) {
		message("%s: not all of it is compressed; it can be read as it is", quoted(compress->dir));
		return 0;
	}
	if (ret)
		message("%s %s: %s", option, quoted(fault.path), fault.text);
	else if (!message_is_quiet() && !bytes)
		message("%s: too small to be worth compressing", quoted(compress->dir));
	else if (!message_is_quiet())
		message("%s: compressed to %" PRIu64 " bytes", quoted(compress->dir), bytes);
	return ret;
}

int compress_recording(const char *option, const char *dir)
{
	struct compress compress = { .dir = dir, .began = seconds() };
	sigset_t before;
	int ret;

	session_signal_set(&compress.enders);
	sigdelset(&compress.enders, SIGCHLD);
	sigprocmask(SIG_BLOCK, &compress.enders, &before);
	ret = compress_it(option, &compress);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}
