// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/otlp.h"
#include "output/quoted.h"
#include "views/export/export.h"
#include "views/export/otlp_losses.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define SEVERITY_WARN 13

int otlp_losses_begin(struct otlp_losses *losses, struct run *run, const char *host)
{
	const char *path = run->options->export.loss_log;
	int ret;

	losses->run = run;
	losses->host = host;
	if (!path)
		return 0;
	ret = export_open(&losses->file, "--loss-log", path, run->options);
	if (ret)
		return -ESRCH;
	losses->open = true;
	json_init(&losses->json, losses->file.file);
	return 0;
}

static void begin(struct otlp_losses *losses, const char *event, uint64_t ts, const char *body)
{
	struct json *json = &losses->json;

	otlp_begin(json, &otlp_logs, losses->host);
	otlp_time(json, "timeUnixNano", export_realtime(losses->run, ts));
	otlp_time(json, "observedTimeUnixNano", export_realtime(losses->run, ts));
	json_uint(json, "severityNumber", SEVERITY_WARN);
	json_string(json, "severityText", "WARN");
	json_string(json, "eventName", event);
	otlp_body(json, "body", body);
	json_array(json, "attributes");
}

static void end(struct otlp_losses *losses)
{
	json_array_end(&losses->json);
	otlp_end(&losses->json);
	if (fflush(losses->file.file))
		losses->open = false; /* otlp_losses_end() says why */
}

static void put_gap(struct otlp_losses *losses, const struct proclife_gap *gap)
{
	struct json *json = &losses->json;
	char body[100];

	snprintf(body, sizeof(body), "%s%" PRIu64 " %s lost", gap->cpu == PROCLIFE_CPU_ALL ?
		 "a part is missing: " : "", gap->lost, plural(gap->lost, "record was", "records were"));
	begin(losses, "proclife.lost", gap->to, body);
	otlp_uint(json, "proclife.lost", gap->lost);
	if (gap->cpu < PROCLIFE_CPU_ALL)
		otlp_uint(json, "proclife.cpu", gap->cpu);
	otlp_uint(json, "proclife.from", export_realtime(losses->run, gap->from));
	otlp_uint(json, "proclife.to", export_realtime(losses->run, gap->to));
	end(losses);
}

static void put_suppressed(struct otlp_losses *losses, const struct proclife_record *record)
{
	const struct proclife_suppressed *suppressed = &record->suppressed;
	uint64_t count = suppressed->count;
	struct json *json = &losses->json;
	char body[100], type[16];

	if (suppressed->what == PROCLIFE_NONE) {
		begin(losses, "proclife.stopped", record->ts, "recording was stopped");
	} else {
		snprintf(body, sizeof(body), "%" PRIu64 " %s %s suppressed by the module's budget", count,
			 type_text(suppressed->what, type), plural(count, "record was", "records were"));
		begin(losses, "proclife.suppressed", record->ts, body);
		otlp_uint(json, "proclife.suppressed", count);
		otlp_string(json, "proclife.type", type_text(suppressed->what, type));
	}
	otlp_uint(json, "proclife.cpu", record->cpu);
	otlp_uint(json, "proclife.from", export_realtime(losses->run, suppressed->since));
	otlp_uint(json, "proclife.to", export_realtime(losses->run, record->ts));
	end(losses);
}

void otlp_losses_event(struct otlp_losses *losses, const struct proclife_event *event)
{
	const struct proclife_record *record = event->record;

	if (!losses->open)
		return;
	if (!record && event->gap.lost && overlaps_range(losses->run, event->gap.from, event->gap.to))
		put_gap(losses, &event->gap);
	else if (record && record->type == PROCLIFE_SUPPRESSED && record->suppressed.ended &&
		 is_in_range(losses->run, record->ts))
		put_suppressed(losses, record);
}

void otlp_losses_end(struct otlp_losses *losses)
{
	const char *path = losses->run->options->export.loss_log;
	int ret = path ? replace_end(&losses->file) : 0;

	if (!ret)
		return;
	message("--loss-log %s: %s", quoted(path), strerror(-ret));
	losses->run->failed = true;
}

void otlp_losses_free(struct otlp_losses *losses)
{
	replace_abandon(&losses->file);
	json_free(&losses->json);
}
