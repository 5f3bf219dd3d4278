// SPDX-License-Identifier: GPL-2.0-only
#include "cli/choices.h"
#include "cli/completion.h"
#include <ctype.h>
#include <string.h>

/* What completes an argument that the table calls by this name: shell code for bash and zsh. */
static const struct {
	const char *arg;
	const char *bash; /* fills COMPREPLY from $cur */
	const char *zsh;  /* an action of _arguments */
} kinds[] = {
	{ "DIR", "COMPREPLY=($(compgen -d -- \"$cur\"))", "_files -/" },
	{ "A", "COMPREPLY=($(compgen -d -- \"$cur\"))", "_files -/:B:_files -/" },
	{ "B", "COMPREPLY=($(compgen -d -- \"$cur\"))", "_files -/" },
	{ "FILE", "COMPREPLY=($(compgen -f -- \"$cur\"))", "_files" },
	{ "FILE.prom", "COMPREPLY=($(compgen -f -- \"$cur\"))", "_files -g \"*.prom\"" },
	{ "USER", "COMPREPLY=($(compgen -u -- \"$cur\"))", "_users" },
	{ "PATH", "COMPREPLY=($(compgen -f -- \"$cur\"))", "_files" },
	{ "PID",
	  "COMPREPLY=($(compgen -W \"$(cd /proc && echo [0-9]*)\" -- \"$cur\"))",
	  "_pids" },
};

/* Arguments that are one of a list of words. */
static const struct {
	const char *arg;
	enum choice choice;
} choices[] = {
	{ "KEY", CHOICE_BY },
	{ "WHAT", CHOICE_SHOW },
	{ "TYPE", CHOICE_EVENT },
	{ "COLUMN", CHOICE_SORT },
	{ "MODE", CHOICE_COLOR },
	{ "FORMAT", CHOICE_EXPORT },
	{ "TRACKS", CHOICE_TRACKS },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Prints the shell's code; nothing if the argument can be anything. */
static void print_kind(FILE *out, const struct argp_option *option, bool zsh)
{
	size_t i;

	for (i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].arg, option->arg))
			fputs(zsh ? kinds[i].zsh : kinds[i].bash, out);
	for (i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (!strcmp(choices[i].arg, option->arg))
			fprintf(out, zsh ? "(%s)" : "COMPREPLY=($(compgen -W '%s' -- \"$cur\"))",
				choice_list(choices[i].choice, " ", " "));
}

/* The figures for --expect. */
static void print_figures(FILE *out)
{
	unsigned int phase, statistic;

	for (phase = 0; choice_name(CHOICE_PHASE, phase); phase++)
		for (statistic = 0; choice_name(CHOICE_STATISTIC, statistic); statistic++)
			fprintf(out, "%s.%s ", choice_name(CHOICE_PHASE, phase),
				choice_name(CHOICE_STATISTIC, statistic));
	fputs("zombies lost", out);
}

/* What a condition of --on can be about. */
static void print_conditions(FILE *out)
{
	fprintf(out, "%s failed status signal forks lost", choice_list(CHOICE_PHASE, " ", " "));
}

/* Arguments of which only the beginning is one of a list of words: a relation and a bound follow. */
static const struct {
	const char *arg;
	void (*print)(FILE *out);
} beginnings[] = {
	{ "FIGURE", print_figures },
	{ "CONDITION", print_conditions },
};

static void print_beginnings(FILE *out, const struct argp_option *option, const char *before,
			     const char *after)
{
	size_t i;

	for (i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		if (strcmp(beginnings[i].arg, option->arg))
			continue;
		fputs(before, out);
		beginnings[i].print(out);
		fputs(after, out);
	}
}

/* Headers have no name, and hidden options are not offered. */
static bool is_offered(const struct argp_option *option)
{
	return option->name && !(option->flags & (OPTION_HIDDEN | OPTION_DOC));
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
	fprintf(out, "\t--%s", option->name);
	if (has_short(option))
		fprintf(out, " | -%c", option->key);
	fputs(")\n\t\t", out);
	print_kind(out, option, false);
	fputs("\n", out);
	print_beginnings(out, option, "\t\tcompopt -o nospace 2>/dev/null\n\t\tCOMPREPLY=($(compgen -W '",
			 "' -- \"$cur\"))\n");
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
	      "\t# Several words can follow these.\n"
	      "\tfor ((i = COMP_CWORD - 1; i > 1; i--)); do\n"
	      "\t\t[[ ${COMP_WORDS[i]} != -* ]] || break\n"
	      "\tdone\n"
	      "\t[[ $cur != -* && ${COMP_WORDS[i]} == --@(diff|against) ]] && prev=${COMP_WORDS[i]}\n"
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
	fputs("--' -- \"$cur\"))\n"
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
		fputs(":", out);
		print_zsh_text(out, option->arg);
		fputs(":", out);
		print_kind(out, option, true);
		print_beginnings(out, option, "(", ")");
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
	fputs("\t'*::command:_normal'\n",
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
