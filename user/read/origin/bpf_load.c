// SPDX-License-Identifier: GPL-2.0-only
#include "origin/bpf_load.h"
#include "origin/bpf_pins.h"
#include "origin/bpf_programs.h"
#include "origin/bpf_symbols.h"
#include "origin/bpf_why.h"
#include "origin/ftrace.h"
#include "origin/namespaces.h"
#include "proclife.skel.h"
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <proclife/ring.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define MOST_PROGRAMS 40
#define MOST_CPUS 8192

struct bpf_load {
	struct proclife_bpf_programs *skeleton;
	struct source_options wishes;
	struct btf *btf;
	struct bpf_kernel kernel;
	struct bpf_symbols symbols;
	struct proclife_bpf_header header;
	uint64_t cpu_map[MOST_CPUS / 64];
	struct bpf_link *links[MOST_PROGRAMS];
	struct bpf_link *snapshot;
	bool refused[MOST_PROGRAMS]; /* by row: the kernel did not take it */
	int fds[MOST_PROGRAMS];
	int rings[MOST_CPUS]; /* by CPU; -1: it has none */
	struct proclife_bpf descriptors;
};

/* libbpf complains about this program, and this is its first complaint: those that follow say less. */
static char complained_of[64], complaint[256];
/* What is in the way, where we know more than the error says. */
static char reason[BPF_WHY];

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
}

static int listen(enum libbpf_print_level level, const char *format, va_list args)
{
	char line[512], *begin, *end;

	if (level != LIBBPF_WARN)
		return 0;
	if (getenv("PROCLIFE_BPF_DEBUG")) {
		va_list again;

		va_copy(again, args);
		vfprintf(stderr, format, again);
		va_end(again);
	}
	vsnprintf(line, sizeof(line), format, args);
	begin = strstr(line, "prog '");
	end = begin ? strchr(begin + 6, '\'') : NULL;
	if (end)
		snprintf(complained_of, sizeof(complained_of), "%.*s", (int)(end - begin - 6), begin + 6);
	line[strcspn(line, "\n")] = '\0';
	if (!*complaint)
		snprintf(complaint, sizeof(complaint), "%.255s", line);
	return 0;
}

/* Where libbpf returns no object: never 0. */
static int last_error(void)
{
	int error = errno;

	return error > 0 ? -error : -ENOMEM;
}

static bool is_wanted(const struct bpf_load *load, const struct bpf_row *row)
{
	const char *wish = (const char *)&load->wishes + row->wanted;

	if (row->ring == PROCLIFE_BPF_ARGS)
		return load->wishes.args_bytes;
	if (row->ring == PROCLIFE_BPF_ENV)
		return load->wishes.env_count;
	return !row->wanted || *(const bool *)wish;
}

static struct bpf_program *program_of(const struct bpf_load *load, const struct bpf_row *row)
{
	return bpf_object__find_program_by_name(load->skeleton->obj, row->name);
}

/* Chooses the programs, and sets what they have to know. */
static int choose(struct bpf_load *load)
{
	const struct bpf_row *row;
	unsigned int i;

	for (i = 0; (row = bpf_row(i)); i++) {
		struct bpf_program *program = program_of(load, row);
		bool chosen = is_wanted(load, row) && !load->refused[i] && bpf_row_fits(row, load->btf);

		if (!program)
			return -ENOENT;
		if (!chosen && row->required) {
			say("this kernel has no tracepoint %s for BPF programs", row->tracepoint);
			return -ENOTSUP;
		}
		bpf_program__set_autoload(program, chosen);
		if (chosen && !row->tracepoint)
			bpf_program__set_attach_target(program, 0, bpf_function(row, load->btf));
	}
	return 0;
}

#define SHARE(name, share) [PROCLIFE_BPF_##name] = (share),
static const uint8_t shares[PROCLIFE_BPF_RING_COUNT] = { PROCLIFE_BPF_RINGS(SHARE) };

