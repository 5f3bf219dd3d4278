// SPDX-License-Identifier: GPL-2.0-only
#include "output/file_owner.h"
#include "output/message.h"
#include "output/quoted.h"
#include "output/replace.h"
#include "triggers/saving.h"
#include "views/share/rcu.h"
#include "views/share/when.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define AT_A_TIME 4096 /* events: a millisecond or so */
#define CAUSE_LEN 64
#define MOST_OF_SECOND 100

/* Whose own cannot be exchanged there: as in /tmp, others can remove nothing but theirs. */
static bool is_safe(const struct stat *st)
{
	return owner_is_trusted(st) && (!owner_is_shared(st) || (st->st_mode & S_ISVTX));
}

static int check_folder(const struct options *options)
{
	struct stat st = { 0 };
	const char *why;
	bool made;

	/* Arguments and names can be confidential: for the owner only, like the device. */
	made = !mkdir(options->on.save, 0700);
	if (made || errno == EEXIST)
		errno = 0;
	why = errno					? strerror(errno) :
	      stat(options->on.save, &st)			? strerror(errno) :
	      !S_ISDIR(st.st_mode)			? strerror(ENOTDIR) :
	      access(options->on.save, R_OK | W_OK | X_OK) ? strerror(errno) :
							  NULL;
	if (why)
		message("--save %s: cannot write there: %s; name a folder in one that can be written",
			quoted(options->on.save), why);
	else if (made || is_safe(&st))
		return 0;
	else
		owner_say_folder("--save", options->on.save);
	return -ESRCH;
}

int saving_prepare(struct saving *saving, const struct run *run)
{
	saving->run = run;
	if (!run->options->on.save)
		return 0;
	backlog_init(&saving->backlog);
	saving->backlog.births = run_has_births(run);
	return check_folder(run->options);
}

/* "zombie-1s": nothing that a file system, or a shell, takes for something else. */
static void put_cause(char cause[CAUSE_LEN], const char *text)
{
	size_t n = 0;

	for (; *text && n < CAUSE_LEN - 1; text++) {
		if (isalnum((unsigned char)*text) || *text == '_' || (*text == '.' && n))
			cause[n++] = *text;
		else if (n && cause[n - 1] != '-')
			cause[n++] = '-';
	}
	cause[n] = '\0';
}

/* "DIR/20261125T075502Z-zombie-1s-pid1234"; 0, or -EEXIST. */
static int set_path(struct saving *saving, const struct alert *alert)
{
	time_t seconds = (time_t)(proclife_source_realtime(saving->run->source, alert->ts) / 1000000000);
	char cause[CAUSE_LEN], when[32], pid[16] = "";
	struct stat st;
	struct tm tm;
	int i, n;

	put_cause(cause, alert->condition->text);
	if (!gmtime_r(&seconds, &tm) || !strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &tm))
		return -EOVERFLOW;
	if (alert->has_who)
		snprintf(pid, sizeof(pid), "-pid%" PRIu32, alert->tgid);
	n = snprintf(saving->path, sizeof(saving->path), "%s/%s-%s%s", saving->run->options->on.save, when, cause,
		     pid);
	if (n < 0 || (size_t)n >= sizeof(saving->path) - 4)
		return -ENAMETOOLONG;
	for (i = 2; !lstat(saving->path, &st); i++) {
		if (i == MOST_OF_SECOND)
			return -EEXIST;
		snprintf(saving->path + n, sizeof(saving->path) - (size_t)n, "-%d", i);
	}
	return 0;
}

/* As set_path() names them: what else is in the folder is not ours. */
static bool is_saved(const char *name)
{
	static const char form[] = "00000000T000000Z-";
	size_t i;

	for (i = 0; form[i]; i++)
		if (form[i] == '0' ? !isdigit((unsigned char)name[i]) : name[i] != form[i])
			return false;
	return true;
}

/* What all runs have saved. A folder that cannot be read cannot be written, either, which is reported. */
static uint64_t count_saved(const char *folder)
{
	const struct dirent *entry;
	DIR *dir = opendir(folder);
	uint64_t count = 0;

	while (dir && (entry = readdir(dir)))
		count += is_saved(entry->d_name);
	if (dir)
		closedir(dir);
	return count;
}

static void end(struct saving *saving)
{
	proclife_recorder_free(saving->recorder);
	saving->recorder = NULL;
	proclife_source_free(saving->source);
	saving->source = NULL;
}

static void failed(struct saving *saving, int error)
{
	message("--save %s: %s%s", quoted(saving->path), strerror(-error),
		replace_is_full(error) ? "; make room" : "");
	end(saving);
	saving->path[0] = '\0';
}

static struct proclife_run_info info_of(const struct saving *saving)
{
	struct proclife_run_info info = {
		.size = sizeof(info),
		.began = saving->whole > saving->first ? saving->whole : saving->first,
		.command = saving->run->command,
		.command_creator = saving->run->command ? getpid() : 0,
		.command_status = -1,
		.reason = "saved",
	};

	rcu_describe(info.rcu, sizeof(info.rcu));
	return info;
}

