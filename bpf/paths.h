/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Paths and variables of an exec, as module/paths.c records them. BPF has bpf_d_path() for a few functions of the kernel
 * only, so this does what d_path() does. State between the calls of bpf_loop() is in maps: the verifier takes what is there
 * for any number, and so has one call to judge.
 */
#ifndef PROCLIFE_BPF_PATHS_H
#define PROCLIFE_BPF_PATHS_H

#include "record.h"

#define MOST_TEXT 4096 /* PATH_MAX */
#define MOST_NAME 255
#define MOST_TEXT_PIECES ((MOST_TEXT + PROCLIFE_PATH_TEXT - 1) / PROCLIFE_PATH_TEXT)
#define MOST_STEPS 4096 /* names in a path, and mounts on its way */
#define MOST_TRIES 8

/* A text until it is in records. */
struct text {
	__u32 from; /* where it begins in `bytes` */
	__u32 len;
	__u32 total; /* of all that there is */
	__u32 searched;
	bool lacks; /* there is more to know */
	char bytes[2 * MOST_TEXT]; /* twice: the verifier does not know that place and length fit together */
};

enum text_id { TEXT_PATH, TEXT_ENV, TEXT_COUNT };

/* One for each program: on kernels that preempt them, one can run in the middle of the other. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TEXT_COUNT);
	__type(key, __u32);
	__type(value, struct text);
} texts SEC(".maps");

/*
 * From a file up to the task's root. d_path() reads rename_lock and mount_lock before and after, of which many kernels hide
 * the addresses. So we walk twice. Each name and parent has a count, d_seq, that is odd while they are being changed, and
 * what the task has for its root and directory has another. If both walks come by the same objects with the same counts,
 * all of these were so at the moment between the walks. A mount has no count: it could be moved away and back in between,
 * by two system calls, and only if another part changed at the same time would the path be one that never was.
 *
 * The readers of such counts have barriers around what is counted; here, these are exchanges, as in proclife/bpf.h. RCU
 * keeps what is freed meanwhile from becoming something else, and calls read it, which fail where there is no memory.
 */
struct walk {
	__u64 dentry;
	__u64 mount;
	__u64 root_dentry;
	__u64 root_mount;
	__u64 fence;
	__u64 sum; /* of what it came by */
	__u32 at;  /* the text begins here, as far as it is made: it is made from its end */
	__u32 end;
	bool copies; /* the first walk: it takes the names */
	bool arrived;
	bool changing; /* something was being changed */
	bool made_up;  /* it has a name without a folder */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk);
} walks SEC(".maps");

static __always_inline struct text *text_of(__u32 id)
{
	return bpf_map_lookup_elem(&texts, &id);
}

static __always_inline struct walk *walk_now(void)
{
	__u32 first = 0;

	return bpf_map_lookup_elem(&walks, &first);
}

static __always_inline void record_path(struct proclife_record *r, const struct text *text, __u32 what, __u32 offset)
{
	__u32 len = text->len - offset, from = (text->from + offset) & (MOST_TEXT - 1);

	if (len > PROCLIFE_PATH_TEXT)
		len = PROCLIFE_PATH_TEXT;
	take_head(r, current_task());
	take_nothing(r->words);
	r->path.what = what;
	r->path.total = text->total;
	r->path.offset = offset;
	r->path.len = len;
	r->path.searched = text->searched;
	barrier_var(len);
	if (len && len <= PROCLIFE_PATH_TEXT)
		bpf_probe_read_kernel(r->path.text, len, text->bytes + from);
	if (text->lacks && offset + len == text->len)
		r->flags |= PROCLIFE_F_TRUNCATED;
}

static __always_inline void note(struct walk *walk, __u64 value)
{
	__u64 sum = (walk->sum ^ value) * 0x9e3779b97f4a7c15ULL;

	walk->sum = sum ^ sum >> 32;
}

/* The count is the first member of all types that these have had. */
static __always_inline void note_count(struct walk *walk, const void *from)
{
	__u32 count = 1; /* as if it were being written */

	bpf_probe_read_kernel(&count, sizeof(count), from);
	walk->changing |= count & 1;
	note(walk, count);
	__sync_lock_test_and_set(&walk->fence, count);
}

static __always_inline bool prepend_name(struct walk *walk, struct text *text, struct dentry *dentry)
{
	__u32 len = BPF_CORE_READ(dentry, d_name.len), at;

	if (len > MOST_NAME || len + 1 > walk->at)
		return false;
	walk->at -= len + 1;
	if (!walk->copies)
		return true;
	at = walk->at & (MOST_TEXT - 1);
	len &= MOST_NAME;
	barrier_var(at);
	barrier_var(len);
	if (at >= MOST_TEXT || len > MOST_NAME)
		return false;
	text->bytes[at] = '/';
	return !bpf_probe_read_kernel(text->bytes + at + 1, len, BPF_CORE_READ(dentry, d_name.name));
}

