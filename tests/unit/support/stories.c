// SPDX-License-Identifier: GPL-2.0-only
#include "stories.h"

#include "acts.h"
#include "marks.h"
#include "story.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fake_device *device;
static struct who init, kthreadd, sshd, earlyoom, bash, make;

/* The processes from before the trace. */
static void tell_machine(void)
{
	struct proclife_record record;
	struct who old;

	init = process_of_pid(1, "systemd");
	kthreadd = process_of_pid(2, "kthreadd");
	kthreadd.flags = PROCLIFE_F_KTHREAD;
	sshd = process_of_pid(40, "sshd");
	earlyoom = process_of_pid(50, "earlyoom");
	old = process_of_pid(60, "old");
	bash = process_of_pid(100, "bash");
	init.start = kthreadd.start = 10 * MS;
	sshd.start = earlyoom.start = 200 * MS;
	bash.start = 400 * MS;
	old.start = 500 * MS;
	exists(&init, &init, 0, 1);
	exists(&kthreadd, &kthreadd, 0, 1);
	exists(&sshd, &init, 0, 20);
	exists(&earlyoom, &init, 0, 21);
	exists(&bash, &sshd, 1000, 30);
	record = task_record(0, &old, &sshd);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record.state.exit_code = SIGSEGV | 0x80;
	record.state.uid = 1001;
	story_put(record);
}

/* cc runs cc1, waits for it and ends with its status. */
static void compile(uint64_t us, uint32_t pid, const char *line, uint64_t takes, int32_t code)
{
	struct who cc = born(us, pid, &make, 1000, 30), cc1;
	char arguments[64];

	cpu = pid % 2;
	execs(us + 300, &cc, "cc", "/usr/bin/cc", line);
	cc1 = born(us + 700, pid + 1, &cc, 1000, 30);
	waits(us + 750, &cc, pid + 1);
	snprintf(arguments, sizeof(arguments), "cc1%s", line + strlen("cc"));
	execs(us + 1100, &cc1, "cc1", "/usr/libexec/gcc/x86_64-linux-gnu/14/cc1", arguments);
	if (code & 0x7f)
		signals(us + takes - 90, &cc1, code & 0x7f, &earlyoom, PROCLIFE_SIGNAL_QUEUED);
	dies(us + takes, &cc1, &cc, code, 45, 3000);
	dies(us + takes + 900, &cc, &make, code ? 1 << 8 : 0, 620 + pid, 5000 + 10 * pid);
	cpu = 0;
}

/* The leader ends first; the thread that ends last makes a zombie of the process. */
static void tell_threads(uint64_t us)
{
	struct who java = born(us, 230, &make, 1000, 30), threads[2];
	struct proclife_record record;

	execs(us + 200, &java, "java", "/opt/jdk/bin/java", "java -jar doc.jar");
	for (uint32_t i = 0; i < 2; i++) {
		threads[i] = thread_of(&java, 231 + i);
		record = clone_record(0, &threads[i], &make, &java);
		record.fork.uid = 1000;
		record.fork.cgroup = 30;
		at(us + 300 + 100 * i, record);
	}
	at(us + 4000, rename_record(0, &threads[1], "GC thread"));
	threads[1].comm = "GC thread";
	at(us + 9000, exit_of(&java, &make, 0, 2));
	cpu = 1;
	at(us + 11000, exit_of(&threads[0], &make, 0, 1));
	freed(us + 12500, &threads[0]);
	record = exit_of(&threads[1], &make, 3 << 8, 0);
	record.flags |= PROCLIFE_F_GROUP_EXIT;
	at(us + 15000, record);
	at(us + 15050, notify_record(0, &java, &make));
	freed(us + 17000, &threads[1]);
	cpu = 0;
	reaped(us + 18000, &java, &make);
	freed(us + 21000, &java);
}

/* A thread executes another program and takes its leader's pid. */
static void tell_exec_of_thread(uint64_t us)
{
	struct who web = born(us, 240, &bash, 1000, 31), thread = thread_of(&web, 241);

	at(us + 100, clone_record(0, &thread, &bash, &web));
	at(us + 500, exit_of(&web, &bash, 0, 1));
	freed(us + 600, &web);
	thread.pid = 240;
	thread.start = web.start; /* as the kernel does */
	thread.flags = 0;
	thread.comm = "httpd";
	at(us + 650, exec_record(0, &thread, 241, "/usr/sbin/httpd"));
	dies(us + 30000, &thread, &bash, 2 << 8, 12000, 700);
}

