// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a recording of a story: `story FOLDER < STORY`. The stories stand in the transcripts, an event
 * after the other, on lines or with "; " between them:
 *
 *	[+TIME | @TIME] EVENT [WORD...] [FIELD=VALUE...] [+FLAG | -FLAG] [: ARGUMENT...]
 *
 * An event happens a nanosecond after the one before, or this +TIME later, or @TIME after the story's
 * beginning. The table below has the events and their words; FIELDs are the members in abi.h. CODE is a
 * status, or a signal: SIGSEGV or SIGSEGV+core. FIRST..LAST instead of the first number does it for each.
 * In names and arguments, \xNN is a byte.
 *
 * Before the events there can be lines for all of it: "with TYPE" and "without TYPE" of records,
 * "metadata: NAME VALUE", "cgroup: ID PATH" and "user: ID NAME".
 */
#include "marks.h"
#include "output/format.h"
#include "story.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 30000
#define MOST_WORDS 64

struct teller {
	struct who who;
	size_t parent; /* its index */
};

static struct teller told[MOST];
static size_t count;
static const char *path;

/* The current event. */
static struct {
	const char *text;
	char *words[MOST_WORDS], *settings[MOST_WORDS];
	bool used[MOST_WORDS]; /* of the settings */
	unsigned int word_count, setting_count;
	char args[4096];
	size_t args_size;
	uint32_t pid; /* of the first word */
} line;

static _Noreturn void refuse(const char *what, const char *word)
{
	printf("%s: %s: %s\n", line.text, what, word);
	exit(1);
}

/* In place: \xNN becomes the byte. */
static size_t unescape(char *s)
{
	char *to = s;

	for (char *from = s; *from; to++)
		if (from[0] == '\\' && from[1] == 'x') {
			char digits[3] = { from[2], from[3], '\0' };

			*to = (char)strtoul(digits, NULL, 16);
			from += 4;
		} else {
			*to = *from++;
		}
	*to = '\0';
	return (size_t)(to - s);
}

/* A copy that stays. */
static char *keep(const char *text)
{
	static struct kept {
		struct kept *before;
		char text[];
	} *last;
	struct kept *kept = malloc(sizeof(*kept) + strlen(text) + 1);

	assert_non_null(kept);
	kept->before = last;
	last = kept;
	unescape(strcpy(kept->text, text));
	return kept->text;
}

static const char *word(unsigned int index)
{
	return index < line.word_count ? line.words[index] : "";
}

/* A number, with a unit of time or without. */
static uint64_t number(const char *text)
{
	static const struct {
		const char *name;
		double factor;
	} units[] = { { "", 1 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	if (end != text && !*end)
		return n;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		double value = strtod(text, &end);

		if (end != text && !strcmp(end, units[i].name))
			return (uint64_t)(value * units[i].factor + 0.5);
	}
	refuse("not a number", text);
}

static int signal_of(const char *name)
{
	char buffer[24];

	for (int signo = 1; signo < 65; signo++)
		if (!strcmp(signal_name(signo, buffer), name))
			return signo;
	refuse("not a signal", name);
}

static int32_t code(const char *text)
{
	char name[24];
	size_t length = strcspn(text, "+");

	if (strncmp(text, "SIG", 3))
		return *text ? (int32_t)number(text) << 8 : 0;
	snprintf(name, sizeof(name), "%.*s", (int)length, text);
	return signal_of(name) | (text[length] ? 0x80 : 0);
}

/* The latest task with this pid. */
static struct teller *teller(uint32_t pid)
{
	for (size_t i = count; i--;)
		if (told[i].who.pid == pid)
			return &told[i];
	refuse("no such task", word(0));
}

static struct who *task(void)
{
	return &teller(line.pid)->who;
}

static struct who *parent_of(const struct teller *child)
{
	return &told[child->parent].who;
}

/* The task of this word; by default, the first one's parent. */
static struct who *whose(unsigned int index)
{
	if (!*word(index))
		return parent_of(teller(line.pid));
	return &teller((uint32_t)number(word(index)))->who;
}

static struct teller *begin(struct who who, size_t parent)
{
	struct teller *made = &told[count];

	if (count == MOST)
		refuse("too many tasks", word(0));
	*made = (struct teller){ who, parent };
	count++;
	return made;
}

static const struct {
	const char *name;
	uint32_t flag;
} flags[] = {
	{ "thread", PROCLIFE_F_THREAD },	 { "kthread", PROCLIFE_F_KTHREAD },
	{ "worker", PROCLIFE_F_WORKER },	 { "group_dead", PROCLIFE_F_GROUP_DEAD },
	{ "truncated", PROCLIFE_F_TRUNCATED },	 { "exiting", PROCLIFE_F_EXITING },
	{ "zombie", PROCLIFE_F_ZOMBIE },	 { "group_exit", PROCLIFE_F_GROUP_EXIT },
	{ "execing", PROCLIFE_F_EXECING },	 { "softirq", PROCLIFE_F_SOFTIRQ },
	{ "sole", PROCLIFE_F_SOLE },		 { "shares", PROCLIFE_F_SHARES },
	{ "script", PROCLIFE_F_SCRIPT },	 { "by_fd", PROCLIFE_F_BY_FD },
	{ "tracer", PROCLIFE_F_TRACER },	 { "peak", PROCLIFE_F_PEAK },
	{ "autoreap", PROCLIFE_F_AUTOREAP },	 { "io", PROCLIFE_F_IO },
	{ "user", PROCLIFE_F_USER },
};

static uint32_t flag(const char *name)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (!strcmp(flags[i].name, name))
			return flags[i].flag;
	refuse("not a flag", name);
}

