/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder with a recording, or a part of one: opening it, and closing it. */
#ifndef PROCLIFE_FOLDER_H
#define PROCLIFE_FOLDER_H

#include "recording/ctf_reader.h"

struct proclife_folder {
	struct proclife_metadata metadata;
	char *path;
	int dir;
	struct proclife_ctf_reader **readers;
	uint32_t count;
	struct proclife_unpacker *unpacker; /* NULL: nothing is compressed */
	bool locked; /* its recorder was at work when its metadata was read; if it is complete, on the part after it */
	uint64_t since; /* 0: it begins here; otherwise the part before has what was before */
};

/*
 * These return 0 or a negative errno, which @fault explains, and leave what was opened to
 * proclife_folder_close().
 */
int proclife_folder_open(struct proclife_folder *folder, const char *path, struct proclife_fault *fault);
/* -ENOEXEC: there is none, or it is not ours. */
int proclife_folder_metadata(struct proclife_folder *folder, struct proclife_fault *fault);
/* Adds its streams to the merge. */
int proclife_folder_streams(struct proclife_folder *folder, struct proclife_merge *merge, uint64_t since,
			    struct proclife_fault *fault);
/* Nothing of it is in a merge any more. */
void proclife_folder_close(struct proclife_folder *folder);

/* When the trace ends that is in it; once all of it has been read. */
uint64_t proclife_folder_end(const struct proclife_folder *folder);

#endif