/* Where each ring is; a program that is not loaded has none. */
static void lay_out(struct bpf_load *load)
{
	uint64_t unit = 64, total = 0, at = 0;
	const struct bpf_row *row;
	unsigned int i;

	memset(load->header.ring, 0, sizeof(load->header.ring));
	for (i = 0; (row = bpf_row(i)); i++)
		if (bpf_program__autoload(program_of(load, row)))
			load->header.ring[row->ring].records = 1;
	for (i = 0; i < PROCLIFE_BPF_RING_COUNT; i++)
		total += load->header.ring[i].records * shares[i];
	/* The largest power of two with which all fit. */
	while (unit * 2 * total / 8 * sizeof(struct proclife_record) <= load->wishes.ring_kb * 1024ULL)
		unit *= 2;
	for (i = 0; i < PROCLIFE_BPF_RING_COUNT; i++) {
		struct proclife_bpf_ring *ring = &load->header.ring[i];

		if (!ring->records)
			continue;
		ring->records = unit * shares[i] / 8;
		ring->offset = at;
		at += PROCLIFE_BPF_PAGE_BYTES + ring->records * sizeof(struct proclife_record);
	}
	load->header.rings = PROCLIFE_BPF_RING_COUNT;
	load->header.ring_bytes = at;
	load->header.header.records_per_ring = unit;
}

static void set_names(struct bpf_load *load)
{
	struct proclife_bpf_programs__rodata *data = load->skeleton->rodata;
	const struct source_options *wishes = &load->wishes;
	unsigned int i;

	data->env_count = wishes->env_count;
	for (i = 0; i < wishes->env_count; i++)
		data->env_lens[i] = (uint32_t)snprintf(data->env_names[i], sizeof(data->env_names[i]), "%s=",
						       wishes->env[i]);
}

static void set_constants(struct bpf_load *load)
{
	struct proclife_bpf_programs__rodata *data = load->skeleton->rodata;
	unsigned int i;

	for (i = 0; i < PROCLIFE_BPF_RING_COUNT; i++) {
		data->ring_offset[i] = load->header.ring[i].offset;
		data->ring_mask[i] = load->header.ring[i].records ? load->header.ring[i].records - 1 : 0;
	}
	data->args_bytes = load->wishes.args_bytes;
	data->records_times = load->wishes.times && load->kernel.has_run_delay;
	data->records_births = load->wishes.births;
	data->exit_has_group_dead = load->kernel.exit_has_group_dead;
	data->page_shift = (unsigned int)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	data->interrupt_bits = load->kernel.counts_disabling ? 0x1f000000 : 0x00ff0000;
	data->address_of_preempt_count = load->symbols.preempt_count;
	data->address_of_pcpu_hot = load->symbols.pcpu_hot;
	data->address_of_per_cpu_offset = load->symbols.per_cpu_offset;
	data->address_of_simple_dname = load->symbols.simple_dname;
	data->has_user_workers = load->kernel.has_user_workers;
}

static int row_named(const char *name)
{
	const struct bpf_row *row;
	unsigned int i;

	for (i = 0; (row = bpf_row(i)); i++)
		if (!strcmp(row->name, name))
			return (int)i;
	return -1;
}

#define ANY_NODE (-1)

/* The node of a CPU's memory, where the kernel says it. */
static int node_of(uint32_t cpu)
{
	int node = ANY_NODE;
	struct dirent *entry;
	char path[64];
	DIR *folder;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", cpu);
	folder = opendir(path);
	if (!folder)
		return ANY_NODE;
	while (node == ANY_NODE && (entry = readdir(folder)))
		if (sscanf(entry->d_name, "node%d", &node) != 1)
			node = ANY_NODE;
	closedir(folder);
	return node;
}

static int new_map(const struct bpf_load *load, int node)
{
	struct bpf_map_create_opts options;

	memset(&options, 0, sizeof(options));
	options.sz = sizeof(options);
	options.map_flags = BPF_F_MMAPABLE | BPF_F_NUMA_NODE;
	options.numa_node = (uint32_t)node;
	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "proclife_cpu", sizeof(uint32_t), (uint32_t)load->header.ring_bytes, 1,
			      &options);
}

/* A map for the rings of a CPU, of its node unless that has no memory; or a negative errno. */
static int new_rings(const struct bpf_load *load, uint32_t cpu)
{
	int node = node_of(cpu), map = new_map(load, node);

	if (map == -EINVAL && node != ANY_NODE)
		map = new_map(load, ANY_NODE);
	if (map == -E2BIG && load->wishes.ring_kb > 4096)
		say("this kernel's BPF maps end at 4 MiB, as before Linux 6.0: --source=bpf,ring_kb=4096 is the most");
	return map;
}

/*
 * The kernel's types are named by path, so that libbpf does not look for those that it lacks in its modules: that takes
 * CAP_SYS_ADMIN.
 */
static struct proclife_bpf_programs *open_programs(void)
{
	struct bpf_object_open_opts options;

	memset(&options, 0, sizeof(options)); /* its padding, too: libbpf refuses others */
	options.sz = sizeof(options);
	options.btf_custom_path = "/sys/kernel/btf/vmlinux";
	return proclife_bpf_programs__open_opts(&options);
}

