/* SPDX-License-Identifier: GPL-2.0-only */
/* What --info knows of a recording: info_read.c reads it, info.c and info_json.c show it. */
#ifndef READ_INFO_H
#define READ_INFO_H

#include "views/views.h"

#define INFO_NAME 24 /* of a stream's file, with its NUL */

struct info_stream {
	char name[INFO_NAME];
	bool is_there;
	bool compressed;
	uint64_t bytes; /* of the file as it is */
	uint64_t lost; /* in its gaps */
};

struct info {
	struct run run;
	struct options options; /* of the run */
	const char *dir;
	const struct proclife_run_info *recorded;
	const struct proclife_header *header;
	uint64_t records;
	uint64_t types[PROCLIFE_TYPES]; /* records; unknown types under PROCLIFE_NONE */
	uint64_t first; /* the time of the first event in it; 0: there was none */
	struct {
		uint64_t all;
		uint64_t born;
		uint64_t ended;
		uint64_t states[PROCLIFE_STATES]; /* of those that were not gone at its end */
	} processes;
	struct {
		char *path; /* NULL: not known, and so are the arguments */
		char *args;
		uint32_t args_bytes;
		bool args_cut;
	} command;
	struct info_stream *streams; /* by CPU; then the snapshot, and where parts are missing */
	size_t stream_count;
	uint64_t disk; /* bytes of all its files */
};

#define INFO_UUID 37 /* as a text, with its NUL */

void info_uuid(const uint8_t uuid[PROCLIFE_UUID_BYTES], char text[INFO_UUID]);

void info_print(const struct info *info);
void info_json(const struct info *info);

/* "complete", "running" or "cut" */
const char *info_state(const struct info *info);
/* Has the machine as many CPUs as it says, or did it not say? */
bool info_has_cpus(const struct info *info);
/* Did the kernel and the module offer records of this type, about what happens to tasks? */
bool info_is_absent(const struct info *info, unsigned int type);

#endif