/* Its parent ends, and its adopter reaps it at once. */
static void tell_daemon(uint64_t us)
{
	struct who first = born(us, 250, &bash, 1000, 30), second = born(us + 200, 251, &first, 1000, 30);

	execs(us + 400, &second, "crond", "/usr/sbin/crond", "crond -f");
	dies(us + 800, &first, &bash, 0, 70, 900);
	exits(us + 40000, &second, &init, SIGTERM);
	reaped(us + 40300, &second, &init);
	freed(us + 44000, &second);
}

/* A process of another namespace, user and cgroup, with the longest possible name of an executable. */
static void tell_container(uint64_t us)
{
	struct who pause = process_of_pid(295, "runc");
	struct proclife_record record = fork_record(0, &pause, &init);

	record.fork.uid = 100000;
	record.fork.cgroup = 40;
	record.fork.ns_pid = 1;
	record.fork.ns_inum = 0xf0000001;
	at(us, record);
	execs_as(us + 200, &pause, 100000, "a\tb\"c\\d\x1b[31m", "/very/long/path/that/is/cut/at/its/beginning/by/the/record/x",
	      "a\tb \xff\xfe \"quoted\" d\ne");
	signals(us + 500, &pause, SIGUSR1, &bash, PROCLIFE_SIGNAL_PENDING);
	record = record_of(0, PROCLIFE_HANG, &pause);
	at(us + 900, record);
}

static void tell_kernel(uint64_t us)
{
	struct who worker = process_of_pid(290, "kthreadd");
	struct proclife_record record;

	worker.flags = PROCLIFE_F_KTHREAD;
	record = fork_record(0, &worker, &kthreadd);
	record.fork.uid = 0;
	record.fork.cgroup = 1;
	at(us, record);
	at(us + 50, rename_record(0, &worker, "kworker/1:2"));
	worker.comm = "kworker/1:2";
	exits(us + 20000, &worker, &kthreadd, 0);
	reaped(us + 20300, &worker, &kthreadd);
	freed(us + 20900, &worker);
}

static void tell_suppressed(uint64_t us, uint32_t what, uint64_t count)
{
	uint64_t since = (1000000 + us) * 1000;

	cpu = 1;
	at(us, suppressed_record(what, since, 0));
	at(us + 2500, suppressed_record(what, since, count));
	cpu = 0;
}

/* Left at the end: a zombie, a process that is not freed, and one that runs. */
static void tell_rest(uint64_t us)
{
	struct who zombie = born(us, 270, &bash, 1000, 30), unfreed = born(us + 10, 271, &bash, 1000, 30);
	struct who sleeper = born(us + 20, 272, &bash, 1001, 30);

	execs(us + 400, &zombie, "false", "/usr/bin/false", "false");
	execs_as(us + 500, &sleeper, 1001, "sleep", "/usr/bin/sleep", "sleep 1000");
	exits(us + 1000, &zombie, &bash, 1 << 8);
	exits(us + 2000, &unfreed, &bash, 0);
	reaped(us + 2900, &unfreed, &bash);
}

static void tell_make(void)
{
	struct who script, ld;

	make = born(10000, 200, &bash, 1000, 30);
	execs(10400, &make, "make", "/usr/bin/make", "make -j2 all");
	waits(12000, &make, 0);
	compile(20000, 205, "cc -c lib/merge.c", 180000, 0);
	compile(21000, 207, "cc -c lib/rings.c", 240000, 1 << 8);
	compile(262000, 209, "cc -c read/main.c", 90000, 0);
	compile(270000, 211, "cc -c read/tree.c", 350000, SIGKILL);
	tell_threads(630000);
	script = born(660000, 220, &make, 1000, 30);
	execs(660300, &script, "sh", "/bin/sh", "sh -c ./link");
	execs(660900, &script, "link", "/home/user/link", "./link --all");
	ld = born(661000, 221, &script, 1000, 30);
	execs(661300, &ld, "ld", "/usr/bin/ld", "");
	signals(700000 - 30, &ld, SIGSEGV, &ld, PROCLIFE_SIGNAL_QUEUED);
	dies(700000, &ld, &script, SIGSEGV | 0x80, 500, 2500);
	dies(702000, &script, &make, (128 + SIGSEGV) << 8, 800, 1700);
	dies(720000, &make, &bash, 2 << 8, 150, 9000);
}

