// SPDX-License-Identifier: GPL-2.0-only
/* A row per life, with all of its fields. */
#include "output/csv.h"
#include "views/export/export.h"
#include <errno.h>
#include <stdlib.h>

/* The kinds of fields. */
#define put_COUNT csv_number
#define put_PID csv_number
#define put_TIME csv_number
#define put_SPAN csv_number
#define put_SIZE csv_number
#define put_SIGNED csv_signed
#define put_FLAG csv_bool
#define put_TEXT csv_text
#define put_WORDS csv_words
#define put_COMM(csv, known, comm) csv_bytes(csv, known, comm, PROCLIFE_COMM_LEN)
#define put_DATE(csv, known, ts) csv_moment(csv, known, export_realtime(life->run, ts))

static void put_SIGNAL(struct csv *csv, bool known, int signo)
{
	char buffer[24];

	csv_text(csv, known, known ? signal_name(signo, buffer) : NULL);
}

static void put_phases(struct csv *csv, const struct life *life)
{
	enum proclife_phase phase;
	uint64_t ns;

	for (phase = 0; phase < PROCLIFE_PHASES; phase++) {
		bool known = life_phase(life, phase, &ns);

		csv_number(csv, known, ns);
	}
}

static void add_life(void *state, const struct life *life, const struct proclife_process *process)
{
	unsigned int has = 1; /* a bit for each open object, the innermost lowest: is it known? */
	struct csv *csv = state;

	(void)process;
	csv_row(csv);
#define ROW(name, path, kind, known, ...) put_##kind(csv, has & 1 && (known), __VA_ARGS__);
#define OBJECT(path, known) has = has << 1 | (has & 1 && (known));
#define OBJECT_END has >>= 1;
#define PHASES put_phases(csv, life);
#include "views/share/life_rows.h"
	csv_row_end(csv);
}

static void put_phase_names(struct csv *csv)
{
	enum proclife_phase phase;

	for (phase = 0; phase < PROCLIFE_PHASES; phase++)
		csv_name(csv, proclife_phase_info(phase)->name);
}

static int begin(const struct export *export, void **state)
{
	struct csv *csv = calloc(1, sizeof(*csv));

	if (!csv)
		return -ENOMEM;
	csv_init(csv, export->out);
	*state = csv;
	csv_row(csv);
#define ROW(name, ...) csv_name(csv, #name);
#define PHASES put_phase_names(csv);
#include "views/share/life_rows.h"
	csv_row_end(csv);
	return 0;
}

static void end(void *state)
{
	if (!state)
		return;
	csv_free(state);
	free(state);
}

const struct export_format export_csv = {
	.format = { .name = "csv" },
	.begin = begin,
	.life = add_life,
	.free = end,
};
