// SPDX-License-Identifier: GPL-2.0-only
#include "cli/completion.h"
#include <ctype.h>
#include <proclife.h>
#include <string.h>

/* What can stand for the argument that the table names so: shell code for bash and zsh. */
static const struct {
	const char *arg;
	const char *bash; /* fills COMPREPLY from $cur */
	const char *zsh;  /* an action of _arguments */
} kinds[] = {
	{ "DIR", "COMPREPLY=($(compgen -d -- \"$cur\"))", "_files -/" },
	{ "A", "COMPREPLY=($(compgen -d -- \"$cur\"))", "_files -/:B:_files -/" },
	{ "USER", "COMPREPLY=($(compgen -u -- \"$cur\"))", "_users" },
	{ "KEY",
	  "COMPREPLY=($(compgen -W 'comm parent reaper cgroup cpu uid' -- \"$cur\"))",
	  "(comm parent reaper cgroup cpu uid)" },
	{ "WHAT", "COMPREPLY=($(compgen -W 'pidns cgroup uid' -- \"$cur\"))", "(pidns cgroup uid)" },
	{ "PATH", "COMPREPLY=($(compgen -f -- \"$cur\"))", "_files" },
	{ "PID",
	  "COMPREPLY=($(compgen -W \"$(cd /proc && echo [0-9]*)\" -- \"$cur\"))",
	  "_pids" },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* NULL if anything can stand there. */
static const char *kind_of(const struct argp_option *option, bool zsh)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (!strcmp(kinds[i].arg, option->arg))
			return zsh ? kinds[i].zsh : kinds[i].bash;
	}
	return NULL;
}

/* What --expect can ask for. */
static void print_figures(FILE *out)
{
	static const char *const stats[] = { "count", "min",   "mean", "p50",
					     "p90",   "p99", "p99.9", "max" };

	for (unsigned int phase = 0; phase < PROCLIFE_PHASES; phase++) {
		for (size_t i = 0; i < sizeof(stats) / sizeof(stats[0]); i++)
			fprintf(out, "%s.%s ", proclife_phase_name((enum proclife_phase)phase),
				stats[i]);
	}
	fputs("zombies lost", out);
}

/* Headers have no name, and a hidden option is not for people. */
static bool is_offered(const struct argp_option *option)
{
	return option->name && !(option->flags & OPTION_HIDDEN);
}

static bool is_end(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc && !option->group;
}

static bool has_short(const struct argp_option *option)
{
	return option->key > 0 && option->key < 0x80 && isprint(option->key);
}

static void print_bash_argument(FILE *out, const struct argp_option *option)
{
	const char *kind = kind_of(option, false);

	fprintf(out, "\t--%s", option->name);
	if (has_short(option))
		fprintf(out, " | -%c", option->key);
	fputs(")\n", out);
	if (kind)
		fprintf(out, "\t\t%s\n", kind);
	if (!strcmp(option->arg, "FIGURE")) {
		/* A relation and a bound follow. */
		fputs("\t\tcompopt -o nospace 2>/dev/null\n\t\tCOMPREPLY=($(compgen -W '", out);
		print_figures(out);
		fputs("' -- \"$cur\"))\n", out);
	}
	fputs("\t\treturn ;;\n", out);
}

static void print_bash(FILE *out, const struct argp_option *table)
{
	const struct argp_option *option;

	fputs("# bash completion for proclife-read, made from its table of options\n"
	      "_proclife_read()\n"
	      "{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i\n"
	      "\tCOMPREPLY=()\n"
	      "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	      "\t\t[[ ${COMP_WORDS[i]} == -- ]] || continue\n"
	      "\t\t# What follows is a command with its own words.\n"
	      "\t\tif declare -F _command_offset >/dev/null; then\n"
	      "\t\t\t_command_offset $((i + 1))\n"
	      "\t\telif ((COMP_CWORD == i + 1)); then\n"
	      "\t\t\tCOMPREPLY=($(compgen -c -- \"$cur\"))\n"
	      "\t\telse\n"
	      "\t\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	      "\t\tfi\n"
	      "\t\treturn\n"
	      "\tdone\n"
	      "\t# --diff A B\n"
	      "\t((COMP_CWORD > 2)) && [[ ${COMP_WORDS[COMP_CWORD - 2]} == --diff ]] && prev=--diff\n"
	      "\tcase $prev in\n",
	      out);
	for (option = table; !is_end(option); option++) {
		if (is_offered(option) && option->arg)
			print_bash_argument(out, option);
	}
	fputs("\tesac\n"
	      "\tCOMPREPLY=($(compgen -W '",
	      out);
	for (option = table; !is_end(option); option++) {
		if (is_offered(option))
			fprintf(out, "--%s ", option->name);
	}
	fputs("--help --usage --version --' -- \"$cur\"))\n"
	      "}\n"
	      "complete -F _proclife_read proclife-read\n",
	      out);
}

/* In single quotes, within the brackets of _arguments. */
static void print_zsh_text(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", out);
		else if (strchr("[]:\\", *s))
			fprintf(out, "\\%c", *s);
		else
			fputc(*s, out);
	}
}

static void print_zsh_option(FILE *out, const struct argp_option *option)
{
	fputs("\t'*", out);
	if (has_short(option))
		fprintf(out, "'{-%c,--%s}'", option->key, option->name);
	else
		fprintf(out, "--%s", option->name);
	fputs(option->arg && !has_short(option) ? "=[" : "[", out);
	print_zsh_text(out, option->doc);
	fputs("]", out);
	if (option->arg) {
		const char *kind = kind_of(option, true);

		fputs(":", out);
		print_zsh_text(out, option->arg);
		fputs(":", out);
		if (kind)
			fputs(kind, out);
		if (!strcmp(option->arg, "FIGURE")) {
			fputs("(", out);
			print_figures(out);
			fputs(")", out);
		}
	}
	fputs("' \\\n", out);
}

static void print_zsh(FILE *out, const struct argp_option *table)
{
	fputs("#compdef proclife-read\n"
	      "# zsh completion for proclife-read, made from its table of options\n"
	      "_arguments -s -S \\\n",
	      out);
	for (const struct argp_option *option = table; !is_end(option); option++) {
		if (is_offered(option))
			print_zsh_option(out, option);
	}
	fputs("\t'(- *)'{-\\?,--help}'[Give this help list]' \\\n"
	      "\t'(- *)--usage[Give a short usage message]' \\\n"
	      "\t'(- *)'{-V,--version}'[Print program version]' \\\n"
	      "\t'*::command:_normal'\n",
	      out);
}

bool completion_print(FILE *out, const char *shell, const struct argp_option *table)
{
	if (!strcmp(shell, "bash"))
		print_bash(out, table);
	else if (!strcmp(shell, "zsh"))
		print_zsh(out, table);
	else
		return false;
	return true;
}