/* A handle is a task's if it is given as its PID. */
static void set(struct proclife_record *record, const struct proclife_field *field, const char *value)
{
	char *at = (char *)record + field->offset, text[256];
	uint64_t n;

	if (field->kind == PROCLIFE_FIELD_TEXT) {
		snprintf(text, sizeof(text), "%s", value);
		n = unescape(text);
		memset(at, 0, field->size);
		memcpy(at, text, n < field->size ? n : field->size);
		return;
	}
	n = number(value);
	if (field->kind == PROCLIFE_FIELD_HANDLE && n) {
		const struct who *who = &teller((uint32_t)n)->who;

		n = strstr(field->member, "group") ? who->group : who->task;
	}
	memcpy(at, &n, field->size);
}

static bool set_in(struct proclife_record *record, uint16_t type, const char *name, const char *value)
{
	const struct proclife_field *field;

	for (unsigned int i = 0; (field = proclife_field(type, i)); i++) {
		const char *dot = strrchr(field->member, '.');

		if (strcmp(dot ? dot + 1 : field->member, name))
			continue;
		set(record, field, value);
		return true;
	}
	return false;
}

/* Records it, with what the line sets. */
static void put(struct proclife_record record)
{
	for (unsigned int i = 0; i < line.setting_count; i++) {
		const char *setting = line.settings[i], *equals = strchr(setting, '=');
		char name[32];

		if (!equals) {
			record.flags |= *setting == '+' ? flag(setting + 1) : 0;
			record.flags &= *setting == '-' ? ~flag(setting + 1) : UINT32_MAX;
			line.used[i] = true;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)(equals - setting), setting);
		if (set_in(&record, record.type, name, equals + 1) ||
		    set_in(&record, PROCLIFE_NONE, name, equals + 1))
			line.used[i] = true;
	}
	story_put_on(record.cpu, record);
}

/* What is set of a task rather than of a record: its name, start, and kind. */
static struct who made(struct who who)
{
	for (unsigned int i = 0; i < line.setting_count; i++)
		if (!strncmp(line.settings[i], "start=", 6)) {
			who.start = number(line.settings[i] + 6);
			line.used[i] = true;
		} else if (!strcmp(line.settings[i], "+kthread")) {
			who.flags |= PROCLIFE_F_KTHREAD;
			line.used[i] = true;
		}
	return who;
}

static const char *name_of(unsigned int index)
{
	return keep(word(index));
}

static void tell_process(void)
{
	const struct who *leader = *word(2) ? &teller((uint32_t)number(word(2)))->who : NULL;

	begin(made(leader ? thread_of(leader, line.pid) : process_of_pid(line.pid, name_of(1))), count);
}

static void tell_task(void)
{
	struct who who = made(process_of_pid(line.pid, name_of(1)));
	struct teller *parent = *word(2) && number(word(2)) != line.pid ? teller((uint32_t)number(word(2))) : NULL;

	begin(who, parent ? (size_t)(parent - told) : count);
	put(task_record(0, &who, parent ? &parent->who : &who));
}

static void tell_fork(void)
{
	struct teller *parent = teller((uint32_t)number(word(2)));
	struct who who = made(process_of_pid(line.pid, *word(1) == '.' ? parent->who.comm : name_of(1)));

	begin(who, (size_t)(parent - told));
	put(fork_record(0, &who, &parent->who));
}

