// SPDX-License-Identifier: GPL-2.0-only
/*
 * compile_commands.json, for tools that read sources as compilers do: an entry for each source that a compiler was
 * called for. What a compiler calls itself is part of that call. The manual states which commands are calls.
 */
#include "output/json.h"
#include "output/message.h"
#include "output/quote.h"
#include "output/unicode.h"
#include "views/export/export.h"
#include "views/share/id_table.h"
#include "views/share/path.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct compdb {
	const struct export *export;
	struct json json;
	struct id_table inside; /* processes that a compiler, or its descendants, have made */
	const char **words;	/* of the command that is looked at */
	size_t words_size;
	bool any; /* an entry is written */
	uint64_t cut; /* calls whose arguments are not all known */
	uint64_t nowhere; /* whose directory was not recorded */
	uint64_t too_far; /* whose directory could not be recorded */
	uint64_t removed; /* whose directory was removed */
	uint64_t in_files; /* whose arguments are in files, and no source beside these */
	uint64_t no_text; /* that have bytes which are no UTF-8 */
};

static bool is_one_of(const char *const *names, const char *s, size_t n)
{
	for (; *names; names++)
		if (strlen(*names) == n && !memcmp(*names, s, n))
			return true;
	return false;
}

/* "gcc", "/usr/bin/x86_64-linux-gnu-g++-12", "clang-15" */
static bool is_compiler(const char *path)
{
	static const char *const names[] = {
		"cc", "c89", "c99", "gcc", "clang", "tcc", "icc", "icx", "c++", "g++", "clang++", "icpc", "icpx", NULL,
	};
	const char *name = path_base(path), *begin;
	size_t n = strlen(name), version = n;

	while (version && (isdigit((unsigned char)name[version - 1]) || name[version - 1] == '.'))
		version--;
	if (version && version < n && name[version - 1] == '-')
		n = version - 1;
	for (begin = name + n; begin > name && begin[-1] != '-'; begin--)
		;
	return is_one_of(names, begin, (size_t)(name + n - begin));
}

static bool is_launcher(const char *path)
{
	static const char *const names[] = { "ccache", "distcc", "sccache", "icecc", NULL };
	const char *name = path_base(path);

	return is_one_of(names, name, strlen(name));
}

static bool is_source(const char *word)
{
	static const char *const endings[] = {
		"c", "i", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "ii", "m", "mi", "mm", "M", "mii", "s", "S", "sx", "cu", NULL,
	};
	const char *name = path_base(word), *dot = strrchr(name, '.');

	return dot && is_one_of(endings, dot + 1, strlen(dot + 1));
}

/*
 * GCC has a long spelling of each of these, whose value can stand behind '=' or be the next word. Returns the short one,
 * or @word, and sets *@value if it has one in it.
 */
static const char *short_option(const char *word, const char **value)
{
	static const struct {
		const char *spelt, *is;
	} options[] = {
		{ "--assert", "-A" }, { "--define-macro", "-D" }, { "--dependencies", "-M" },
		{ "--for-assembler", "-Xassembler" }, { "--for-linker", "-Xlinker" }, { "--force-link", "-u" },
		{ "--imacros", "-imacros" }, { "--include", "-include" }, { "--include-directory", "-I" },
		{ "--include-directory-after", "-idirafter" }, { "--include-prefix", "-iprefix" },
		{ "--include-with-prefix", "-iwithprefix" }, { "--include-with-prefix-after", "-iwithprefix" },
		{ "--include-with-prefix-before", "-iwithprefixbefore" }, { "--language", "-x" },
		{ "--library-directory", "-L" }, { "--output", "-o" }, { "--prefix", "-B" }, { "--preprocess", "-E" },
		{ "--undefine-macro", "-U" }, { "--user-dependencies", "-MM" },
	};
	size_t n = strcspn(word, "=");

	*value = NULL;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (strlen(options[i].spelt) != n || strncmp(options[i].spelt, word, n))
			continue;
		if (word[n])
			*value = word + n + 1;
		return options[i].is;
	}
	return word;
}

/* Is the next word the value of this option? GCC's and clang's. */
static bool takes_next(const char *word)
{
	static const char *const options[] = {
		"-o", "-x", "-I", "-D", "-U", "-L", "-l", "-B", "-T", "-u", "-z", "-e", "-A", "-F", "-MF", "-MT", "-MQ", "-include",
		"-imacros", "-isystem", "-idirafter", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-iquote", "-isysroot",
		"-imultilib", "-Xclang", "-Xpreprocessor", "-Xassembler", "-Xlinker", "-arch", "-target", "-framework", "--param",
		"-aux-info", "-wrapper", "-dumpbase", "-dumpbase-ext", "-dumpdir", "-mllvm", "-gcc-toolchain", "-imultiarch",
		"--sysroot", "--entry", "--specs", "-specs", "-MJ", "-serialize-diagnostics", "--serialize-diagnostics",
		"-iframework", "-iframeworkwithsysroot", "-isystem-after", "-cxx-isystem", "-ivfsoverlay",
		"-working-directory", "-index-store-path", "-Xopenmp-target", "-Xclang-linker", "-current_version",
		"-compatibility_version", "-install_name", "-bundle_loader", "-exported_symbols_list", "-sectcreate", NULL,
	};

	return is_one_of(options, word, strlen(word)) || !strncmp(word, "-Xarch_", 7);
}

