/* SPDX-License-Identifier: GPL-2.0-only */
/* The judge's plain format, for what writes it: --truth, and the listener to the proc connector. */
#ifndef EXACT_WRITE_PLAIN_H
#define EXACT_WRITE_PLAIN_H

#include <inttypes.h>
#include <stdio.h>

#define NAME_SIZE 16 /* as the kernel keeps it, with the NUL */

/* The beginning of a line. */
static inline void write_event_of(FILE *out, uint64_t ns, const char *event, uint32_t pid)
{
	fprintf(out, "%" PRIu64 ".%09" PRIu64 " %s %" PRIu32, ns / 1000000000, ns % 1000000000, event, pid);
}

static inline void write_name(FILE *out, const char *name)
{
	size_t i;

	putc(' ', out);
	if (!*name)
		putc('-', out);
	for (i = 0; i < NAME_SIZE && name[i]; i++) {
		if (name[i] > ' ' && name[i] < 127 && name[i] != '\\' && (i || name[i] != '-'))
			putc(name[i], out);
		else
			fprintf(out, "\\x%02x", (unsigned char)name[i]);
	}
}

#endif
