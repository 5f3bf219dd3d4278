/* SPDX-License-Identifier: GPL-2.0-only */
/* Argument vectors as a build of a kernel has them. */
#ifndef BENCH_COMMAND_LINES_H
#define BENCH_COMMAND_LINES_H

#include <stddef.h>
#include <stdint.h>

enum tool {
	TOOL_MAKE,
	TOOL_FOLDER, /* the make of one folder */
	TOOL_SHELL,
	TOOL_COMPILER,
	TOOL_CC1,
	TOOL_AS,
	TOOL_MV,
	TOOL_LINKER, /* the compiler that calls it */
	TOOL_COLLECT2,
	TOOL_LD,
	TOOLS,
};

#define MOST_ARGS 2048

/*
 * Writes the arguments of the tool for this file, each with its NUL, as the same file gives them each
 * time. @in_folder: files of a folder. Return: their bytes.
 */
size_t command_line(enum tool tool, uint64_t file, uint64_t in_folder, char args[MOST_ARGS]);

#endif
