// SPDX-License-Identifier: GPL-2.0-only
/* The lines of proclife-read --tree --json, which name parents by id, not by pid. */
#include "lives.h"

#include <stdlib.h>
#include <string.h>

/* The text behind "key": in a line, or NULL. */
static const char *find(const char *line, const char *key)
{
	char quoted[32];
	const char *found;

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	found = strstr(line, quoted);
	return found ? found + strlen(quoted) : NULL;
}

/* 0 for null */
static uint64_t number(const char *line, const char *key)
{
	const char *text = find(line, key);

	return text ? strtoull(text, NULL, 10) : 0;
}

/* The sum of all members of {"NAME":N,...} */
static uint64_t total(const char *line, const char *key)
{
	const char *text = find(line, key);
	uint64_t sum = 0;

	for (; text && *text && *text != '}'; text++)
		if (*text == ':')
			sum += strtoull(text + 1, NULL, 10);
	return sum;
}

/* ["NAME","ARGUMENT",...], or null; those of the forest have nothing that JSON would have to escape. */
static void add_args(struct lives *lives, uint32_t life, const char *text)
{
	char args[1024], *to = args;

	if (!text || *text != '[')
		return;
	for (text++; *text && *text != ']' && to < args + sizeof(args) - 1; text++) {
		if (*text == ',')
			*to++ = ARG_END;
		else if (*text != '"')
			*to++ = *text;
	}
	*to = '\0';
	lives_args(lives, life, args);
}

static bool add_process(struct lives *lives, const char *line)
{
	const char *comm = find(line, "comm"), *status = find(line, "wait_status");
	uint64_t born = number(line, "born"), id = number(line, "id");
	uint64_t parent = number(line, "parent_id");
	uint32_t life;

	if (!id || number(line, "pid") > MAX_PID || !comm || *comm != '"' || !strchr(comm + 1, '"'))
		return false;
	life = lives_new(lives, born ? born : number(line, "seen"), number(line, "pid"));
	lives->life[life].forked = born;
	lives->life[life].exited = number(line, "exited");
	lives->life[life].reaper = number(line, "reaper_pid");
	if (status && *status != 'n' && lives->life[life].exited)
		lives->life[life].status = atoi(status);
	copy_name(lives->life[life].name, comm + 1, strchr(comm + 1, '"'));
	add_args(lives, life, find(line, "args"));
	/* The parent's id for now; resolve() replaces it by our number. */
	lives->life[life].parent = parent ? parent : NO_LIFE;
	return true;
}

/* The ids are those of all processes that the reader saw, of which these are a part. */
static void resolve(struct lives *lives, uint32_t *life_of_id, uint64_t ids)
{
	uint32_t i;

	for (i = 0; i < lives->count; i++) {
		uint32_t parent = lives->life[i].parent;

		if (parent != NO_LIFE)
			lives->life[i].parent = parent < ids ? life_of_id[parent] : NO_LIFE;
	}
}

uint64_t read_proclife(struct lives *lives, FILE *in, uint64_t to_realtime)
{
	uint64_t senseless = 0, line_number = 0, id, ids = 0, i;
	uint32_t *life_of_id = NULL;
	char *line = NULL;
	size_t room = 0;

	(void)to_realtime;
	while (getline(&line, &room, in) > 0) {
		line_number++;
		if (find(line, "lost")) {
			lives->tells_lost = true;
			lives->lost = number(line, "lost") + total(line, "suppressed");
		}
		if (!strstr(line, "\"type\":\"process\""))
			continue;
		id = number(line, "id");
		if (id >= UINT32_MAX / 2 || !add_process(lives, line)) {
			line[strcspn(line, "\n")] = '\0';
			senseless += lives_senseless(lives, line_number, "makes no sense", line);
			continue;
		}
		if (id >= ids) {
			life_of_id = reallocarray(life_of_id, 2 * id + 1024, sizeof(*life_of_id));
			if (!life_of_id)
				abort();
			for (i = ids; i < 2 * id + 1024; i++)
				life_of_id[i] = NO_LIFE;
			ids = 2 * id + 1024;
		}
		life_of_id[id] = lives->count - 1;
	}
	resolve(lives, life_of_id, ids);
	free(life_of_id);
	free(line);
	return senseless;
}
