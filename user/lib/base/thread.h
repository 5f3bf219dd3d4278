/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROCLIFE_THREAD_H
#define PROCLIFE_THREAD_H

#include <pthread.h>

/* Starts a thread that blocks all signals: they are the program's. Returns 0 or a negative errno. */
int proclife_thread_start(pthread_t *thread, void *(*run)(void *data), void *data);

#endif
