// SPDX-License-Identifier: GPL-2.0-only
/* Processes that got SIGKILL, or have exited, and whose parents have not been notified; and what they wait for. */
#include "output/cut.h"
#include "output/message.h"
#include "output/percentiles.h"
#include "output/quote.h"
#include "views/now/dying.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROC "/proc"

static const char *state_text(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
		return "sleeping";
	case 'D':
		return "uninterruptible";
	case 'T':
		return "stopped";
	case 't':
		return "traced";
	case 'I':
		return "idle";
	case 'P':
		return "parked";
	}
	return "";
}

static void put_process(struct text *line, const struct run *run, uint32_t tgid)
{
	const struct proclife_process *process = proclife_tasks_holder(run->tasks, tgid);

	if (process) {
		text_comm(line, process->comm);
		text_string(line, " ");
	}
	text_printf(line, "(%" PRIu32 ")", tgid);
}

/* Now; without a snapshot, and before its EXIT, by birth. */
static uint32_t parent_of(const struct proclife_process *process)
{
	return process->real_parent_tgid ? process->real_parent_tgid : process->parent_tgid;
}

/* What it is dying of. */
static void put_cause(struct text *line, const struct run *run, const struct dying *dying)
{
	const struct proclife_process *process = dying->process;

	if (dying->sigkill) {
		text_string(line, "SIGKILL");
		text_killer(line, dying->sigkill, process->tgid, run->cgroups);
	} else if (proclife_process_has_exited(process)) {
		if (process->exit_code >= 0 && !(process->exit_code & 0x7f))
			text_string(line, "exited, ");
		text_exit(line, process->exit_code, process, run->cgroups);
	} else if (process->exiting || (process->leader_exited && process->exit_code < 0)) {
		text_string(line, process->exiting ? "exiting" : "leader exiting");
	} else if (process->leader_exited) {
		text_string(line, "leader exited, ");
		text_exit(line, process->exit_code, process, run->cgroups);
	} else if (dying->proc.killed) {
		text_string(line, "SIGKILL");
	} else if (dying->proc.leader_ended) {
		text_string(line, dying->proc.count ? "leader exited" : "exited");
	} else {
		text_string(line, "killed or exiting");
	}
	if (!dying->since)
		text_string(line, ", not recorded");
	if (dying->proc.tracer) {
		text_string(line, ", traced by ");
		put_process(line, run, dying->proc.tracer);
	}
}

#define INDENT 10 /* of what stands below a process */

static bool is_alike(const struct proc_thread *a, const struct proc_thread *b)
{
	return a->state == b->state && !strcmp(a->wchan, b->wchan);
}

static void put_thread(struct text *line, const struct proc_thread *thread, size_t count)
{
	struct text number;

	text_init(&number, line->screen);
	if (count > 1) {
		text_draw(&number, "×", "x");
		text_count(&number, count);
	} else {
		text_printf(&number, "%" PRIu32, thread->tid);
	}
	text_spaces(line, number.columns < 8 ? 8 - number.columns : 0);
	text_bytes(line, number.s, number.len, number.columns);
	text_free(&number);
	text_printf(line, "  %c %-15s  ", thread->state ? thread->state : '-',
		    state_text(thread->state));
	text_string(line, thread->wchan[0] ? thread->wchan : "-");
}

/* Those that are in the same state at the same place are one line. */
static void show_threads(struct text *line, const struct proc_process *proc)
{
	size_t i, alike;

	if (proc->found == PROC_REFUSED) {
		text_more(line);
		text_printf(line, "%*s  -", INDENT + 8, "-");
		text_line(line);
	}
	for (i = 0; i < proc->count; i += alike) {
		for (alike = 1; i + alike < proc->count; alike++)
			if (!is_alike(&proc->threads[i], &proc->threads[i + alike]))
				break;
		text_more(line);
		text_spaces(line, INDENT);
		put_thread(line, &proc->threads[i], alike);
		text_line(line);
	}
}

static void show_place(const struct run *run, struct text *line,
		       const struct proclife_process *process)
{
	const char *path = proclife_cgroups_path(run->cgroups, process->cgroup);

	text_more(line);
	text_spaces(line, INDENT);
	text_hang(line);
	if (parent_of(process)) {
		text_string(line, "parent ");
		put_process(line, run, parent_of(process));
	} else {
		text_string(line, "parent not known");
	}
	if (path) {
		text_string(line, ", cgroup ");
		text_name(line, path, SIZE_MAX);
	} else if (process->cgroup) {
		text_printf(line, ", cgroup %" PRIu64, process->cgroup);
	}
	text_line(line);
}

