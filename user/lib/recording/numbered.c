// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recording/numbered.h"
#include "recording/parts.h"
#include "base/files.h"
#include "base/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Nothing beyond these limits is read: at the limits, the tables and the texts take 100 MiB. Only what is new
 * counts for both: a part repeats the texts of the parts before.
 */
#define MOST_BYTES (32u << 20)
#define MOST_LINES (1u << 19)
#define MOST_OF_FILE (4 * (uint64_t)MOST_BYTES) /* whatever is in it */
#define NUMBER_LENGTH 32 /* more than the digits of any number */

struct reading {
	const struct proclife_numbered *kind;
	void *data;
	uint64_t good; /* lines that are new, and the bytes of their texts */
	uint64_t bytes;
	uint64_t bad;
};

static int take_line(const struct reading *reading, char *line)
{
	uint64_t number;
	char *text;

	errno = 0;
	number = strtoull(line, &text, 10);
	/* strtoull() takes spaces and a sign before it, too. */
	if (line[0] < '0' || errno || text[0] != ' ' || !text[1])
		return PROCLIFE_LINE_BAD;
	return reading->kind->take(reading->data, number, text + 1);
}

/* Takes the complete lines of *@held bytes, and leaves the rest. Returns 0 or -ENOMEM. */
static int take_lines(struct reading *reading, char *buffer, size_t *held)
{
	char *line = buffer, *end = buffer + *held, *eol;

	while ((eol = memchr(line, '\n', (size_t)(end - line)))) {
		int ret;

		*eol = '\0';
		/* A NUL in it would hide the rest. */
		ret = memchr(line, '\0', (size_t)(eol - line)) ? PROCLIFE_LINE_BAD : take_line(reading, line);
		if (ret < 0)
			return ret;
		reading->bad += ret == PROCLIFE_LINE_BAD;
		reading->good += ret == PROCLIFE_LINE_NEW;
		reading->bytes += ret == PROCLIFE_LINE_NEW ? (uint64_t)(eol - line) : 0;
		line = eol + 1;
	}
	*held = (size_t)(end - line);
	memmove(buffer, line, *held);
	return 0;
}

static bool is_full(const struct reading *reading, uint64_t total)
{
	return total >= MOST_OF_FILE || reading->bytes >= MOST_BYTES || reading->good >= MOST_LINES;
}

/* The last line may have been cut off: without its end, it is not a line. */
static int read_lines(struct reading *reading, const char *recording, int fd,
		      struct proclife_fault *fault)
{
	static const char again[] = "copy the recording again from where it was made";
	const struct proclife_numbered *kind = reading->kind;
	size_t longest = kind->longest + NUMBER_LENGTH, held = 0;
	char buffer[2 * (PATH_MAX + NUMBER_LENGTH)];
	uint64_t total = 0;
	int err = 0;

	while (!err && !is_full(reading, total) && held < longest) {
		ssize_t n = read(fd, buffer + held, sizeof(buffer) - held);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			proclife_fault_at(fault, recording, kind->file, "cannot read: %s",
					  proclife_strerror(errno));
		if (n <= 0)
			break;
		total += (uint64_t)n;
		held += (size_t)n;
		err = take_lines(reading, buffer, &held);
	}
	if (!err && held >= longest)
		proclife_fault_at(fault, recording, kind->file, "damaged: a line is too long for a %s; %s",
			kind->text, again);
	else if (!err && reading->good < MOST_LINES && is_full(reading, total))
		proclife_fault_at(fault, recording, kind->file, "only the first %u MiB are read",
				  MOST_BYTES >> 20);
	else if (!err && is_full(reading, total))
		proclife_fault_at(fault, recording, kind->file, "only the first %u %ss are read",
				  MOST_LINES, kind->text);
	else if (!err && reading->bad)
		proclife_fault_at(fault, recording, kind->file, "damaged: %" PRIu64 " of its lines %s no number and %s; %s",
			reading->bad, reading->bad == 1 ? "is" : "are", kind->text, again);
	return err;
}

static int read_file(struct reading *reading, const char *recording, int dir, struct proclife_fault *fault)
{
	struct stat st;
	int fd = proclife_plain_open(dir, recording, reading->kind->file, &st, fault), err;

	if (fd == -ENOENT)
		proclife_fault_set(fault, "%s", ""); /* the recorder had no text to write */
	if (fd < 0)
		return 0;
	err = read_lines(reading, recording, fd, fault);
	close(fd);
	return err;
}

/* Each part has those that occur in it, and the latest matters most. One can be removed meanwhile. */
static int read_parts(struct reading *reading, const char *path, const uint32_t *numbers, size_t count,
		      struct proclife_fault *fault)
{
	char part[PATH_MAX];
	int err = 0;

	while (count-- && !err && !is_full(reading, 0)) {
		int dir, n = snprintf(part, sizeof(part), "%s/%08" PRIu32, path, numbers[count]);

		dir = n < (int)sizeof(part) ? open(part, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		if (dir < 0)
			continue;
		err = read_file(reading, part, dir, fault);
		close(dir);
	}
	return err;
}

int proclife_numbered_read(const struct proclife_numbered *kind, const char *recording, void *data,
			   struct proclife_fault *fault)
{
	int dir = open(recording, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	struct reading reading = { .kind = kind, .data = data };
	uint32_t *numbers = NULL;
	char path[PATH_MAX];
	size_t count = 0;

	if (dir < 0) {
		if (errno != ENOENT)
			proclife_fault_at(fault, recording, NULL, "cannot open: %s%s",
					  proclife_strerror(errno), proclife_remedy(errno));
		return 0;
	}
	err = proclife_parts_locate(dir, recording, path, &numbers, &count);
	if (err == -ENOENT)
		err = read_file(&reading, recording, dir, fault);
	else if (!err)
		err = read_parts(&reading, path, numbers, count, fault);
	free(numbers);
	close(dir);
	return err == -ENOMEM ? err : 0;
}

int proclife_numbered_write(int fd, uint64_t *end, uint64_t number, const char *text)
{
	char *line;
	int n = asprintf(&line, "%" PRIu64 " %s\n", number, text), err;

	if (n < 0)
		return -ENOMEM;
	err = proclife_write_all(fd, line, (size_t)n, *end);
	*end += (uint64_t)n;
	free(line);
	return err;
}