/* An earlier task, in the snapshot. */
static void tell_found(void)
{
	put(task_record(0, task(), whose(1)));
}

/* A thread that was there before, or is made now. */
static void tell_thread(void)
{
	struct teller *leader = teller((uint32_t)number(word(1)));
	struct who who = made(thread_of(&leader->who, line.pid));
	bool older = !strcmp(word(2), "older");

	begin(who, leader->parent);
	put(older ? task_record(0, &who, parent_of(leader)) :
		    clone_record(0, &who, parent_of(leader), &leader->who));
}

static void tell_exec(void)
{
	struct who *who = task();
	const char *base = strrchr(word(1), '/');

	who->comm = *word(2) ? name_of(2) : keep(base ? base + 1 : word(1));
	put(exec_record(0, who, who->pid, keep(word(1))));
	if (line.args_size)
		story_args(who, line.args, line.args_size);
}

/* Its name from now on; the record has the one before. */
static void tell_rename(void)
{
	put(rename_record(0, task(), name_of(1)));
	task()->comm = name_of(1);
}

static void tell_name(void)
{
	task()->comm = name_of(1);
}

static struct proclife_record exit_now(void)
{
	struct proclife_record record = exit_record(0, task(), code(word(1)), 0);

	record.exit.parent_tgid = whose(2)->tgid;
	return record;
}

static void tell_exit(void)
{
	put(exit_now());
}

/* One thread of several. */
static void tell_leave(void)
{
	put(exit_record(0, task(), code(word(2)), (uint32_t)number(word(1))));
}

static void tell_notify(void)
{
	put(notify_record(0, task(), whose(1)));
}

static void tell_traced(void)
{
	put(traced_record(0, task(), whose(1), whose(2)));
}

static void tell_end(void)
{
	put(exit_now());
	put(notify_record(0, task(), whose(2)));
}

static void tell_reap(void)
{
	put(reap_record(0, task(), whose(1)));
}

static void tell_free(void)
{
	put(free_record(0, task()));
}

static void tell_bury(void)
{
	tell_reap();
	tell_free();
}

static void tell_quit(void)
{
	put(exit_now());
	put(reap_record(0, task(), whose(2)));
	put(free_record(0, task()));
}

/* A whole life; its settings are those of its end. */
static void tell_run(void)
{
	struct teller *parent = teller((uint32_t)number(word(2)));
	struct who who = process_of_pid(line.pid, parent->who.comm);

	begin(who, (size_t)(parent - told));
	story_put(fork_record(0, &who, &parent->who));
	task()->comm = who.comm = name_of(1);
	if (*word(5))
		story_put(exec_record(0, &who, who.pid, word(5)));
	if (line.args_size)
		story_args(&who, line.args, line.args_size);
	machine->now += number(word(3));
	put(exit_record(0, &who, code(word(4)), 0));
	put(reap_record(0, &who, &parent->who));
	put(free_record(0, &who));
}

static void tell_wait(void)
{
	struct proclife_record record = wait_record(0, task());

	if (*word(1)) {
		record.wait.wanted = (uint32_t)number(word(1));
		record.wait.what = PROCLIFE_WAIT_PID;
	}
	put(record);
}

static void tell_hang(void)
{
	put(record_of(0, PROCLIFE_HANG, task()));
}

static void tell_signal(void)
{
	put(signal_record(0, task(), signal_of(word(1)), whose(2)));
}

/* The only thread of its process; otherwise, the line takes flags away. */
static void tell_exiting(void)
{
	struct proclife_record record = exiting_record(0, task(), whose(2), NULL, code(word(1)));

	record.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	record.exiting.cgroup = 0;
	put(record);
}

static void tell_mm(void)
{
	static const char *const whats[] = { "", "left", "async", "early", "teardown", "gone" };
	uint32_t what = 0;

	for (uint32_t i = 1; i < sizeof(whats) / sizeof(*whats); i++)
		what = strcmp(whats[i], word(1)) ? what : i;
	put(mm_record(0, task(), what, *word(2) ? whose(2) : task()));
}

static uint32_t one_of(const char *const names[], uint32_t count_of, const char *name)
{
	for (uint32_t i = 1; i < count_of; i++)
		if (names[i] && !strcmp(names[i], name))
			return i;
	refuse("no such mark", name);
}

static void tell_birth(void)
{
	static const char *const whats[] = { "", "forking", "started", "execing" };

	put(birth_record(0, task(), one_of(whats, sizeof(whats) / sizeof(*whats), word(1))));
}

