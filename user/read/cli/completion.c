// SPDX-License-Identifier: GPL-2.0-only
#include "cli/completion.h"
#include "cli/options_table.h"
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
	{ "PID[@NS]",
	  "COMPREPLY=($(compgen -W \"$(cd /proc && echo [0-9]*)\" -- \"$cur\"))",
	  "_pids" },
};

/* Prints the shell's code; nothing if the argument can be anything. */
static void print_kind(FILE *out, const struct argument *argument, bool zsh)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].arg, argument->name))
			fputs(zsh ? kinds[i].zsh : kinds[i].bash, out);
	if (argument->choice && argument->kind != KIND_TOP) /* which begins with a number */
		fprintf(out, zsh ? "(%s)" : "COMPREPLY=($(compgen -W '%s' -- \"$cur\"))",
			choice_list(argument->choice, " ", " "));
}

/* The figures for --expect. */
static void print_figures(FILE *out)
{
	unsigned int phase, statistic;

	for (phase = 0; choice_phase(phase); phase++)
		for (statistic = 0; choice_statistic(statistic); statistic++)
			fprintf(out, "%s.%s ", choice_phase(phase),
				choice_statistic(statistic));
	fputs("zombies lost", out);
}

/* What a condition of --on can be about. */
static void print_conditions(FILE *out)
{
	fprintf(out, "%s failed status signal forks lost thread_exit", choice_list(choice_phase, " ", " "));
}

/* Arguments of which only the beginning is one of a list of words: a relation and a bound follow. */
static void print_beginnings(FILE *out, const struct argument *argument, const char *before, const char *after)
{
	if (argument->kind != KIND_EXPECT && argument->kind != KIND_CONDITION)
		return;
	fputs(before, out);
	if (argument->kind == KIND_EXPECT)
		print_figures(out);
	else
		print_conditions(out);
	fputs(after, out);
}

static bool has_short(const struct argp_option *option)
{
	return option->key > 0 && option->key < 0x80 && isprint(option->key);
}

static void print_bash_argument(FILE *out, const struct argp_option *option, const struct argument *argument)
{
	fprintf(out, "\t--%s", option->name);
	if (has_short(option))
		fprintf(out, " | -%c", option->key);
	fputs(")\n\t\t", out);
	print_kind(out, argument, false);
	fputs("\n", out);
	print_beginnings(out, argument, "\t\tcompopt -o nospace 2>/dev/null\n\t\tCOMPREPLY=($(compgen -W '",
			 "' -- \"$cur\"))\n");
	fputs("\t\treturn ;;\n", out);
}

/* "diff|against" */
static void print_those_with_more(FILE *out, const struct argp_option *table, const struct request *const *requests)
{
	const char *separator = "";

	for (; !option_is_end(table); table++) {
		if (!option_is_offered(table) || !argument_of_key(requests, table->key)->takes_more)
			continue;
		fprintf(out, "%s%s", separator, table->name);
		separator = "|";
	}
}

static void print_bash(FILE *out, const struct request *const *requests)
{
	const struct argp_option *table = options_table(requests), *option;

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
	      "\t[[ $cur != -* && ${COMP_WORDS[i]} == --@(",
	      out);
	print_those_with_more(out, table, requests);
	fputs(") ]] && prev=${COMP_WORDS[i]}\n"
	      "\tcase $prev in\n",
	      out);
	for (option = table; !option_is_end(option); option++) {
		if (option_is_offered(option) && option->arg)
			print_bash_argument(out, option, argument_of_key(requests, option->key));
	}
	fputs("\tesac\n"
	      "\tCOMPREPLY=($(compgen -W '",
	      out);
	for (option = table; !option_is_end(option); option++) {
		if (option_is_offered(option))
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

static void print_zsh_option(FILE *out, const struct argp_option *option, const struct argument *argument)
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
		print_kind(out, argument, true);
		print_beginnings(out, argument, "(", ")");
	}
	fputs("' \\\n", out);
}

static void print_zsh(FILE *out, const struct request *const *requests)
{
	const struct argp_option *option;

	fputs("#compdef proclife-read\n"
	      "# zsh completion for proclife-read, made from its table of options\n"
	      "_arguments -s -S \\\n",
	      out);
	for (option = options_table(requests); !option_is_end(option); option++) {
		if (option_is_offered(option))
			print_zsh_option(out, option, argument_of_key(requests, option->key));
	}
	fputs("\t'*::command:_normal'\n",
	      out);
}

bool completion_print(FILE *out, const char *shell, const struct request *const *requests)
{
	if (!strcmp(shell, "bash"))
		print_bash(out, requests);
	else if (!strcmp(shell, "zsh"))
		print_zsh(out, requests);
	else
		return false;
	return true;
}