static void describe(const char *path, const char *began)
{
	story_cgroups(path, "1 /\n20 /system.slice/ssh.service\n21 /system.slice/earlyoom.service\n"
			    "30 /user.slice/user-1000.slice\n31 /web\n40 /containers/a b\n");
	story_users(path, "0 root\n1000 alice\n1001 bob\n");
	metadata_set(path, "hostname", "\"build-7\"");
	metadata_set(path, "began", began);
	metadata_set(path, "to_realtime", "\"0xde0b6b36bc93600\"");
}

/* Records of every kind, without a loss. */
static void tell_build(const char *path)
{
	story_begin(path);
	tell_machine();
	tell_make();
	tell_exec_of_thread(740000);
	tell_daemon(780000);
	tell_kernel(830000);
	tell_container(870000);
	tell_rest(880000);
	happen();
	machine->now = 2000 * MS;
	story_end();
	describe(path, "1000000000");
}

/* The rings are overrun while a compiler runs: its EXIT and the FORK of the next one are lost. */
static void tell_lossy(const char *path)
{
	struct who cc, ld, as;

	story_ring = 16;
	story_begin(path);
	tell_machine();
	make = born(10000, 200, &bash, 1000, 30);
	happen_and_sync();
	cc = born(20000, 210, &make, 1000, 30);
	execs(20300, &cc, "cc", "/usr/bin/cc", "cc -c a.c");
	happen_and_sync();
	exits(30000, &cc, &make, 1 << 8);
	ld = born(31000, 211, &make, 1000, 30);
	for (uint32_t i = 0; i < 16; i++)
		waits(32000 + 100 * i, &make, 0);
	happen_and_sync();
	reaped(34000, &cc, &make);
	freed(35000, &cc);
	dies(50000, &ld, &make, SIGTERM, 300, 700);
	as = born(60000, 212, &make, 1000, 30);
	dies(61000, &as, &make, 0, 200, 400);
	happen_and_sync();
	cpu = 1;
	for (uint32_t i = 0; i < 17; i++)
		waits(70000 + 100 * i, &bash, 0);
	cpu = 0;
	tell_suppressed(80000, PROCLIFE_WAIT, 1234);
	happen();
	story_end();
	story_ring = STORY_RING;
	describe(path, "1000000000");
}

/* Runs of the same machine; one is slower, fails more and starts another program. */
static void tell_run(const char *path, bool worse, const char *release, uint32_t exit_mark)
{
	story_begin_on(path, release, exit_mark);
	tell_machine();
	make = born(10, 200, &bash, 1000, 30);
	execs(400, &make, "make", "/usr/bin/make", "make");
	for (uint32_t i = 0; i < 60; i++) {
		struct who cc = born(1000 + 9000 * i, 300 + i, &make, 1000, 30);
		bool fails = worse ? i % 6 == 0 : i == 0;

		execs(1000 + 9000 * i + 50, &cc, i % 3 ? "cc" : "ld", i % 3 ? "/usr/bin/cc" : "/usr/bin/ld", "");
		dies(1000 + 9000 * i + (worse && i % 3 ? 4000 : 2000) + 7 * i, &cc, &make, fails << 8,
		     worse ? 900 + i : 150 + i, 1000 + i);
	}
	for (uint32_t i = 0; worse && i < 3; i++) {
		struct who as = born(550000 + 9000 * i, 400 + i, &make, 1000, 30);

		execs(550000 + 9000 * i + 50, &as, "as", "/usr/bin/as", "");
		dies(550000 + 9000 * i + 2000, &as, &make, 0, 150, 800);
	}
	dies(600000, &make, &bash, 0, 100, 900);
	happen();
	story_end();
	describe(path, "1000000000");
}

/* A process drops its address space, and a kernel thread tears it down. */
/* What the module's parameters `paths` and `env` add to an exec. */
static void tell_program(uint64_t us, const struct who *who)
{
	static const char env[] = "LANG=C\0TERM=";
	static const struct {
		uint32_t what;
		const char *text;
		uint32_t size;
		uint32_t flags;
	} texts[] = {
		{ PROCLIFE_PATH_EXE, "/opt/a folder/that is so long/that its path takes two records/sbin/server (deleted)", 84, 0 },
		{ PROCLIFE_PATH_CWD, "/srv/www", 8, 0 },
		{ PROCLIFE_PATH_ENV, env, sizeof(env), 0 },
		{ 9, "from a later module", 19, 0 },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct proclife_record record = { .type = PROCLIFE_NONE };
		bool more;

		do {
			more = path_record(&record, who, texts[i].what, texts[i].text, texts[i].size);
			record.flags |= more ? 0 : texts[i].flags;
			at(us, record);
		} while (more);
	}
}

