// SPDX-License-Identifier: GPL-2.0-only
#include "origin/bpf_symbols.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
} wanted[] = {
	{ "__preempt_count", offsetof(struct bpf_symbols, preempt_count) },
	{ "pcpu_hot", offsetof(struct bpf_symbols, pcpu_hot) },
	{ "__per_cpu_offset", offsetof(struct bpf_symbols, per_cpu_offset) },
	{ "simple_dname", offsetof(struct bpf_symbols, simple_dname) },
};

/* A line is "ffffffff81000000 T name", and has a tab and the module's name if it is of one. */
static void take_line(struct bpf_symbols *symbols, char *line)
{
	char *name = strchr(line, ' ');
	unsigned int i;

	if (!name || !name[1] || name[2] != ' ')
		return;
	name += 3;
	name[strcspn(name, "\n")] = '\0';
	for (i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (!strcmp(name, wanted[i].name))
			*(uint64_t *)((char *)symbols + wanted[i].offset) = strtoull(line, NULL, 16);
}

void bpf_find_symbols(struct bpf_symbols *symbols)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t size = 0;

	*symbols = (struct bpf_symbols){ 0 };
	if (!file)
		return;
	while (getline(&line, &size, file) > 0)
		take_line(symbols, line);
	free(line);
	fclose(file);
}
