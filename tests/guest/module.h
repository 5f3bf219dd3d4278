/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the guest tests: the module, and something for it to record. */
#ifndef TESTS_GUEST_MODULE_H
#define TESTS_GUEST_MODULE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Does tests/guest/without_module run this? Then these pin BPF programs and remove them, and the sources read them. */
bool module_is_bpf(void);
/* Loads the installed module with these parameters ("" for none). Returns 0 or a negative errno. */
int module_load(const char *parameters);
/* Unloads it without force. Returns 0 or a negative errno. */
int module_unload(void);
bool module_loaded(void);

/* For a group of cmocka tests: the module with its defaults. */
int load_fixture(void **state);
int unload_fixture(void **state);

/* Forks a child that exits with this status, and waits for it. */
void fork_once(int status);
void fork_many(unsigned int count);

/* Called in a child of @parent: it is killed when @parent ends, also when a test has failed. */
void end_with(pid_t parent);

/* Processes that fork, without exec, on every CPU until storm_stop(). */
struct storm;
struct storm *storm_start(unsigned int processes);
/* How many children were forked and reaped so far. */
uint64_t storm_forked(const struct storm *storm);
/* Waits until this many more were; fails after a minute. */
void storm_for(const struct storm *storm, uint64_t more);
/* Returns how many children were forked and reaped. */
uint64_t storm_stop(struct storm *storm);

/* Runs this process on one CPU only. */
void pin_to_cpu(int cpu);
void unpin(void);

/* Turns a CPU on or off. Returns 0 or a negative errno. */
int cpu_set_online(int cpu, bool online);

#endif