/* Prepends the records of the process and its ancestors, which the rings may have overwritten. */
static int prepend(struct saving *saving, const struct alert *alert)
{
	struct proclife_record *records;
	size_t count;
	int ret = 0;

	records = alert->process ? backlog_of(&saving->backlog, alert->process->id, &count) : NULL;
	if (records)
		ret = proclife_source_prepend(saving->source, records, count);
	free(records);
	return ret;
}

static int open_source(struct saving *saving, const struct alert *alert)
{
	int ret = saving->run->open_source(&saving->source, saving->run->options);

	if (ret)
		return ret;
	ret = proclife_source_rewind(saving->source);
	if (!ret)
		ret = prepend(saving, alert);
	if (!ret)
		ret = proclife_source_snapshot(saving->source);
	return ret == -ENOTTY ? 0 : ret; /* a copy of a device, without tasks */
}

bool saving_begin(struct saving *saving, const struct alert *alert)
{
	const struct options *options = saving->run->options;
	struct proclife_run_info info;
	uint64_t held;
	int ret;

	if (!options->on.save)
		return false;
	held = count_saved(options->on.save);
	if (held >= options->on.saves) {
		if (!saving->enough)
			message("--save %s: it holds %" PRIu64 " %s, and no more are made; remove some, or --saves allows more",
				quoted(options->on.save), held,
				plural(held, "recording", "recordings"));
		saving->enough = true;
		return false;
	}
	saving->first = saving->whole = 0;
	saving->behind = true;
	if (__builtin_add_overflow(alert->ts, options->on.after, &saving->until))
		saving->until = UINT64_MAX;
	info = info_of(saving);
	info.began = alert->ts;
	ret = set_path(saving, alert);
	if (!ret)
		ret = open_source(saving, alert);
	if (!ret)
		ret = proclife_recorder_new(&saving->recorder, saving->source, saving->path, &info);
	if (ret) {
		failed(saving, ret);
		return false;
	}
	saving->enough = false;
	return true;
}

static void tell(const struct saving *saving, const struct proclife_run_info *info)
{
	const struct proclife_recorder_counts *counts = proclife_recorder_counts(saving->recorder);
	const struct run *run = saving->run;
	struct text line;

	if (run->options->json) {
		json_line(run->json, "saved");
		json_uint(run->json, "ts", info->ended);
		json_string(run->json, "dir", saving->path);
		json_uint(run->json, "records", counts->records);
		json_uint(run->json, "bytes", counts->bytes);
		json_uint(run->json, "lost", counts->lost);
		json_line_end(run->json);
		return;
	}
	text_init(&line, run->screen);
	text_when_alone(&line, run, info->ended, 3);
	text_string(&line, " saved ");
	text_hang(&line);
	text_label(&line, saving->path, SIZE_MAX);
	text_string(&line, ": ");
	text_plural(&line, counts->records, "record", "records");
	if (counts->lost) {
		text_string(&line, ", ");
		text_count(&line, counts->lost);
		text_string(&line, " lost");
	}
	text_line(&line);
	text_free(&line);
}

static void complete(struct saving *saving, uint64_t ended)
{
	struct proclife_run_info info;
	int ret;

	if (!saving->first)
		saving->first = ended;
	info = info_of(saving);
	info.ended = ended;
	ret = proclife_recorder_finish(saving->recorder, &info);
	if (ret) {
		failed(saving, ret);
		return;
	}
	tell(saving, &info);
	end(saving);
}

/* Reads on, up to its end. 1: that is reached; 0: there is nothing more now, or there was enough for once. */
static int take(struct saving *saving, unsigned int most)
{
	struct proclife_event event;
	unsigned int n;
	uint64_t ts;
	int ret = 1;

	for (n = 0; n < most; n++) {
		ret = proclife_source_next(saving->source, &event);
		if (ret != 1)
			break;
		ts = event.record ? event.record->ts : event.gap.from;
		if (event.record && !saving->first)
			saving->first = ts;
		if (!event.record && !event.gap.lost && event.gap.to > saving->whole)
			saving->whole = event.gap.to;
		if (ts > saving->until)
			return 1;
	}
	saving->behind = ret == 1;
	if (ret == 0 && proclife_source_horizon(saving->source) > saving->until)
		return 1;
	return ret < 0 ? ret : 0;
}

bool saving_poll(struct saving *saving)
{
	int ret;

	if (!saving->source)
		return true;
	ret = take(saving, AT_A_TIME);
	if (!ret)
		ret = proclife_recorder_error(saving->recorder);
	if (ret < 0)
		failed(saving, ret);
	else if (ret)
		complete(saving, saving->until);
	return !saving->source;
}

void saving_finish(struct saving *saving)
{
	uint64_t now;
	int ret;

	if (!saving->source)
		return;
	now = proclife_source_now(saving->source);
	if (now < saving->until)
		saving->until = now;
	do {
		ret = take(saving, UINT32_MAX);
	} while (!ret && saving->behind);
	if (ret < 0)
		failed(saving, ret);
	else
		complete(saving, ret ? saving->until : proclife_source_horizon(saving->source));
}

uint64_t saving_due(const struct saving *saving)
{
	return !saving->source ? UINT64_MAX : saving->behind ? 0 : saving->until;
}

void saving_free(struct saving *saving)
{
	if (saving->source)
		end(saving);
	backlog_free(&saving->backlog);
}