/* It only preprocesses, or lists what a source depends on. */
static bool compiles_nothing(const char *word)
{
	static const char *const options[] = { "-E", "-M", "-MM", "-###", NULL };

	return is_one_of(options, word, strlen(word));
}

static size_t split(struct compdb *compdb, const struct life *life)
{
	size_t count = 0;

	for (size_t i = 0; i < life->args_bytes; i += strlen(life->args + i) + 1) {
		if (count == compdb->words_size) {
			compdb->words_size = 2 * count + 16;
			compdb->words = reallocarray((void *)compdb->words, compdb->words_size, sizeof(*compdb->words));
			if (!compdb->words)
				die_no_memory();
		}
		compdb->words[count++] = life->args + i;
	}
	return count;
}

static bool is_text(const char *s)
{
	size_t n = strlen(s), length;

	for (size_t i = 0; i < n; i += length) {
		length = utf8_length((const unsigned char *)s + i, n - i);
		if (!length)
			return false;
	}
	return true;
}

struct call {
	const char *directory;
	const char *const *words;
	size_t count;
	const char *output; /* NULL: it names none */
};

static bool is_all_text(const struct call *call)
{
	for (size_t i = 0; i < call->count; i++)
		if (!is_text(call->words[i]))
			return false;
	return is_text(call->directory);
}

static void write_entry(struct compdb *compdb, const struct call *call, const char *file)
{
	struct json *json = &compdb->json;
	FILE *out = compdb->export->out;

	fputs(compdb->any ? ",\n" : "[\n", out);
	compdb->any = true;
	json->first = true;
	json_object(json, NULL);
	json_string(json, "directory", call->directory);
	json_array(json, "arguments");
	for (size_t i = 0; i < call->count; i++)
		json_string(json, NULL, call->words[i]);
	json_array_end(json);
	json_string(json, "file", file);
	if (call->output)
		json_string(json, "output", call->output);
	json_object_end(json);
	fwrite_unlocked(json->s, 1, json->len, out);
	json->len = 0;
}

/* An option: its output, or what its files are taken for. Returns how many words it is; 0: nothing is compiled. */
static size_t take_option(struct call *call, const char *word, const char *next, bool *all_sources)
{
	const char *value, *option = short_option(word, &value);
	bool takes = !value && takes_next(option);

	if (compiles_nothing(option))
		return 0;
	if (!value)
		value = takes ? next : option + 2;
	if (!strncmp(option, "-o", 2))
		call->output = value;
	if (!strncmp(option, "-x", 2))
		*all_sources = value && strcmp(value, "none");
	return 1 + takes;
}

/* What a call has. */
enum sources {
	NO_SOURCES,
	ANY_SOURCES,
	SOURCES_UNKNOWN, /* they can be in a file of arguments */
};

/* Twice: where the output is known, and whether there are sources at all. @compdb: NULL: only that. */
static enum sources look_for_sources(struct compdb *compdb, struct call *call)
{
	bool all_sources = false, only_files = false;
	enum sources sources = NO_SOURCES;
	size_t taken;

	for (size_t i = 1; i < call->count; i += taken) {
		const char *word = call->words[i], *next = i + 1 < call->count ? call->words[i + 1] : NULL;

		taken = 1;
		if (!only_files && !strcmp(word, "--")) {
			only_files = true;
		} else if (!only_files && word[0] == '-' && word[1]) {
			taken = take_option(call, word, next, &all_sources);
			if (!taken)
				return NO_SOURCES;
		} else if (word[0] == '@') {
			sources = sources == NO_SOURCES ? SOURCES_UNKNOWN : sources;
		} else if (strcmp(word, "-") && (all_sources || is_source(word))) {
			sources = ANY_SOURCES;
			if (compdb)
				write_entry(compdb, call, word);
		}
	}
	return sources;
}

/* Without what runs it: the interpreter of a script, and a launcher. */
static bool find_compiler(struct call *call, const struct life *life)
{
	const struct command command = { life->path, life->args, life->args_bytes, life->args_cut,
					 life->script, life->by_fd };
	size_t first = command_skip(&command) - 1;

	if (is_launcher(life->path))
		first++;
	if (first >= call->count)
		return false;
	call->words += first;
	call->count -= first;
	return !is_launcher(life->path) || is_compiler(call->words[0]);
}

