// SPDX-License-Identifier: GPL-2.0-only
/* What is added up while the screen is there. Each sum that any user can make grow starts over in time. */
#include "live/state.h"
#include "output/message.h"
#include "views/share/ended.h"
#include <errno.h>
#include <stdlib.h>

#define MOST_PARENTS 20000
#define MOST_PROGRAMS 2000

static void process_gone(void *data, struct proclife_process *process)
{
	struct board *board = data;

	if (filter_passes(process) && !process->outlives)
		programs_add(&board->programs, SUMMARY_BY_COMM, process, process_ended_by(process));
}

int board_begin(struct board **to, struct run *run)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports), .process_gone = process_gone,
	};
	struct board *board = calloc(1, sizeof(*board));
	int ret;

	if (!board)
		return -ENOMEM;
	*to = board;
	board->run = run;
	ret = pulse_begin(&board->pulse, run);
	if (!ret)
		ret = deaths_begin(&board->deaths, run);
	if (!ret)
		ret = proclife_reapers_new(&board->reapers, run->tasks);
	if (ret)
		return ret;
	proclife_reapers_at_birth(board->reapers);
	return proclife_tasks_report(run->tasks, &reports, board);
}

void board_free(struct board *board)
{
	if (!board)
		return;
	pulse_free(&board->pulse);
	deaths_free(&board->deaths);
	proclife_reapers_free(board->reapers);
	programs_free(&board->programs);
	free(board);
}

void board_trim(struct board *board)
{
	struct run *run = board->run;

	if (proclife_reapers_get(board->reapers, MOST_PARENTS)) {
		proclife_reapers_free(board->reapers);
		if (proclife_reapers_new(&board->reapers, run->tasks))
			die_no_memory();
		proclife_reapers_at_birth(board->reapers);
		board->reapers_since = run->ended;
	}
	if (board->programs.count > MOST_PROGRAMS) {
		programs_free(&board->programs);
		board->programs = (struct programs){ 0 };
		board->programs_since = run->ended;
	}
}
