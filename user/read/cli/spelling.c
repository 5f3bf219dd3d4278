// SPDX-License-Identifier: GPL-2.0-only
#include "cli/options_table.h"
#include "cli/spelling.h"
#include "cli/suggest.h"
#include "output/message.h"
#include "output/quoted.h"
#include <stdlib.h>
#include <string.h>

/* The command line, read as getopt_long(3) reads it. */
struct line {
	const struct request *const *requests;
	const struct argp_option *table;
	char **argv;
	int argc;
	int next;	 /* the word that is read next */
	bool more;	 /* words that follow belong to an option */
	bool may_follow; /* the next word can be the optional argument of the request before it */
};

static const char *quoted_part(const char *s, size_t length)
{
	char *part = strndup(s, length);
	const char *result;

	if (!part)
		die_no_memory();
	result = quoted(part);
	free(part);
	return result;
}

static void say_unknown(const struct line *line, const char *word, size_t length)
{
	const char *meant = suggest_option(line->table, word + 2, length - 2);

	word = quoted_part(word, length);
	if (meant)
		message("%s: there is no such option; did you mean --%s?", word, meant);
	else
		message("%s: there is no such option; --help=all lists them", word);
	exit(STATUS_USAGE);
}

static void say_ambiguous(const struct line *line, const char *word, size_t length)
{
	const struct argp_option *option;
	char names[400] = "";
	size_t n = 0;

	for (option = line->table; !option_is_end(option); option++)
		if (option->name && !strncmp(option->name, word + 2, length - 2) && n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s--%s", n ? ", " : "", option->name);
	message("%s: several options begin like this, write more of it: %s", quoted_part(word, length), names);
	exit(STATUS_USAGE);
}

/* The option with this name, or the only one that begins like it. */
static const struct argp_option *find_long(const struct line *line, const char *word, size_t length)
{
	const struct argp_option *option, *found = NULL;
	size_t count = 0;

	for (option = line->table; !option_is_end(option); option++) {
		if (!option->name || length < 3 || strncmp(option->name, word + 2, length - 2))
			continue;
		if (strlen(option->name) == length - 2)
			return option;
		found = option;
		count++;
	}
	if (!count)
		say_unknown(line, word, length > 2 ? length : strlen(word));
	if (count > 1)
		say_ambiguous(line, word, length);
	return found;
}

static const struct argp_option *find_letter(const struct line *line, char letter)
{
	const struct argp_option *option;

	for (option = line->table; !option_is_end(option); option++)
		if (option->name && option->key == letter)
			return option;
	return NULL;
}

/* Takes the word that is its argument, unless that is a part of its own word. */
static void take_argument(struct line *line, const struct argp_option *option, bool has_own)
{
	const struct argument *argument = argument_of_key(line->requests, option->key);

	line->more |= argument->takes_more;
	if (!option->arg || option->flags & OPTION_ARG_OPTIONAL || has_own)
		return;
	if (line->next < line->argc) {
		line->next++;
		return;
	}
	message("--%s: its argument is missing: --%s=%s", option->name, option->name, option->arg);
	exit(STATUS_USAGE);
}

static void check_long(struct line *line, const char *word)
{
	size_t length = 2 + strcspn(word + 2, "=");
	const struct argp_option *option = find_long(line, word, length);

	if (word[length] && !option->arg) {
		message("%s: --%s takes no argument: leave out '%s'", quoted(word), option->name,
			quoted(word + length));
		exit(STATUS_USAGE);
	}
	line->may_follow = option->flags & OPTION_ARG_OPTIONAL && !word[length];
	take_argument(line, option, word[length]);
}

/* "-j", "-tj", "-tn5", "-n 5" */
static void check_letters(struct line *line, const char *word)
{
	const struct argp_option *option;
	const char *letter;

	for (letter = word + 1; *letter; letter++) {
		option = find_letter(line, *letter);
		if (!option) {
			const char *whole = quoted(word), *one = quoted_part(letter, 1);

			message("%s: there is no option -%s; --help=all lists them", whole, one);
			exit(STATUS_USAGE);
		}
		if (!option->arg || option->flags & OPTION_ARG_OPTIONAL)
			continue;
		take_argument(line, option, letter[1]);
		return;
	}
}

void spelling_check(const struct request *const *requests, int argc, char **argv)
{
	struct line line = {
		.requests = requests, .table = options_table(requests), .argv = argv, .argc = argc, .next = 1,
	};

	while (line.next < argc && strcmp(argv[line.next], "--")) {
		const char *word = argv[line.next++];
		bool may_follow = line.may_follow;

		line.may_follow = false;
		if (!strncmp(word, "--", 2))
			check_long(&line, word);
		else if (word[0] == '-' && word[1])
			check_letters(&line, word);
		else if (!line.more && !may_follow)
			return; /* the parser refuses it, whatever follows */
	}
}
