// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/thread.h"

#include <signal.h>

int proclife_thread_start(pthread_t *thread, void *(*run)(void *data), void *data)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(thread, NULL, run, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}
