// SPDX-License-Identifier: LGPL-2.1-or-later
/* What PATH says: the file that a process runs, where, and variables of its environment. */
#include "lives/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS PROCLIFE_PATH_ENV

struct text {
	char *bytes; /* or NULL, with a NUL behind */
	uint32_t len;
	uint32_t gaps; /* how many had been seen when it began */
	uint8_t room;  /* bytes has 2 to the power of this */
};

struct proclife_priv_program {
	struct proclife_program program;
	struct text texts[TEXTS];
};

const struct proclife_program *proclife_process_program(const struct proclife_process *process)
{
	const struct proclife_priv_program *own = proclife_priv(process)->program;

	return own ? &own->program : NULL;
}

void proclife_program_free(struct proclife_priv_process *process)
{
	struct proclife_priv_program *own = process->program;

	for (unsigned int i = 0; own && i < TEXTS; i++)
		free(own->texts[i].bytes);
	free(own);
	process->program = NULL;
}

static void set_text(struct proclife_priv_program *own, unsigned int what, const char *text)
{
	if (what == PROCLIFE_PATH_EXE)
		own->program.exe = text;
	else if (what == PROCLIFE_PATH_CWD)
		own->program.cwd = text;
	else
		own->program.env = text;
}

static int append(struct text *text, const char *piece, uint32_t len)
{
	uint32_t end = text->len + len;
	uint8_t room = text->room;
	char *bytes;

	while (end >> room)
		room++;
	if (!text->bytes || room > text->room) {
		bytes = realloc(text->bytes, (size_t)1 << room);
		if (!bytes)
			return -ENOMEM;
		text->bytes = bytes;
		text->room = room;
	}
	memcpy(text->bytes + text->len, piece, len);
	text->bytes[end] = 0;
	text->len = end;
	return 0;
}

/* The last piece is there. */
static void finish(struct proclife_priv_program *own, const struct proclife_record *record, const struct text *text)
{
	const struct proclife_path *path = &record->path;
	bool lacks = record->flags & PROCLIFE_F_TRUNCATED;

	if (path->what == PROCLIFE_PATH_ENV) {
		own->program.env_bytes = text->len;
		own->program.env_searched = path->searched;
		own->program.env_whole = !lacks;
	} else if (lacks || !text->len) {
		return;
	}
	set_text(own, path->what, text->bytes);
}

/* As with ARGS: after a gap, a piece that seems to fit can belong to another EXEC. */
int proclife_program_note(struct proclife_priv_process *process, const struct proclife_record *record)
{
	const struct proclife_path *path = &record->path;
	uint32_t end = (uint32_t)path->offset + path->len, gaps = (uint32_t)process->all->gaps;
	struct text *text;

	if (!path->what || path->what > TEXTS) /* of a later ABI */
		return 0;
	if (!process->program)
		process->program = calloc(1, sizeof(*process->program));
	if (!process->program)
		return -ENOMEM;
	text = &process->program->texts[path->what - 1];
	if (!path->offset) {
		set_text(process->program, path->what, NULL);
		text->len = 0;
		text->gaps = gaps;
	}
	if (path->len > PROCLIFE_PATH_TEXT || end > path->total || path->offset != text->len || text->gaps != gaps)
		return 0;
	if (append(text, path->text, path->len))
		return -ENOMEM;
	if (end == path->total || record->flags & PROCLIFE_F_TRUNCATED)
		finish(process->program, record, text);
	return 0;
}