/* Which of them has to be reaped, and by which process: its owner can do something about that. */
static void show_waits(const struct run *run, struct text *line, const struct dying *dying)
{
	const struct proclife_process *other = NULL;

	while ((other = dying_waits_for(run, dying, other))) {
		text_more(line);
		text_spaces(line, INDENT);
		text_hang(line);
		text_string(line, "waits for ");
		text_who(line, other->comm, other->tgid);
		if (proclife_process_state(other) != PROCLIFE_IS_ZOMBIE) {
			text_printf(line, ", which is %s",
				    proclife_state_name(proclife_process_state(other)));
		} else {
			text_string(line, ", a zombie that ");
			put_process(line, run, proclife_process_awaits(other));
			text_string(line, proclife_process_is_held(other) ? ", its tracer, has not waited for" :
									    " has not reaped");
		}
		text_line(line);
	}
}

static void put_name(struct text *line, const struct proclife_process *process)
{
	unsigned int column = line->columns;
	struct text name;

	text_init(&name, line->screen);
	text_comm(&name, process->comm);
	text_in(line, &name, line->screen->width ? PROCLIFE_COMM_LEN : 0);
	text_pad(line, column + PROCLIFE_COMM_LEN);
	text_free(&name);
}

static void show(const struct run *run, struct text *line, const struct dying *dying)
{
	const struct proclife_process *process = dying->process;

	/* What is not known is longer than what the rings hold. */
	text_string(line, dying->since ? "  " : "> ");
	text_time_in(line, TIME_COLUMNS, run->ended - (dying->since ? dying->since : run->first));
	text_uint_in(line, 8, process->tgid);
	text_string(line, " ");
	if (dying->proc.found == PROC_REFUSED)
		text_printf(line, "%7s", "-");
	else
		text_count_in(line, 7, dying->proc.count);
	text_string(line, "  ");
	put_name(line, process);
	text_string(line, " ");
	text_hang(line);
	put_cause(line, run, dying);
	text_line(line);
	show_threads(line, &dying->proc);
	show_waits(run, line, dying);
	show_place(run, line, process);
}

static void json_threads(struct json *json, const struct proc_process *proc)
{
	const struct proc_thread *thread;
	size_t i;

	if (proc->found == PROC_REFUSED) {
		json_null(json, "threads");
		return;
	}
	json_array(json, "threads");
	for (i = 0; i < proc->count; i++) {
		thread = &proc->threads[i];
		json_object(json, NULL);
		json_uint(json, "tid", thread->tid);
		json_string_or_null(json, "state",
				    thread->state ? (char[]){ thread->state, '\0' } : NULL);
		json_string_or_null(json, "wchan", thread->wchan[0] ? thread->wchan : NULL);
		json_object_end(json);
	}
	json_array_end(json);
}

static void json_waits(const struct run *run, struct json *json, const struct dying *dying)
{
	const struct proclife_process *other = NULL, *reaper;
	enum proclife_life_state state;

	json_array(json, "waits_for");
	while ((other = dying_waits_for(run, dying, other))) {
		state = proclife_process_state(other);
		reaper = state == PROCLIFE_IS_ZOMBIE ? proclife_process_reaper(other) : NULL;
		json_object(json, NULL);
		json_uint(json, "pid", other->tgid);
		json_bytes(json, "comm", other->comm, PROCLIFE_COMM_LEN);
		json_string(json, "state", proclife_state_name(state));
		json_uint_if(json, "reaper_pid", state == PROCLIFE_IS_ZOMBIE, proclife_process_awaits(other));
		json_comm_or_null(json, "reaper_comm", reaper, reaper ? reaper->comm : NULL);
		json_bool(json, "traced", state == PROCLIFE_IS_ZOMBIE && proclife_process_is_held(other));
		json_object_end(json);
	}
	json_array_end(json);
}

