// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/binfmts.h>
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/mm_types.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "paths.h"
#include "record.h"
#include "rings.h"

static bool paths;
module_param(paths, bool, 0444);
MODULE_PARM_DESC(paths, "record the whole path of an exec's file, and the working directory (N)");

static char *env = ""; /* without it, sysfs would show "(null)" */
module_param(env, charp, 0444);
MODULE_PARM_DESC(env, "record environment variables of an exec: CC,MAKELEVEL for instance; 16 names at most (none)");

bool proclife_paths_wanted __read_mostly;

#define NAMES 16
/* No more of an environment is searched: tracepoints of older kernels disable preemption. */
#define SEARCH_MOST 32768

static struct {
	const char *text;
	unsigned int len;
} names[NAMES];
static unsigned int name_count;

/*
 * For a text until it is in records, and for a part of an environment. An exec can be preempted here, from
 * Linux 7.0 on, so a CPU can need several: it looks for one that is free, its own first. There is one for
 * each CPU, and MORE.
 */
#define MORE 32
struct buffer {
	unsigned long busy; /* bit 0 */
	char text[PATH_MAX];
};

static struct buffer *buffers;
static unsigned int buffer_count;

static bool is_known(const char *text, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < name_count; i++)
		if (names[i].len == len && !memcmp(names[i].text, text, len))
			return true;
	return false;
}

static bool is_name(const char *text, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		if (!(isalnum(text[i]) || text[i] == '_') || (!i && isdigit(text[i])))
			return false;
	return len && len < PROCLIFE_PATH_ENV_NAME;
}

int proclife_paths_check(void)
{
	const char *at = env;

	for (name_count = 0; *at;) {
		unsigned int len = strcspn(at, ",");

		if (!is_name(at, len) || name_count == NAMES) {
			pr_err("env=%s: must be up to %d names of letters, digits and _, with a comma between them, each shorter than %d\n",
			       env, NAMES, PROCLIFE_PATH_ENV_NAME);
			return -EINVAL;
		}
		if (is_known(at, len)) {
			pr_err("env=%s: names %.*s twice\n", env, (int)len, at);
			return -EINVAL;
		}
		names[name_count].text = at;
		names[name_count++].len = len;
		at += len + (at[len] == ',');
	}
	return 0;
}

unsigned int proclife_paths_most(void)
{
	unsigned int texts = (paths && COMPAT_HAS_PATHS ? 2 : 0) + (name_count ? 1 : 0);

	return texts * DIV_ROUND_UP(PATH_MAX, PROCLIFE_PATH_TEXT);
}

int proclife_paths_init(void)
{
	if (paths && !COMPAT_HAS_PATHS)
		pr_warn("paths cannot be looked up in a tracepoint of this real-time kernel, recording without them\n");
	if (!proclife_paths_most())
		return 0;
	buffer_count = nr_cpu_ids + MORE;
	buffers = kvcalloc(buffer_count, sizeof(*buffers), GFP_KERNEL);
	if (!buffers)
		return -ENOMEM;
	smp_store_release(&proclife_paths_wanted, true); /* pairs with proclife_paths_exec() */
	return 0;
}

void proclife_paths_features(void)
{
	struct proclife_header *header = proclife_rings_header();

	if (!buffers || !(header->features & PROCLIFE_HAS(PROCLIFE_EXEC)))
		return;
	if (paths && COMPAT_HAS_PATHS)
		header->path_marks |= PROCLIFE_HAS_PATH(PROCLIFE_PATH_EXE) |
				      PROCLIFE_HAS_PATH(PROCLIFE_PATH_CWD);
	if (name_count)
		header->path_marks |= PROCLIFE_HAS_PATH(PROCLIFE_PATH_ENV);
	header->features |= PROCLIFE_HAS(PROCLIFE_PATH);
}

void proclife_paths_exit(void)
{
	proclife_paths_wanted = false;
	kvfree_sensitive(buffers, buffer_count * sizeof(*buffers)); /* other variables were there, too */
}

/* NULL: all are in use, by execs that were preempted. */
static struct buffer *take_buffer(void)
{
	unsigned int first = raw_smp_processor_id(), i;

	for (i = 0; i < buffer_count; i++) {
		struct buffer *buffer = &buffers[(first + i) % buffer_count];

		if (!test_and_set_bit_lock(0, &buffer->busy))
			return buffer;
	}
	return NULL;
}

static void put_buffer(struct buffer *buffer)
{
	clear_bit_unlock(0, &buffer->busy);
}

struct text {
	const char *bytes;
	unsigned int len;   /* of these */
	unsigned int total; /* of all that there are */
	unsigned int searched;
	bool lacks; /* there is more to know */
};

static void put_piece(u32 what, const struct text *text, unsigned int offset)
{
	unsigned int len = min_t(unsigned int, text->len - offset, PROCLIFE_PATH_TEXT);
	struct proclife_record *r;
	struct rings_slot slot;

	r = rings_begin(&slot, PROCLIFE_PATH);
	take_head(r, current);
	record_reserve(r->words, ARRAY_SIZE(r->words));
	r->path.what = what;
	r->path.total = text->total;
	r->path.offset = offset;
	r->path.len = len;
	r->path.searched = text->searched;
	if (len)
		memcpy(r->path.text, text->bytes + offset, len);
	if (text->lacks && offset + len == text->len)
		r->flags |= PROCLIFE_F_TRUNCATED;
	rings_end(&slot, PROCLIFE_PATH);
}

/* One slot at a time, as ARGS; and one for a text of no length, which says just that. */
static void put_text(u32 what, const struct text *text)
{
	unsigned int offset = 0;

	do {
		put_piece(what, text, offset);
		offset += PROCLIFE_PATH_TEXT;
	} while (offset < text->len);
}