static void tell_times(void)
{
	static const char *const whats[] = { "", "execing", "exec", "exiting", "notify", "forking", "fork" };
	struct proclife_record record = times_record(0, task(), one_of(whats, sizeof(whats) / sizeof(*whats), word(1)),
						     number(word(2)), number(word(3)), number(word(4)));

	record.times.nivcsw = record.times.read_bytes = record.times.write_bytes = 0;
	put(record);
}

static void tell_coredump(void)
{
	put(coredump_record(0, task(), signal_of(word(1))));
}

/* An exec of it. */
static void tell_fail(void)
{
	char buffer[16];
	uint32_t error = 1;

	while (error < 256 && strcmp(error_name(error, buffer), word(1)))
		error++;
	if (error == 256)
		refuse("not an error", word(1));
	put(failed_exec_record(0, task(), error, word(2)));
}

static void tell_oom(void)
{
	put(oom_record(0, task(), whose(1)));
}

static void tell_cgroup(void)
{
	put(cgroup_record(0, line.pid, !strcmp(word(1), "populated")));
}

static void tell_past(void)
{
	put(record_of(0, PROCLIFE_PAST, task()));
}

/* Records of this type are not made from here on, or were not made up to here. */
static void tell_suppressed(void)
{
	put(suppressed_record(line.pid, machine->now, 0));
}

static void tell_sync(void)
{
	story_sync();
}

/* Five records of another CPU are lost. */
static void tell_lose(void)
{
	struct who who = *task();

	story_sync();
	for (uint32_t i = 0; i < story_ring + 5; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &who));
}

/* The story goes on, until this time. */
static void tell_nothing(void)
{
}

static const struct event {
	const char *name;
	void (*tell)(void);
	bool about; /* its first word is a number */
	const char *words;
} events[] = {
	/* what is there, without a record of it */
	{ "process", tell_process, true, "PID NAME [LEADER]" },
	{ "name", tell_name, true, "PID NAME" },
	{ "sync", tell_sync, false, "what was recorded is on the disk" },
	{ "lose", tell_lose, true, "PID whose wait(2)s are lost on CPU 1" },
	{ "then", tell_nothing, false, "time passes" },
	/* records */
	{ "task", tell_task, true, "PID NAME [PARENT]" },
	{ "found", tell_found, true, "PID [PARENT]: a TASK, too" },
	{ "fork", tell_fork, true, "PID NAME|. PARENT" },
	{ "thread", tell_thread, true, "TID LEADER [older]" },
	{ "exec", tell_exec, true, "PID PATH [NAME]" },
	{ "rename", tell_rename, true, "PID NAME" },
	{ "exit", tell_exit, true, "PID [CODE [PARENT]]" },
	{ "leave", tell_leave, true, "TID LIVE [CODE]" },
	{ "notify", tell_notify, true, "PID [RECEIVER]" },
	{ "traced", tell_traced, true, "PID TRACER [PARENT]" },
	{ "reap", tell_reap, true, "PID [REAPER]" },
	{ "free", tell_free, true, "PID" },
	{ "wait", tell_wait, true, "PID [WANTED]" },
	{ "hang", tell_hang, true, "PID" },
	{ "signal", tell_signal, true, "PID SIGNAL [SENDER]" },
	{ "exiting", tell_exiting, true, "PID [CODE [PARENT]]" },
	{ "mm", tell_mm, true, "PID left|async|early|teardown|gone [OWNER]" },
	{ "birth", tell_birth, true, "PID forking|started|execing" },
	{ "times", tell_times, true, "PID execing|exec|exiting|notify|forking|fork RUNTIME DELAY NVCSW" },
	{ "coredump", tell_coredump, true, "PID SIGNAL" },
	{ "fail", tell_fail, true, "PID ERROR [PATH]: of an exec" },
	{ "oom", tell_oom, true, "PID ALLOCATOR" },
	{ "cgroup", tell_cgroup, true, "ID populated|empty" },
	{ "past", tell_past, true, "PID" },
	{ "suppressed", tell_suppressed, true, "TYPE" },
	/* several records */
	{ "end", tell_end, true, "PID [CODE [PARENT]]: exit, notify" },
	{ "bury", tell_bury, true, "PID [REAPER]: reap, free" },
	{ "quit", tell_quit, true, "PID [CODE [REAPER]]: exit, reap, free" },
	{ "run", tell_run, true, "PID NAME PARENT LIFE [CODE [PATH]]: fork, exec, quit" },
};

