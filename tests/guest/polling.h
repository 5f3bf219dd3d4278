/* SPDX-License-Identifier: GPL-2.0-only */
/* How the guest tests sleep on the device. */
#ifndef TESTS_GUEST_POLLING_H
#define TESTS_GUEST_POLLING_H

#include <stdbool.h>
#include <stdint.h>

/* Longer than any guest takes to make the records that a sleeper waits for. */
#define PATIENCE_MS 180000

/* Opens the device with this watermark; @flags are for open(2). */
int open_device(int flags, uint64_t watermark);

/* Acknowledges all. Returns the sum of committed records. */
uint64_t read_count(int fd);

bool ready(int fd, int timeout_ms);

/* Sleeps until it is ready. False if it was not woken. */
bool woken(int fd);

/* A child that sleeps a moment, then forks this often. Returns its pid. */
int forks_later(unsigned int count);

#endif
