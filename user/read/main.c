// SPDX-License-Identifier: GPL-2.0-only
#include "cli/options_parse.h"
#include "output/format.h"
#include "output/junit.h"
#include "output/message.h"
#include "requests.h"
#include "run/inherited.h"
#include "origin/open.h"
#include "session/session.h"
#include <locale.h>

static int run_session(const struct options *options, const struct screen *screen)
{
	int status = 0;

	/* From here on nothing kills us before the end. */
	session_block_signals();
	if (options->load && source_load(options))
		status = STATUS_ERROR;
	else if (!options_only_load(options))
		status = session_run(options, screen);
	source_close();
	if (options->unload && source_unload(options) && !status)
		status = STATUS_ERROR;
	return status;
}

int main(int argc, char **argv)
{
	const struct request *request;
	struct options options;
	struct screen screen;
	int status;

	inherited_save();
	setlocale(LC_CTYPE, "");
	options_parse(&options, all_requests, argc, argv);
	if (options.quiet)
		message_quiet();
	screen_init(&screen, options.json ? COLOR_NEVER : options.color);
	if (options.expect.junit && junit_open(options.expect.junit)) {
		options_free(&options);
		return STATUS_ERROR;
	}
	request = options.requests[0];
	status = request && request->run ? request->run(&options, &screen) : run_session(&options, &screen);
	status = junit_close(status);
	options_free(&options);
	if (status < 0) { /* end as if the signal had killed us, unless the caller ignores it */
		inherited_raise(-status);
		status = STATUS_ERROR;
	}
	return status;
}