/* One name, or from the root of a mount to where it is mounted. Returns whether the walk goes on. */
static __always_inline bool climb(struct walk *walk, struct text *text)
{
	struct dentry *dentry = (void *)walk->dentry;
	struct mount *mount = (void *)walk->mount;
	unsigned long parent, above;

	note(walk, walk->dentry);
	note(walk, walk->mount);
	if (walk->dentry == walk->root_dentry && walk->mount == walk->root_mount)
		goto arrive;
	if (walk->dentry == read_pointer(&mount->mnt.mnt_root)) {
		above = read_pointer(&mount->mnt_parent);
		if (above == walk->mount) /* the task's root is not on the way; or of a mount that is nowhere */
			goto arrive;
		walk->dentry = read_pointer(&mount->mnt_mountpoint);
		walk->mount = above;
		return true;
	}
	note_count(walk, (void *)dentry + bpf_core_field_offset(struct dentry, d_seq));
	parent = read_pointer(&dentry->d_parent);
	if (parent == walk->dentry) { /* it was moved out of the folder that is mounted: d_path() says "/" */
		walk->at = walk->end;
		goto arrive;
	}
	walk->dentry = parent;
	return prepend_name(walk, text, dentry);
arrive:
	walk->arrived = true;
	return false;
}

static long climb_once(__u32 index, void *context)
{
	struct text *text = text_of(TEXT_PATH);
	struct walk *walk = walk_now();

	return !text || !walk || !climb(walk, text);
}

static __always_inline void read_path(__u64 *dentry, __u64 *mount, const struct path *path)
{
	*dentry = read_pointer(&path->dentry);
	*mount = read_pointer(&path->mnt) - bpf_core_field_offset(struct mount, mnt);
}

/* To the end of what a path can have. */
static __always_inline void append_deleted(struct walk *walk, struct text *text)
{
	__builtin_memcpy(text->bytes + MOST_TEXT - 1 - 10, " (deleted)", 10);
	walk->at -= 10;
}

static __always_inline void begin_walk(struct walk *walk, const struct path *path, bool copies)
{
	struct fs_struct *fs = (void *)read_pointer(&current_task()->fs);

	walk->copies = copies;
	walk->arrived = false;
	walk->sum = 0;
	walk->at = walk->end;
	note_count(walk, (void *)fs + bpf_core_field_offset(struct fs_struct, seq));
	read_path(&walk->root_dentry, &walk->root_mount, &fs->root);
	read_path(&walk->dentry, &walk->mount, path);
}

/* As of a memfd. Others than this make up names of what neither runs nor is a directory. */
static __always_inline bool take_made_up(struct walk *walk, struct text *text, unsigned long maker)
{
	walk->made_up = true;
	append_deleted(walk, text);
	return maker == address_of_simple_dname && prepend_name(walk, text, (void *)walk->dentry);
}

/* False: it is too long. */
static __always_inline bool walk_first(struct walk *walk, struct text *text, const struct path *path)
{
	struct dentry_operations *ops;
	unsigned long parent, maker;
	struct dentry *dentry;
	struct mount *mount;

	walk->end = MOST_TEXT - 1;
	begin_walk(walk, path, true);
	dentry = (void *)walk->dentry;
	mount = (void *)walk->mount;
	parent = read_pointer(&dentry->d_parent);
	ops = (void *)read_pointer(&dentry->d_op);
	maker = ops ? read_pointer(&ops->d_dname) : 0;
	if (maker && (parent != walk->dentry || walk->dentry != read_pointer(&mount->mnt.mnt_root)))
		return take_made_up(walk, text, maker);
	if (parent != walk->dentry && !read_pointer(&dentry->d_hash.pprev))
		append_deleted(walk, text);
	walk->end = walk->at;
	bpf_loop(MOST_STEPS, climb_once, NULL, 0);
	if (walk->arrived && walk->at == walk->end) {
		walk->at--;
		text->bytes[walk->at & (MOST_TEXT - 1)] = '/';
	}
	return walk->arrived;
}

/* Returns whether the second walk has found the same. */
static __always_inline bool walk_twice(struct walk *walk, struct text *text, const struct path *path)
{
	__u64 first;
	bool found;

	walk->changing = walk->made_up = false;
	found = walk_first(walk, text, path);
	text->from = walk->at;
	text->len = found ? MOST_TEXT - 1 - walk->at : 0;
	text->lacks = !found;
	if (walk->made_up) /* it never changes */
		return true;
	first = walk->sum;
	__sync_lock_test_and_set(&walk->fence, first);
	begin_walk(walk, path, false);
	bpf_loop(MOST_STEPS, climb_once, NULL, 0);
	return first == walk->sum && !walk->changing;
}