static bool calls_compiler(const struct proclife_process *process)
{
	return process->path && (is_compiler(process->path) || is_launcher(process->path));
}

/* Counts the call, whose directory is not known. */
static void count_nowhere(struct compdb *compdb, const struct life *life)
{
	const struct proclife_header *header = proclife_source_header(life->run->source);

	if (header && header->path_marks & PROCLIFE_HAS_PATH(PROCLIFE_PATH_CWD))
		compdb->too_far++;
	else
		compdb->nowhere++;
}

/* As the kernel writes it. A folder can be named like this, too, but few builds have one. */
static bool is_removed(const char *directory)
{
	static const char end[] = " (deleted)";
	size_t n = strlen(directory);

	return n >= strlen(end) && !strcmp(directory + n - strlen(end), end);
}

static void add_life(void *state, const struct life *life, const struct proclife_process *process)
{
	struct compdb *compdb = state;
	struct call call = { .directory = life->program.cwd };
	enum sources sources;

	if (!calls_compiler(process) || id_table_get(&compdb->inside, life->id))
		return;
	if (!life->args || life->args_cut) {
		compdb->cut++;
		return;
	}
	call.count = split(compdb, life);
	call.words = compdb->words;
	if (!find_compiler(&call, life))
		return;
	sources = look_for_sources(NULL, &call);
	if (sources == NO_SOURCES)
		return;
	if (sources == SOURCES_UNKNOWN)
		compdb->in_files++;
	else if (!call.directory)
		count_nowhere(compdb, life);
	else if (is_removed(call.directory))
		compdb->removed++;
	else if (!is_all_text(&call))
		compdb->no_text++;
	else
		look_for_sources(compdb, &call);
}

static void note_inside(struct compdb *compdb, const struct proclife_process *process, const struct proclife_process *of)
{
	if (of && (id_table_get(&compdb->inside, of->id) || calls_compiler(of)))
		id_table_add(&compdb->inside, process->id);
}

static void born(void *state, const struct proclife_process *process, const struct proclife_process *parent,
		 const struct proclife_process *creator)
{
	note_inside(state, process, creator ? creator : parent);
}

static void linked(void *state, const struct proclife_process *process, const struct proclife_process *parent)
{
	note_inside(state, process, parent);
}

static void forget(void *state, const struct proclife_process *process)
{
	struct compdb *compdb = state;
	void *inside = id_table_get(&compdb->inside, process->id);

	if (inside)
		id_table_delete(&compdb->inside, inside);
}

static int begin(const struct export *export, void **state)
{
	struct compdb *compdb = calloc(1, sizeof(*compdb));

	if (!compdb)
		return -ENOMEM;
	compdb->export = export;
	json_init(&compdb->json, export->out);
	id_table_init(&compdb->inside, sizeof(uint64_t));
	*state = compdb;
	return 0;
}

/* @one: what it is that is left out, and why; @many: the same of several. */
static void say(uint64_t n, const char *one, const char *many, const char *remedy)
{
	if (n == 1)
		message("--export compdb: 1 %s%s", one, remedy);
	else if (n)
		message("--export compdb: %llu %s%s", (unsigned long long)n, many, remedy);
}

static void end(void *state)
{
	struct compdb *compdb = state;

	fputs(compdb->any ? "\n]\n" : "[]\n", compdb->export->out);
	say(compdb->cut, "command of a compiler left out: not all of its arguments were recorded",
	    "commands of compilers left out: not all of their arguments were recorded",
	    "; load the module with args_bytes=8192, or take --source=bpf,args_bytes=8192");
	say(compdb->nowhere, "call left out: its directory was not recorded",
	    "calls left out: their directories were not recorded", "; load the module with paths=Y, or take --source=bpf,paths");
	say(compdb->too_far, "call left out: its directory has 4,096 bytes or more, or was lost",
	    "calls left out: their directories have 4,096 bytes or more, or were lost", "");
	say(compdb->removed, "call left out: its directory was removed", "calls left out: their directories were removed", "");
	say(compdb->in_files, "call left out: its arguments are in a file that it names behind '@'",
	    "calls left out: their arguments are in files that they name behind '@'", "");
	say(compdb->no_text, "call left out: it has bytes that are not UTF-8",
	    "calls left out: they have bytes that are not UTF-8", "");
}

static void free_all(void *state)
{
	struct compdb *compdb = state;

	if (!compdb)
		return;
	json_free(&compdb->json);
	id_table_free(&compdb->inside);
	free((void *)compdb->words);
	free(compdb);
}

const struct export_format export_compdb = {
	.format = { .name = "compdb", .is_of_args = true },
	.begin = begin,
	.born = born,
	.linked = linked,
	.life = add_life,
	.forget = forget,
	.end = end,
	.free = free_all,
};