static int load_once(struct bpf_load *load, uint32_t cpus)
{
	struct proclife_bpf_programs *skeleton = open_programs();
	int err, pattern;

	load->skeleton = skeleton;
	if (!skeleton)
		return last_error();
	*complained_of = *complaint = '\0';
	err = choose(load);
	if (err)
		return err;
	bpf_map__set_autocreate(skeleton->maps.texts, load->wishes.paths || load->wishes.env_count);
	bpf_map__set_autocreate(skeleton->maps.searches, load->wishes.env_count);
	lay_out(load);
	set_constants(load);
	set_names(load);
	err = bpf_map__set_max_entries(skeleton->maps.rings, cpus);
	/* The verifier takes the size of a CPU's rings from this one. libbpf 1.5 crashes where an inner map's size is set. */
	pattern = new_rings(load, 0);
	if (!err)
		err = pattern < 0 ? pattern : bpf_map__set_inner_map_fd(skeleton->maps.rings, pattern);
	if (!err)
		err = proclife_bpf_programs__load(skeleton);
	if (pattern >= 0)
		close(pattern);
	return err;
}

static void refuse_functions(struct bpf_load *load)
{
	const struct bpf_row *row;
	unsigned int i;

	for (i = 0; (row = bpf_row(i)); i++)
		load->refused[i] |= !row->tracepoint;
}

/* A kernel that allows no program at a function, as one without the function tracer, says so for each. */
static void refuse(struct bpf_load *load, unsigned int refused, int error)
{
	load->refused[refused] = true;
	if (error == -EPERM && !bpf_row(refused)->tracepoint)
		refuse_functions(load);
}

/* It would fit another time: nothing is known of the program. */
static bool is_temporary(int error)
{
	return error == -ENOMEM || error == -EAGAIN || error == -EINTR;
}

/* EPERM is for a process that may load nothing; the verifier has other errors, EACCES, too. */
static void say_refused(int error)
{
	if (error == -EPERM || is_temporary(error) || *reason)
		return;
	say("this kernel's BPF refuses the program %s (error %d)%s; load the module, or report it with what PROCLIFE_BPF_DEBUG=1 "
	    "prints", complained_of, -error,
	    access("/sys/kernel/security/lockdown", F_OK) ? ", or the kernel is locked down ('dmesg' says it)" : "");
}

/* What the kernel does not take is left out, unless nothing works without it. */
static int load_programs(struct bpf_load *load, uint32_t cpus)
{
	for (;;) {
		int err = load_once(load, cpus), refused;

		if (!err)
			return 0;
		refused = row_named(complained_of);
		if (refused < 0)
			return err;
		if (bpf_row((unsigned int)refused)->required || load->refused[refused] || is_temporary(err)) {
			say_refused(err);
			return err;
		}
		refuse(load, (unsigned int)refused, err);
		proclife_bpf_programs__destroy(load->skeleton);
		load->skeleton = NULL;
	}
}

static int add_rings(struct bpf_load *load, uint32_t cpu)
{
	int map = new_rings(load, cpu);
	int err;

	if (map < 0)
		return map;
	err = bpf_map_freeze(map);
	if (!err)
		err = bpf_map_update_elem(bpf_map__fd(load->skeleton->maps.rings), &cpu, &map, 0);
	load->rings[cpu] = map;
	if (!err)
		load->cpu_map[cpu / 64] |= 1ULL << cpu % 64;
	return err;
}

/* Calls it with each CPU of a list such as "0-3,8". Returns what it returns first that is not 0. */
static int for_each_cpu(const char *path, int (*call)(struct bpf_load *load, uint32_t cpu), struct bpf_load *load)
{
	FILE *file = fopen(path, "re");
	unsigned int first, last;
	int err = 0, separator = ',';

	if (!file)
		return -errno;
	while (!err && separator == ',' && fscanf(file, "%u", &first) == 1) {
		last = first;
		separator = fgetc(file);
		if (separator == '-' && fscanf(file, "%u", &last) == 1)
			separator = fgetc(file);
		for (; !err && first <= last && first < MOST_CPUS; first++)
			err = call(load, first);
	}
	fclose(file);
	return err;
}

static uint64_t rss_error(const struct bpf_load *load)
{
	uint64_t kib = (uint64_t)sysconf(_SC_PAGESIZE) / 1024, online = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	if (!load->kernel.rss_is_percpu)
		return 66 * 16 * kib;
	return (online > 16 ? 2 * online : 32) * online * kib;
}

