// SPDX-License-Identifier: GPL-2.0-only
// otlp.js FILE...: does each line come back unchanged from OpenTelemetry's protocol buffer messages, and are its
// attributes the ones of the semantic conventions, except our own?
"use strict";
const fs = require("fs");
const messages = require("@opentelemetry/otlp-transformer/build/src/generated/root.js").opentelemetry.proto;
const conventions = require("@opentelemetry/semantic-conventions/incubating");

const IDS = ["traceId", "spanId", "parentSpanId"];
// The messages are from a release that does not have it yet.
const LATER = ["eventName"];
const known = new Set(Object.values(conventions).filter((value) => typeof value === "string"));
let lines = 0;
let complaints = 0;

function complain(text) {
	complaints++;
	console.error(`otlp.js: ${text}`);
}

// In JSON they are hexadecimal, in a message bytes.
function change(value, name, how) {
	if (Array.isArray(value))
		return value.map((one) => change(one, name, how));
	if (IDS.includes(name))
		return how(value);
	if (value && typeof value === "object")
		return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one, key, how)]));
	return value;
}

function compare(place, was, is) {
	if (!was || typeof was !== "object") {
		if (String(was) !== String(is))
			complain(`${place}: ${was} comes back as ${is}`);
		return;
	}
	for (const key of new Set([...Object.keys(was), ...Object.keys(is || {})])) {
		if (LATER.includes(key))
			continue;
		if (!is || !(key in was) || !(key in is))
			complain(`${place}.${key}: it is only on one side`);
		else
			compare(`${place}.${key}`, was[key], is[key]);
	}
}

function attributesOf(value) {
	if (!value || typeof value !== "object")
		return [];
	return Object.entries(value).flatMap(([key, one]) =>
		key === "attributes" ? one.map((attribute) => attribute.key) : attributesOf(one));
}

for (const path of process.argv.slice(2)) {
	for (const line of fs.readFileSync(path, "utf8").split("\n").slice(0, -1)) {
		const place = `${path}:${++lines}`;
		const record = JSON.parse(line);
		const Request = record.resourceSpans ? messages.collector.trace.v1.ExportTraceServiceRequest :
			messages.collector.logs.v1.ExportLogsServiceRequest;
		const message = Request.fromObject(change(record, "", (id) => Buffer.from(id, "hex")));
		const wrong = Request.verify(message);
		if (wrong)
			complain(`${place}: ${wrong}`);
		const back = Request.toObject(Request.decode(Request.encode(message).finish()),
			{ longs: String, enums: Number });
		compare(place, record, change(back, "", (id) => Buffer.from(id).toString("hex")));
		for (const key of attributesOf(record))
			if (!key.startsWith("proclife.") && !known.has(key))
				complain(`${place}: ${key} is no convention`);
	}
}
console.log(`${lines - complaints} passed, ${complaints} failed`);
process.exit(complaints || !lines ? 1 : 0);
