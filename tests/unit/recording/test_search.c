// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stream's file in which the next packet is far away: holes cost nothing, data lets the
 * reader return now and then, and after the recorded end nothing is searched.
 */
#include "program.h"
#include "recorded.h"

#include <recording/ctf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAR (1LL << 40)
#define JUNK (64LL << 20)

/* One CPU, some packets, not overrun. */
static void make(bool complete)
{
	struct run_options options = {
		.cpus = 1, .ring = 16384, .rounds = 5, .seed = 5, .abandon = !complete,
	};

	record_run(&options, folder.path, &live);
	assert_true(live.count > 3 * PROCLIFE_CTF_RECORDS);
}

/* Moves the second packet, and all that follows, by this many bytes. */
static void move(off_t by)
{
	off_t size = file_size(folder.path, "cpu_0"), from = PROCLIFE_CTF_PACKET;
	char path[PATH_MAX + 16], *bytes = malloc(size);
	int fd;

	snprintf(path, sizeof(path), "%s/cpu_0", folder.path);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, bytes, size - from, from), size - from);
	assert_int_equal(ftruncate(fd, from), 0);
	assert_int_equal(pwrite(fd, bytes, size - from, from + by), size - from);
	close(fd);
	free(bytes);
}

static void fill(off_t from, off_t size)
{
	static char junk[1 << 20];

	memset(junk, 'j', sizeof(junk));
	for (; size > 0; from += sizeof(junk), size -= sizeof(junk))
		file_patch(folder.path, "cpu_0", from, junk, sizeof(junk));
}

/* Reads all of it; returns how often there was nothing yet. */
static uint64_t read_all(uint64_t *records, struct proclife_damage *damage)
{
	struct proclife_source *source = replay(folder.path);
	struct proclife_event event;
	uint64_t nothing = 0;
	int ret;

	*records = 0;
	while ((ret = proclife_source_next(source, &event)) >= 0) {
		*records += ret && event.record;
		nothing += !ret;
		if (!ret) /* and no wait is needed */
			assert_int_equal(proclife_source_wait(source, 10000), 1);
		if (nothing > 1000)
			fail_msg("there is no end of it");
	}
	assert_int_equal(ret, -ENODATA);
	assert_non_null(proclife_recording_damage(source, 0));
	*damage = *proclife_recording_damage(source, 0);
	proclife_source_free(source);
	return nothing;
}

static void test_hole(void **state)
{
	struct proclife_damage damage;
	uint64_t records;

	(void)state;
	make(false);
	move(FAR);
	assert_int_equal(read_all(&records, &damage), 0);
	assert_int_equal(records, live.count);
	assert_int_equal(damage.lost, 0);
	assert_int_equal(damage.at, PROCLIFE_CTF_PACKET);
	/* A hole at the end. */
	file_cut(folder.path, "cpu_0", 2 * FAR);
	assert_int_equal(read_all(&records, &damage), 0);
	assert_int_equal(records, live.count);
}

static void test_junk(void **state)
{
	struct proclife_damage damage;
	uint64_t records;

	(void)state;
	make(false);
	move(JUNK);
	fill(PROCLIFE_CTF_PACKET, JUNK);
	assert_in_range(read_all(&records, &damage), 3, 100);
	assert_int_equal(records, live.count);
	assert_int_equal(damage.places, 1);
	/* From the first byte on, too, before anything is known of any stream. */
	fill(0, PROCLIFE_CTF_PACKET);
	assert_in_range(read_all(&records, &damage), 3, 100);
	assert_int_equal(records, live.count - PROCLIFE_CTF_RECORDS);
	assert_int_equal(damage.lost, PROCLIFE_CTF_RECORDS);
}

/* The metadata has the length of the file. */
static void test_behind(void **state)
{
	off_t size;
	struct proclife_damage damage;
	uint64_t records;

	(void)state;
	make(true);
	size = file_size(folder.path, "cpu_0");
	fill(size, JUNK);
	assert_int_equal(read_all(&records, &damage), 0);
	assert_int_equal(records, live.count);
	assert_int_equal(damage.lost, 0);
	move(size);
	assert_int_equal(read_all(&records, &damage), 0);
	assert_int_equal(records, PROCLIFE_CTF_RECORDS);
	assert_int_equal(damage.lost, live.count - PROCLIFE_CTF_RECORDS);
}

/* Ctrl-C during the search: here, before it. */
static void test_interrupted(void **state)
{
	char path[PATH_MAX + 16];
	struct output output;
	sigset_t set, old;
	FILE *file;

	(void)state;
	make(false);
	fill(PROCLIFE_CTF_PACKET, JUNK);
	snprintf(path, sizeof(path), "%s/run", folder.base);
	file = fopen(path, "w");
	fprintf(file, "kill -INT $$\nexec %s --tree --json -i %s\n", program, folder.path);
	fclose(file);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, &old);
	output = run_program(false, 0, "sh %s", path);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (!strstr(output.text, "\"reason\":\"signal\""))
		fail_msg("%d: %s", output.status, output.text);
	free(output.text);
}

/* The time of a search does not count as the recording's. */
static void test_duration(void **state)
{
	struct output output;

	(void)state;
	make(false);
	move(JUNK);
	fill(PROCLIFE_CTF_PACKET, JUNK);
	output = run_program(false, 0, "%s --tree --json --duration=1000 -i %s", program,
			     folder.path);
	if (!strstr(output.text, "\"reason\":\"cut\""))
		fail_msg("%d: %s", output.status, output.text);
	free(output.text);
}

/* A recording of as many CPUs as the limit allows files at first. */
static void test_many_files(void **state)
{
	struct run_options options = { .cpus = 40, .ring = 1024, .rounds = 2, .seed = 5 };
	struct output output;
	char path[PATH_MAX + 16];
	FILE *file;

	(void)state;
	record_run(&options, folder.path, &live);
	snprintf(path, sizeof(path), "%s/run", folder.base);
	file = fopen(path, "w");
	fprintf(file, "ulimit -S -n 32\nexec %s --tree --json -i %s\n", program, folder.path);
	fclose(file);
	output = run_program(true, 0, "sh %s", path);
	if (output.status || output.size)
		fail_msg("%d: %s", output.status, output.text);
	free(output.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDED(test_hole),
		RECORDED(test_junk),
		RECORDED(test_behind),
		RECORDED(test_interrupted),
		RECORDED(test_duration),
		RECORDED(test_many_files),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
