// SPDX-License-Identifier: GPL-2.0-only
/* Prints the completions for a shell. For the build, which cannot run a cross-compiled program. */
#include "cli/completion.h"
#include "requests.h"

int main(int argc, char **argv)
{
	return argc != 2 || !completion_print(stdout, argv[1], all_requests) || fclose(stdout);
}