static void put_unknown(u32 what)
{
	const struct text nothing = { .lacks = true };

	put_text(what, &nothing);
}

/* As d_path() has given it. */
static void put_path(u32 what, const char *name)
{
	struct text text = {};

	if (IS_ERR(name)) { /* it is too long */
		put_unknown(what);
		return;
	}
	text.bytes = name;
	text.len = strlen(name);
	text.total = text.len;
	put_text(what, &text);
}

/*
 * Another task that shares current's fs_struct can change to another directory meanwhile. A reference to
 * this one could then be the last, and giving that back sleeps. Under RCU, neither the directory nor its
 * mount is freed.
 */
static const char *directory(char *buffer)
{
	const struct fs_struct *fs = current->fs;
	const char *name;
	unsigned int seq;
	struct path pwd;

	rcu_read_lock();
	do {
		seq = read_seqcount_begin(compat_fs_seq(fs));
		pwd = fs->pwd;
	} while (read_seqcount_retry(compat_fs_seq(fs), seq));
	name = d_path(&pwd, buffer, PATH_MAX);
	rcu_read_unlock();
	return name;
}

struct search {
	unsigned long start; /* of the environment */
	unsigned int most;   /* bytes to be searched */
	unsigned int at;     /* how many have been, up to the beginning of an entry */
	unsigned int found;  /* a bit for each name */
	unsigned int count;
	struct {
		unsigned int at, len; /* with the NUL */
	} entries[NAMES]; /* in the order of the environment */
};

static void judge_entry(struct search *s, const char *entry, unsigned int seen, unsigned int at,
			unsigned int len)
{
	unsigned int i;

	for (i = 0; i < name_count; i++) {
		if (s->found & BIT(i) || seen <= names[i].len || entry[names[i].len] != '=' ||
		    memcmp(entry, names[i].text, names[i].len))
			continue;
		s->found |= BIT(i); /* the first one counts, as for getenv(3) */
		s->entries[s->count].at = at;
		s->entries[s->count++].len = len;
		return;
	}
}

/*
 * How long the entry is that begins here, with its NUL; 0: its end is not there. It is larger than the
 * buffer.
 */
static unsigned int measure_entry(const struct search *s, char *tail, unsigned int room)
{
	unsigned int at = s->at, n, len;

	for (; at < s->most; at += n) {
		n = min(room, s->most - at);
		if (proclife_copy_present(tail, s->start + at, n) < n)
			return 0;
		len = strnlen(tail, n);
		if (len < n)
			return at + len + 1 - s->at;
	}
	return 0;
}

/*
 * The entries that are whole in what was copied, of @n bytes, from s->at on. Returns how many bytes these
 * are.
 */
static unsigned int judge_entries(struct search *s, const char *copy, unsigned int n)
{
	unsigned int at = 0, len;

	for (; at < n; at += len) {
		len = strnlen(copy + at, n - at) + 1;
		if (at + len > n)
			break;
		judge_entry(s, copy + at, len, s->at + at, len);
	}
	return at;
}

static void search_env(struct search *s, char *buffer)
{
	const unsigned int head = PROCLIFE_PATH_ENV_NAME, all = BIT(name_count) - 1;
	unsigned int n, done;

	while (s->at < s->most && s->found != all) {
		n = min_t(unsigned int, PATH_MAX, s->most - s->at);
		n = proclife_copy_present(buffer, s->start + s->at, n);
		done = judge_entries(s, buffer, n);
		if (!done && n == PATH_MAX) { /* its name stays at the beginning of the buffer */
			done = measure_entry(s, buffer + head, PATH_MAX - head);
			if (done)
				judge_entry(s, buffer, head, s->at, done);
		}
		if (!done)
			return;
		s->at += done;
	}
}

/* What was found, into the buffer, as far as it has room. */
static void put_found(const struct search *s, char *buffer, bool whole)
{
	struct text text = { .bytes = buffer, .searched = s->at, .lacks = !whole };
	bool cut = false;
	unsigned int i;

	for (i = 0; i < s->count; i++) {
		unsigned int len = min_t(unsigned int, s->entries[i].len, PATH_MAX - text.len), n;

		text.total += s->entries[i].len;
		if (cut)
			continue;
		n = proclife_copy_present(buffer + text.len, s->start + s->entries[i].at, len);
		text.len += n;
		cut = n < s->entries[i].len;
	}
	text.lacks |= cut;
	put_text(PROCLIFE_PATH_ENV, &text);
}

static void put_env(char *buffer)
{
	const struct mm_struct *mm = current->mm;
	unsigned long start = READ_ONCE(mm->env_start), end = READ_ONCE(mm->env_end);
	unsigned long size = end > start ? end - start : 0;
	struct search s = { .start = start, .most = min_t(unsigned long, size, SEARCH_MOST) };

	search_env(&s, buffer);
	put_found(&s, buffer, s.at == size || s.count == name_count);
}

void proclife_paths_exec(const struct linux_binprm *bprm)
{
	bool with_paths = paths && COMPAT_HAS_PATHS;
	struct buffer *buffer = take_buffer();

	if (!buffer) {
		if (with_paths) {
			put_unknown(PROCLIFE_PATH_EXE);
			put_unknown(PROCLIFE_PATH_CWD);
		}
		if (name_count)
			put_unknown(PROCLIFE_PATH_ENV);
		return;
	}
	if (with_paths) {
		put_path(PROCLIFE_PATH_EXE, d_path(&bprm->file->f_path, buffer->text, PATH_MAX));
		put_path(PROCLIFE_PATH_CWD, directory(buffer->text));
	}
	if (name_count)
		put_env(buffer->text);
	put_buffer(buffer);
}
