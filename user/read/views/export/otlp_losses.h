/* SPDX-License-Identifier: GPL-2.0-only */
/* What was lost or suppressed, as log records in a file of their own: --loss-log. */
#ifndef READ_OTLP_LOSSES_H
#define READ_OTLP_LOSSES_H

#include "output/json.h"
#include "output/replace.h"
#include "views/views.h"

struct otlp_losses {
	struct run *run;
	const char *host;
	bool open; /* false: it is not asked for */
	struct replacement file;
	struct json json;
};

/* 0; or -ESRCH, which has been said. */
int otlp_losses_begin(struct otlp_losses *losses, struct run *run, const char *host);
void otlp_losses_event(struct otlp_losses *losses, const struct proclife_event *event);
/* All has been reported. Sets run->failed if that could not be written, which it says. */
void otlp_losses_end(struct otlp_losses *losses);
void otlp_losses_free(struct otlp_losses *losses);

#endif