/* How often the tick comes: the coarse clocks go with it. 0: not known. */
static uint32_t tick_rate(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) || tick.tv_sec || !tick.tv_nsec)
		return 0;
	return (uint32_t)((1000000000 + tick.tv_nsec / 2) / tick.tv_nsec);
}

static void describe(struct bpf_load *load)
{
	struct proclife_header *header = &load->header.header;
	struct utsname uts;

	uname(&uts);
	header->magic = PROCLIFE_MAGIC;
	header->abi_version = PROCLIFE_ABI_VERSION;
	header->abi_compatible = PROCLIFE_ABI_COMPATIBLE;
	header->header_bytes = sizeof(*header);
	header->record_bytes = sizeof(struct proclife_record);
	header->cpu_map_offset = sizeof(load->header);
	header->exit_mark = load->kernel.exit_has_group_dead ? PROCLIFE_EXIT_BEFORE_MM : PROCLIFE_EXIT_AFTER_MM;
	header->cgroup_leave = load->kernel.leaves_cgroup_at_switch ? PROCLIFE_CGROUP_LEAVE_SWITCH :
								      PROCLIFE_CGROUP_LEAVE_EXIT;
	header->init_pid_ns = INITIAL_PID_NAMESPACE;
	header->rss_error = rss_error(load);
	header->hz = tick_rate();
	header->source = PROCLIFE_SOURCE_BPF;
	load->header.layout = PROCLIFE_BPF_LAYOUT;
	header->types = PROCLIFE_TYPES;
	header->counts_offset = offsetof(struct proclife_ring_page, counts);
	header->suppressed_offset = offsetof(struct proclife_ring_page, suppressed);
	snprintf(header->release, sizeof(header->release), "%.63s", uts.release);
	snprintf(header->version, sizeof(header->version), "%.15s", PROCLIFE_VERSION);
}

static void add_features(struct bpf_load *load, const struct bpf_row *row)
{
	struct proclife_header *header = &load->header.header;

	header->features |= row->feature;
	header->mm_marks |= row->mm_mark;
	header->birth_marks |= row->birth_mark;
	header->path_marks |= row->path_marks;
	if (row->ring == PROCLIFE_BPF_ARGS)
		header->args_bytes = load->wishes.args_bytes;
	if (row->ring == PROCLIFE_BPF_REAP)
		header->reap_source = load->kernel.leaves_cgroup_at_switch ? PROCLIFE_REAP_CGROUP_TASK_RELEASE :
									     PROCLIFE_REAP_CGROUP_RELEASE;
}

static int attach(struct bpf_load *load)
{
	const struct bpf_row *row;
	unsigned int i;
	int err;

	for (i = 0; (row = bpf_row(i)); i++) {
		struct bpf_program *program = program_of(load, row);

		if (!bpf_program__autoload(program))
			continue;
		load->links[i] = bpf_program__attach(program);
		if (!load->links[i]) {
			err = -errno;
			if (row->required || is_temporary(err))
				return err;
			continue;
		}
		load->fds[load->descriptors.program_count++] = bpf_program__fd(program);
		load->header.links++;
		add_features(load, row);
	}
	if (load->wishes.times && load->kernel.has_run_delay)
		load->header.header.features |= PROCLIFE_HAS(PROCLIFE_TIMES);
	load->snapshot = bpf_program__attach_iter(load->skeleton->progs.on_snapshot, NULL);
	load->header.has_snapshot = load->snapshot != NULL;
	load->descriptors.snapshot = load->snapshot ? bpf_link__fd(load->snapshot) : -1;
	return 0;
}

static int publish(struct bpf_load *load)
{
	char element[PROCLIFE_BPF_HEADER_BYTES];
	uint32_t first = 0;
	int err;

	if (getrandom(load->header.key, sizeof(load->header.key), 0) != sizeof(load->header.key))
		return -errno;
	memcpy(element, &load->header, sizeof(load->header));
	memcpy(element + sizeof(load->header), load->cpu_map, sizeof(load->cpu_map));
	err = bpf_map_update_elem(bpf_map__fd(load->skeleton->maps.header), &first, element, 0);
	/* A user who may open the pins shall not change what others read. */
	if (!err)
		err = bpf_map_freeze(bpf_map__fd(load->skeleton->maps.header));
	return err ? err : bpf_map_freeze(bpf_map__fd(load->skeleton->maps.unringed));
}