static void tell_teardown(uint64_t us, const struct who *last, const struct who *owner)
{
	struct who oom_reaper = process_of_pid(61, "oom_reaper");
	struct who worker = process_of_pid(62, "kworker/0:1");

	oom_reaper.flags = worker.flags = PROCLIFE_F_KTHREAD;
	at(us, mm_record(0, &oom_reaper, PROCLIFE_MM_EARLY, owner));
	at(us + 100, mm_record(0, last, PROCLIFE_MM_LEFT, owner));
	at(us + 300, mm_record(0, last, PROCLIFE_MM_ASYNC, owner));
	cpu = 1;
	at(us + 450, mm_record(0, &worker, PROCLIFE_MM_TEARDOWN, owner));
	at(us + 700, mm_record(0, &worker, PROCLIFE_MM_GONE, owner));
	at(us + 900, exiting_record(0, &worker, &kthreadd, NULL, 0));
	cpu = 0;
}

/*
 * A server of two threads is killed for memory that a thread of another process wants. Its other
 * thread was about to dump core, and is traced by a thread of a debugger.
 */
static void tell_death(uint64_t us)
{
	struct who server, thread, hog, gdb;
	struct proclife_record record;

	at(us - 700, birth_record(0, &bash, PROCLIFE_BIRTH_FORKING)); /* in vain */
	at(us - 600, failed_fork_record(0, &bash, EAGAIN, PROCLIFE_LIMIT_NPROC));
	at(us - 500, failed_fork_record(0, &bash, EAGAIN, PROCLIFE_LIMIT_PIDS_MAX));
	at(us - 450, failed_fork_record(0, &bash, EAGAIN, PROCLIFE_LIMIT_PID_MAX));
	at(us - 400, failed_fork_record(0, &bash, ENOMEM, 0));
	at(us - 380, failed_fork_record(0, &bash, ENOMEM, PROCLIFE_LIMIT_NO_INIT));
	at(us - 350, failed_fork_record(0, &bash, 999, 9)); /* from a later module */
	at(us - 300, birth_record(0, &bash, PROCLIFE_BIRTH_FORKING));
	at(us - 299, times_record(0, &bash, PROCLIFE_TIMES_FORKING, 7000, 1000, 3));
	server = born(us, 310, &bash, 1000, 31);
	at(us + 1, times_record(0, &bash, PROCLIFE_TIMES_FORK, 277000, 31000, 3));
	at(us + 20, birth_record(0, &server, PROCLIFE_BIRTH_STARTED));
	at(us + 40, birth_record(0, &server, PROCLIFE_BIRTH_EXECING)); /* of a search */
	at(us + 50, failed_exec_record(0, &server, ENOENT, "/usr/local/bin/server"));
	at(us + 52, failed_exec_record(0, &server, EACCES, "/home/a folder/with/quite/some/others/below/it/server"));
	record = failed_exec_record(0, &server, EACCES, "");
	record.flags |= PROCLIFE_F_BY_FD;
	at(us + 54, record);
	at(us + 60, birth_record(0, &server, PROCLIFE_BIRTH_EXECING));
	at(us + 61, times_record(0, &server, PROCLIFE_TIMES_EXECING, 5000, 20000, 0));
	execs(us + 100, &server, "server", "/usr/sbin/server", "server -f");
	at(us + 102, times_record(0, &server, PROCLIFE_TIMES_EXEC, 25000, 31000, 1));
	tell_program(us + 103, &server);
	record = mm_record(0, &server, PROCLIFE_MM_TEARDOWN, &bash);
	record.flags |= PROCLIFE_F_EXECING;
	at(us + 90, record);
	at(us + 200, cgroup_record(0, 40, true));
	thread = thread_of(&server, 312);
	at(us + 290, birth_record(0, &server, PROCLIFE_BIRTH_FORKING));
	at(us + 300, clone_record(0, &thread, &bash, &server));
	at(us + 305, birth_record(0, &thread, PROCLIFE_BIRTH_STARTED));
	at(us + 306, birth_record(0, &thread, 9)); /* from a later module */
	hog = process_of_pid(321, "hog");
	hog = thread_of(&hog, 323);
	gdb = process_of_pid(331, "gdb");
	gdb = thread_of(&gdb, 332);
	record = signal_record(0, &thread, SIGTERM, &gdb);
	record.signal.to_group = 0;
	record.signal.blocked = 1;
	at(us + 900, record);
	at(us + 1000, coredump_record(0, &thread, SIGABRT));
	at(us + 1100, oom_record(0, &thread, &hog));
	record = exiting_record(0, &thread, &bash, &gdb, SIGABRT | 0x80);
	record.flags |= PROCLIFE_F_GROUP_EXIT;
	at(us + 1200, record);
	at(us + 1201, times_record(0, &thread, PROCLIFE_TIMES_EXITING, 300000, 400000, 5));
	at(us + 1202, times_record(0, &thread, 9, 0, 0, 0)); /* from a later module */
	at(us + 1300, exiting_record(0, &server, &bash, NULL, 5 << 8));
	at(us + 1301, times_record(0, &server, PROCLIFE_TIMES_EXITING, 800000, 31000, 2));
	at(us + 1500, exit_of(&server, &bash, 5 << 8, 1));
	at(us + 1600, exit_of(&thread, &bash, SIGABRT | 0x80, 0));
	tell_teardown(us + 2000, &thread, &server);
	at(us + 3100, cgroup_record(0, 42, false));
	reaped(us + 4000, &server, &bash);
	record = freed_record(0, &server, &hog);
	record.free.runtime = 850000;
	at(us + 5000, record);
	record = freed_record(0, &thread, &gdb);
	record.flags |= PROCLIFE_F_SOFTIRQ;
	at(us + 5500, record);
	at(us + 6000, mm_record(0, &bash, 9, &bash)); /* from a later module */
}