static long try_path(__u32 index, void *context)
{
	struct text *text = text_of(TEXT_PATH);
	struct walk *walk = walk_now();

	if (!text || !walk || !context)
		return 1;
	if (walk_twice(walk, text, *(const struct path **)context))
		return 1;
	text->len = 0;
	text->lacks = true;
	return 0;
}

/* What is not known has no length: it is too long, or something on its way was being renamed at each try. */
static __always_inline void take_path(struct text *text, const struct path *path)
{
	text->len = 0;
	text->lacks = true;
	bpf_loop(MOST_TRIES, try_path, &path, 0);
	text->total = text->len;
	text->searched = 0;
}

/*
 * The environment
 */

#define MOST_ENTRIES 4096
#define MOST_SEARCHED 32768 /* bytes, as in the module */

/* NAME=, and how long that is. */
const volatile char env_names[PROCLIFE_BPF_ENV_NAMES][PROCLIFE_PATH_ENV_NAME + 1];
const volatile __u32 env_lens[PROCLIFE_BPF_ENV_NAMES];
const volatile __u32 env_count;

struct search {
	__u64 start; /* of the environment */
	__u32 most;  /* bytes to be searched */
	__u32 at;    /* how many have been, up to the beginning of an entry */
	__u32 seen;  /* of this entry, in the calls before */
	__u32 part;  /* where the part begins that the module would have read at once */
	__u32 found; /* a bit for each name */
	__u32 bit;   /* of this entry's name */
	bool cut;    /* not all that was found has room */
	char room[MOST_TEXT];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct search);
} searches SEC(".maps");

/* A bit for the name of an entry; 0: none that is wanted. The first entry of a name counts, as for getenv(3). */
static __always_inline __u32 judge_entry(const char *entry, __u32 found)
{
#pragma unroll
	for (unsigned int i = 0; i < PROCLIFE_BPF_ENV_NAMES; i++)
		if (i < env_count && !(found & 1u << i) &&
		    !bpf_strncmp(entry, env_lens[i], (const char *)env_names[i]))
			return 1u << i;
	return 0;
}

static __always_inline void take_entry(struct search *s, struct text *text, __u32 len)
{
	__u32 room = MOST_TEXT - text->len, n = len > room ? room : len, to = text->len & (MOST_TEXT - 1);

	s->found |= s->bit;
	text->total += len;
	if (s->cut)
		return;
	barrier_var(n);
	if (n <= MOST_TEXT && bpf_probe_read_user(text->bytes + to, n, (void *)(s->start + s->at)))
		n = 0;
	text->len += n;
	s->cut = n < len;
}

/* The module reads a part, judges all entries that are whole in it, and reads no other if it has all names then. */
static __always_inline bool ends_before(struct search *s, __u32 len)
{
	__u32 end = s->at + len;

	if (end > s->most)
		return true;
	if (end <= s->part + MOST_TEXT)
		return false;
	s->part = len > MOST_TEXT ? end - MOST_TEXT : s->at; /* what is larger than a part is read alone */
	return s->found == (1u << env_count) - 1;
}

/* One entry, or as much of it as there is room for. Returns 1 at the end. */
static long search_entry(__u32 index, void *context)
{
	struct text *text = text_of(TEXT_ENV);
	__u32 first = 0, len;
	struct search *s = bpf_map_lookup_elem(&searches, &first);
	long n;

	if (!text || !s || s->at + s->seen >= s->most)
		return 1;
	n = bpf_probe_read_user_str(s->room, sizeof(s->room), (void *)(s->start + s->at + s->seen));
	if (n < 0)
		return 1;
	if (!n) /* older kernels do not count the NUL of an empty text */
		n = 1;
	if (!s->seen)
		s->bit = judge_entry(s->room, s->found);
	if (n == sizeof(s->room)) { /* the helper has put a NUL in place of the last byte */
		s->seen += n - 1;
		return 0;
	}
	len = s->seen + n;
	if (ends_before(s, len))
		return 1;
	if (s->bit)
		take_entry(s, text, len);
	s->at += len;
	s->seen = 0;
	return 0;
}

static __always_inline void take_env(struct text *text, struct search *s, struct mm_struct *mm)
{
	unsigned long start = mm->env_start, end = mm->env_end, size = end > start ? end - start : 0;

	s->start = start;
	s->most = size > MOST_SEARCHED ? MOST_SEARCHED : size;
	s->at = 0;
	s->seen = 0;
	s->part = 0;
	s->found = 0;
	s->cut = false;
	text->from = 0;
	text->len = 0;
	text->total = 0;
	bpf_loop(MOST_ENTRIES, search_entry, NULL, 0);
	text->searched = s->at;
	text->lacks = s->cut || (s->at != size && s->found != (1u << env_count) - 1);
}

#endif