static uint64_t monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void describe_maps(struct bpf_load *load)
{
	const struct proclife_bpf_programs *skeleton = load->skeleton;

	load->descriptors.header = bpf_map__fd(skeleton->maps.header);
	load->descriptors.rings = load->rings;
	load->descriptors.cpus = load->header.header.cpus;
	load->descriptors.unringed = bpf_map__fd(skeleton->maps.unringed);
	load->descriptors.programs = load->fds;
}

/* The highest number counts: others can be missing. */
static int count_cpu(struct bpf_load *load, uint32_t cpu)
{
	load->header.header.cpus = cpu + 1;
	return 0;
}

/* libbpf says of BTF for which it has no memory that there is none. */
static bool has_memory(void)
{
	void *room = malloc(64 << 20);
	bool has_room = room != NULL;

	free(room);
	return has_room;
}

static int load_all(struct bpf_load *load)
{
	int err = for_each_cpu("/sys/devices/system/cpu/possible", count_cpu, load);
	uint32_t cpus = load->header.header.cpus;

	if (err || !cpus)
		return err ? err : -ENOENT;
	load->btf = btf__load_vmlinux_btf();
	if (!load->btf) {
		err = last_error();
		if (!is_temporary(err) && has_memory())
			say("libbpf %s of this program cannot read this kernel's BTF; build it with a newer one",
			    libbpf_version_string());
		return err;
	}
	bpf_ask_kernel(&load->kernel, load->btf);
	bpf_find_symbols(&load->symbols);
	if (ftrace_is_off())
		refuse_functions(load);
	err = load_programs(load, cpus);
	if (err)
		return err;
	describe(load);
	describe_maps(load);
	err = for_each_cpu("/sys/devices/system/cpu/present", add_rings, load);
	if (!err)
		err = attach(load);
	load->header.header.loaded = monotonic();
	return err ? err : publish(load);
}

int bpf_load(struct bpf_load **out, const struct source_options *wishes, char why[BPF_WHY])
{
	int err = bpf_check_kernel(why);
	struct bpf_load *load;

	if (err)
		return err;
	load = calloc(1, sizeof(*load));
	if (load) {
		load->wishes = *wishes;
		memset(load->rings, -1, sizeof(load->rings));
		libbpf_set_print(listen);
		err = load_all(load);
	} else {
		err = -ENOMEM;
	}
	if (err) {
		if (err == -ESRCH && !has_memory())
			err = -ENOMEM;
		if (*reason)
			snprintf(why, BPF_WHY, "%s", reason);
		else
			bpf_explain(why, err, complaint);
		bpf_load_free(load);
		return err;
	}
	*out = load;
	return 0;
}

const struct proclife_bpf *bpf_descriptors(const struct bpf_load *load)
{
	return &load->descriptors;
}

void bpf_load_free(struct bpf_load *load)
{
	unsigned int i;

	if (!load)
		return;
	for (i = 0; i < MOST_PROGRAMS; i++)
		bpf_link__destroy(load->links[i]);
	bpf_link__destroy(load->snapshot);
	for (i = 0; i < MOST_CPUS; i++)
		if (load->rings[i] >= 0)
			close(load->rings[i]);
	proclife_bpf_programs__destroy(load->skeleton);
	btf__free(load->btf);
	free(load);
}

/* The links first: what is half pinned records already, and goes with its folder. The header last: a reader looks for it. */
bool bpf_load_pin(const struct bpf_load *load, unsigned int index, struct bpf_pin *pin)
{
	const struct bpf_row *row;
	unsigned int i, n = 0;

	for (i = 0; (row = bpf_row(i)); i++) {
		if (!load->links[i])
			continue;
		if (n++ == index) {
			snprintf(pin->name, sizeof(pin->name), PROCLIFE_BPF_LINKS "/%s", row->name);
			pin->fd = bpf_link__fd(load->links[i]);
			return true;
		}
		if (n++ == index) {
			snprintf(pin->name, sizeof(pin->name), PROCLIFE_BPF_PROGRAMS "/%s", row->name);
			pin->fd = bpf_program__fd(program_of(load, row));
			return true;
		}
	}
	const struct bpf_pin others[] = {
		{ PROCLIFE_BPF_UNRINGED, load->descriptors.unringed },
		{ PROCLIFE_BPF_SNAPSHOT, load->descriptors.snapshot },
		{ PROCLIFE_BPF_HEADER, load->descriptors.header },
	};

	index -= n;
	if (index >= sizeof(others) / sizeof(*others))
		return false;
	*pin = others[index];
	return true;
}
