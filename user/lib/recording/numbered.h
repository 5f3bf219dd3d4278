/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Texts that a recording keeps for numbers in its records: a file with a line "NUMBER TEXT" for
 * each. CTF readers ignore the file, since its name begins with a dot.
 */
#ifndef PROCLIFE_NUMBERED_H
#define PROCLIFE_NUMBERED_H

#include "proclife.h"

/* What a line is: there can be no such number or text; all parts can repeat what is known. */
enum { PROCLIFE_LINE_NEW, PROCLIFE_LINE_BAD, PROCLIFE_LINE_KNOWN };

struct proclife_numbered {
	const char *file;
	const char *text; /* what the texts are, such as "path" */
	size_t longest;	  /* of the texts */
	/* Takes a line. Returns one of these, or -ENOMEM. */
	int (*take)(void *data, uint64_t number, const char *text);
};

/* If something is wrong with the file, only texts are missing: that is no error. 0 or -ENOMEM. */
int proclife_numbered_read(const struct proclife_numbered *kind, const char *recording, void *data,
			   struct proclife_fault *fault);

/* Appends a line at *@end of the file, and advances *@end. Returns 0 or a negative errno. */
int proclife_numbered_write(int fd, uint64_t *end, uint64_t number, const char *text);

#endif