static void show_json(const struct run *run, const struct dying *dying)
{
	const struct proclife_process *process = dying->process;
	bool exited = process->leader_exited || proclife_process_has_exited(process);
	struct json *json = run->json;

	json_line(json, "dying");
	json_uint(json, "pid", process->tgid);
	json_bytes(json, "comm", process->comm, PROCLIFE_COMM_LEN);
	json_uint_or_null(json, "start", process->start);
	json_uint_if(json, "uid", proclife_process_has_uid(process), process->uid);
	json_uint_or_null(json, "since", dying->since);
	json_killer(json, dying->sigkill);
	json_uint_or_null(json, "leader_exited", process->leader_exited);
	json_uint_or_null(json, "exited", process->marks.exited);
	json_wait_status(json, exited && process->exit_code >= 0, process->exit_code);
	json_uint_if(json, "parent_pid", proclife_process_has_parent(process), process->parent_tgid);
	json_uint_or_null(json, "reaper_pid", parent_of(process));
	json_uint_or_null(json, "tracer_pid", dying->proc.tracer);
	json_uint(json, "cgroup", process->cgroup);
	json_string_or_null(json, "cgroup_path",
			    proclife_cgroups_path(run->cgroups, process->cgroup));
	json_threads(json, &dying->proc);
	json_waits(run, json, dying);
	json_line_end(json);
}

static void show_head(struct text *line, size_t count)
{
	text_style(line, STYLE_BOLD);
	if (count)
		text_plural(line, count, "process is dying", "processes are dying");
	else
		text_string(line, "No process is dying: those that got SIGKILL or have exited are gone, or zombies.");
	text_style(line, STYLE_PLAIN);
	text_line(line);
	if (!count)
		return;
	text_style(line, STYLE_HEAD);
	text_printf(line, "%10s%8s %7s  %-*s ", "FOR", "PID", "THREADS", PROCLIFE_COMM_LEN, "COMMAND");
	text_hang(line);
	text_string(line, "CAUSE");
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

void dying_print(const struct run *run, const struct dying_list *list)
{
	uint64_t most = run->options->cut.top ? run->options->cut.top : UINT64_MAX;
	struct text line;
	size_t i;

	text_init(&line, run->screen);
	show_head(&line, list->count);
	for (i = 0; i < list->count && i < most; i++)
		show(run, &line, &list->all[i]);
	if (i < list->count) {
		text_plural(&line, list->count - i, "younger one", "younger ones");
		text_line(&line);
	}
	text_free(&line);
}

static void print_open(const struct run *run, void *state)
{
	uint64_t most = run->options->cut.top ? run->options->cut.top : UINT64_MAX;
	struct dying_list list = dying_collect(run, PROC);
	size_t i;

	(void)state;
	if (!run->options->json)
		dying_print(run, &list);
	for (i = 0; run->options->json && i < list.count && i < most; i++)
		show_json(run, &list.all[i]);
	dying_free(&list);
}

/* Without that, all processes would seem to be gone. */
int dying_check(const struct run *run, char why[DYING_WHY])
{
	const struct proclife_header *header = proclife_source_header(run->source);
	struct stat st;

	if (stat(PROC "/self/ns/pid", &st)) {
		snprintf(why, DYING_WHY, "%s cannot be read: %s; mount it: mount -t proc proc %s", PROC,
			 strerror(errno), PROC);
		return -ESRCH;
	}
	if (!header || !header->init_pid_ns || st.st_ino == header->init_pid_ns)
		return 0;
	snprintf(why, DYING_WHY, "process IDs differ here from those that are recorded; run %s in "
		 "the initial PID namespace", program_invocation_short_name);
	return -EXDEV;
}

static int begin(struct run *run, void **state)
{
	char why[DYING_WHY];
	int ret = dying_check(run, why);

	*state = NULL;
	if (ret)
		message("--dying: %s", why);
	return ret;
}

const struct view view_dying = {
	.request = {
		.name = "dying",
		.help = "Killed or exited, yet still there, and where it waits",
		.scope = "looks at /proc as it is now (at the end of a recording, see --zombies)",
		.takes = GIVEN(PID) | GIVEN(COMM) | GIVEN(UID) | GIVEN(CGROUP) | GIVEN(ARGS) | OF_DEVICE |
			 GIVEN(TOP),
		.is_now = true,
		.is_minor = true,
	},
	.has_cgroups = true,
	.begin = begin,
	.print_open = print_open,
};