static void parse(char *text)
{
	char *args = strstr(text, " : "), *save = NULL;

	line.word_count = line.setting_count = 0;
	line.args_size = 0;
	memset(line.used, 0, sizeof(line.used));
	if (args)
		*args = '\0';
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		bool setting = line.word_count && (strchr(w, '=') || strchr("+-", *w));

		assert_true(line.word_count < MOST_WORDS && line.setting_count < MOST_WORDS);
		if (setting)
			line.settings[line.setting_count++] = w;
		else
			line.words[line.word_count++] = w;
	}
	for (char *w = args ? strtok_r(args + 3, " ", &save) : NULL; w; w = strtok_r(NULL, " ", &save)) {
		size_t size = unescape(w) + 1;

		assert_true(line.args_size + size <= sizeof(line.args));
		memcpy(line.args + line.args_size, w, size);
		line.args_size += size;
	}
}

/* Takes the time from the front of the words. */
static void move_clock(void)
{
	char sign = *word(0);

	if (sign == '+')
		machine->now += number(word(0) + 1);
	else if (sign == '@')
		machine->now = 1000 * MS + number(word(0) + 1);
	else
		return;
	memmove(line.words, line.words + 1, --line.word_count * sizeof(*line.words));
}

static void tell_event(char *text)
{
	const struct event *event = NULL;
	uint64_t first = 0, last = 0;
	char *dots;

	line.text = strdup(text);
	assert_non_null(line.text);
	parse(text);
	move_clock();
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		event = strcmp(events[i].name, word(0)) ? event : &events[i];
	if (!event)
		refuse("not an event", word(0));
	memmove(line.words, line.words + 1, --line.word_count * sizeof(*line.words));
	if (event->about) {
		dots = strstr(word(0), "..");
		last = dots ? number(dots + 2) : 0;
		if (dots)
			*dots = '\0';
		first = number(word(0));
		last = dots ? last : first;
	}
	for (uint64_t pid = first; pid <= last; pid++) {
		line.pid = (uint32_t)pid;
		event->tell();
	}
	for (unsigned int i = 0; i < line.setting_count; i++)
		if (!line.used[i])
			refuse("no such member", line.settings[i]);
	free((char *)line.text);
}

/* What is written when the recording has ended. */
static char cgroups[4096], users[4096], metadata_name[64], metadata_value[64];

static bool tell_setting(const char *text)
{
	char *to = !strncmp(text, "cgroup: ", 8) ? cgroups : !strncmp(text, "user: ", 6) ? users : NULL;

	if (!to)
		return sscanf(text, "metadata: %63s %63s", metadata_name, metadata_value) == 2;
	snprintf(to + strlen(to), sizeof(users) - strlen(to), "%s\n", strchr(text, ' ') + 1);
	unescape(to);
	return true;
}

static void end(void)
{
	story_end();
	if (*cgroups)
		story_cgroups(path, cgroups);
	if (*metadata_name)
		metadata_set(path, metadata_name, metadata_value);
	story_users(path, users); /* even if there are none, so that names are not this machine's */
}

/* Whether there are records of a type. */
static bool tell_feature(const char *text)
{
	bool with = !strncmp(text, "with ", 5);

	if (!with && strncmp(text, "without ", 8))
		return false;
	for (unsigned int type = 1; type < PROCLIFE_TYPES; type++) {
		const char *name = proclife_type_name(type);

		if (!name || strcmp(name, strchr(text, ' ') + 1))
			continue;
		story_features &= ~PROCLIFE_HAS(type);
		story_features |= with ? PROCLIFE_HAS(type) : 0;
		return true;
	}
	return false;
}

/* The events of a line. Arguments go on to its end. */
static void tell_events(char *text)
{
	char *args = strstr(text, " : "), *next;

	for (; text; text = next) {
		next = strstr(text, "; ");
		next = next && args && args < next ? NULL : next;
		if (next) {
			*next = '\0';
			next += 2;
		}
		tell_event(text);
	}
}

int main(int argc, char **argv)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t length;

	(void)argc;
	path = argv[1];
	if (!path) {
		for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
			printf("%-10s %s\n", events[i].name, events[i].words);
		return 2;
	}
	story_ring = 1 << 12;
	while ((length = getline(&text, &size, stdin)) > 0) {
		text[strcspn(text, "\n")] = '\0';
		if (tell_setting(text) || tell_feature(text))
			continue;
		if (!machine)
			story_begin(path);
		tell_events(text);
	}
	end();
	free(text);
	return 0;
}