/* All marks of a death; some were missed or suppressed. */
static void tell_marks(const char *path)
{
	story_features = PROCLIFE_KNOWN_TYPES;
	story_begin(path);
	story_features = WITHOUT_EXITING;
	machine->header->reap_missed = 3;
	machine->header->marks_missed = 7000;
	tell_machine();
	tell_death(10000);
	tell_suppressed(30000, PROCLIFE_CGROUP, 55);
	happen();
	story_end();
	describe(path, "1000000000");
}

static const char *in(char path[PATH_MAX], const char *name)
{
	assert_true(snprintf(path, PATH_MAX, "%s/%s", folder.base, name) < PATH_MAX);
	return path;
}

/* A device that is a plain file; one of its rings has been overrun. */
static void make_device(void)
{
	struct proclife_header *header;
	char path[64];

	story_ring = 16;
	device = fake_device_new(2, story_ring);
	story_ring = STORY_RING;
	fake_device_add_rings(device);
	header = device->header;
	header->features = WITHOUT_EXITING & ~PROCLIFE_HAS(PROCLIFE_FREE);
	header->reap_source = PROCLIFE_REAP_CGROUP_TASK_RELEASE;
	header->reap_missed = 5;
	header->marks_missed = 7000;
	header->mm_marks = UINT32_MAX >> 25 & ~PROCLIFE_HAS_MM(0);
	header->cgroup_leave = PROCLIFE_CGROUP_LEAVE_SWITCH;
	header->rss_error = 512;
	header->exit_mark = PROCLIFE_EXIT_AFTER_MM;
	header->args_bytes = 256;
	header->loaded = 300 * MS;
	header->to_realtime = 999999999000 * MS;
	strcpy(header->version, "1.2");
	strcpy(header->release, "6.12.3");
	machine = device;
	bash = process_of_pid(100, "bash");
	bash.start = 400 * MS;
	make = born(10000, 200, &bash, 4000000, 30); /* a uid without a name */
	dies(20000, &make, &bash, 3 << 8, 300, 700);
	cpu = 1;
	for (uint32_t i = 0; i < 21; i++)
		waits(5000 + 100 * i, &bash, i);
	cpu = 0;
	happen();
	device->rings[1].page->suppressed[PROCLIFE_RENAME] = 77;
	device->rings[1].page->ctl.suppressing = PROCLIFE_HAS(PROCLIFE_WAIT);
	machine = NULL;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), device->fd);
	setenv("DEVICE", path, 1);
}

void stories_forget(void)
{
	fake_device_free(device);
}

void stories_tell(void)
{
	char path[PATH_MAX];

	make_device();

	tell_build(in(path, "build"));
	tell_lossy(in(path, "lossy"));
	tell_run(in(path, "before"), false, "6.18", PROCLIFE_EXIT_BEFORE_MM);
	tell_run(in(path, "after"), true, "6.18", PROCLIFE_EXIT_BEFORE_MM);
	tell_marks(in(path, "marks"));
	tell_run(in(path, "old"), false, "6.1", PROCLIFE_EXIT_AFTER_MM);
}
