/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a recording keeps to go with numbers in its records: a file with a line "NUMBER TEXT" for each.
 * Readers of CTF pass over it, as its name begins with a dot.
 */
#ifndef PROCLIFE_NUMBERED_H
#define PROCLIFE_NUMBERED_H

#include "proclife.h"

struct proclife_numbered {
	const char *file;
	const char *text; /* what a text is: "path" */
	size_t longest;	  /* of the texts */
	/* A line. 0; 1 if there can be no such number or text; -ENOMEM. */
	int (*take)(void *data, uint64_t number, const char *text);
};

/* Whatever is wrong with the file, all that is missing then is texts. 0 or -ENOMEM. */
int proclife_numbered_read(const struct proclife_numbered *kind, const char *recording, void *data,
			   struct proclife_fault *fault);

/* Appends a line at *@end of the file, and moves that. 0 or a negative errno. */
int proclife_numbered_write(int fd, uint64_t *end, uint64_t number, const char *text);

#endif
