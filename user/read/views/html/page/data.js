// SPDX-License-Identifier: GPL-2.0-only OR MIT
// What the program has packed, unpacked: page_columns.c and page_texts.c have the other side.
'use strict';

function bytesOf(id) {
	const element = document.getElementById(id);
	const text = element.textContent;

	element.remove();
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const raw = atob(text), bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	// A number of up to 53 bits.
	uint() {
		const bytes = this.bytes;
		let byte = bytes[this.at++], value = byte & 127, scale = 128;

		while (byte > 127) {
			byte = bytes[this.at++];
			value += (byte & 127) * scale;
			scale *= 128;
		}
		return value;
	}

	part(size) {
		this.at += size;
		return new Reader(this.bytes.subarray(this.at - size, this.at));
	}
}

const ended = 1, failed = 2, unsure = 4, older = 8, incomplete = 16, kthread = 32, context = 64, argsCut = 128, notifiedLost = 256,
	tracerLost = 512, cpuKnown = 1024;
const ALIVE = 0, DYING = 1, ZOMBIE = 2, UNFREED = 3, FREED = 4, UNKNOWN = 5;

// A column: where a value is there twice, how often it is there once more follows.
function column(reader, values) {
	const part = reader.part(reader.uint()), count = values.length;

	for (let i = 0, last = -1; i < count;) {
		const value = part.uint();

		values[i++] = value;
		if (value !== last) {
			last = value;
			continue;
		}
		const end = i + part.uint();
		values.fill(value, i, end);
		i = end;
		last = -1;
	}
	return values;
}

// What is odd is below 0.
function signed(value) {
	return value % 2 ? -(value + 1) / 2 : value / 2;
}

function differences(values) {
	for (let i = 0, last = 0; i < values.length; i++)
		values[i] = last += signed(values[i]);
	return values;
}

// Times that are written as since the one before; -1: there is none.
function marks(values, before) {
	for (let i = 0; i < values.length; i++)
		values[i] = values[i] ? Math.max(before[i] + signed(values[i] - 1), 0) : -1;
	return values;
}

// Where a mark is missing, the one before it.
function latest(values, before) {
	return values.map((value, i) => value < 0 ? before[i] : value);
}

function readRows(reader) {
	const count = reader.uint();
	const wide = () => column(reader, new Float64Array(count));
	const narrow = () => column(reader, new Uint32Array(count));
	const rows = { count };

	rows.begin = differences(wide());
	rows.before = wide();
	rows.flags = narrow();
	rows.state = narrow();
	rows.pid = differences(wide());
	const parents = wide();
	rows.parent = Int32Array.from(parents, (value, i) => value ? i - signed(value) : -1);
	rows.parentPid = narrow();
	rows.comm = narrow();
	rows.path = narrow();
	rows.args = narrow();
	rows.end = narrow();
	rows.code = Int32Array.from(narrow(), (value) => value - 1);
	rows.exited = marks(wide(), rows.begin);
	const exited = latest(rows.exited, rows.begin);
	rows.traced = marks(wide(), exited);
	const traced = latest(rows.traced, exited);
	rows.notified = marks(wide(), traced);
	const notified = latest(rows.notified, traced);
	rows.reaped = marks(wide(), notified);
	rows.freed = marks(wide(), latest(rows.reaped, notified));
	rows.livedTo = marks(wide(), rows.begin);
	rows.killed = marks(wide(), exited);
	rows.left = marks(wide(), exited);
	rows.teardown = marks(wide(), exited);
	rows.gone = marks(wide(), latest(rows.teardown, exited));
	rows.forking = marks(wide(), rows.begin);
	rows.started = marks(wide(), rows.begin);
	const started = latest(rows.started, rows.begin);
	rows.execing = marks(wide(), started);
	rows.execed = marks(wide(), latest(rows.execing, started));
	rows.waited = Float64Array.from(wide(), (value) => value - 1);
	rows.mapped = wide();
	rows.runtime = wide();
	rows.rss = wide();
	rows.user = narrow();
	rows.cgroup = narrow();
	rows.threads = narrow();
	rows.execs = narrow();
	rows.creator = narrow();
	rows.reaper = narrow();
	rows.exitCpu = narrow();
	return rows;
}

// Rows that stand for several lives.
function readFolds(reader) {
	const folds = new Map();

	for (let n = reader.uint(); n; n--) {
		const row = reader.uint(), fold = {};

		for (const name of ['count', 'ended', 'failed', 'unsure', 'rss', 'runtime', 'first', 'last'])
			fold[name] = reader.uint();
		folds.set(row, fold);
	}
	return folds;
}

// Since when a phase of a row goes on: by its number, of each row.
function readOpen(reader) {
	const open = new Map();

	for (let row = reader.uint(); row; row = reader.uint()) {
		const phase = reader.uint();

		if (!open.has(phase))
			open.set(phase, new Map());
		open.get(phase).set(row - 1, reader.uint());
	}
	return open;
}

function readCritical(reader, from) {
	const steps = [];
	let at = from;

	for (let n = reader.uint(); n; n--) {
		const row = reader.uint() - 1, time = reader.uint(), saves = reader.uint(), by = reader.uint();

		steps.push({ row, from: at, to: at + time, saves, by });
		at += time;
	}
	return steps;
}

function readStrings(reader) {
	const count = reader.uint(), sizes = [], strings = [''], decoder = new TextDecoder();

	for (let i = 0; i < count; i++)
		sizes.push(reader.uint());
	for (const size of sizes)
		strings.push(decoder.decode(reader.part(size).bytes));
	return strings;
}

// Command lines, by their numbers from 1 on; each is put together when it is asked for.
class Lines {
	constructor(reader) {
		this.words = readStrings(reader);
		this.count = reader.uint();
		this.packed = reader.part(reader.uint());
		this.texts = [''];
	}

	unpack() {
		const reader = this.packed, recent = new Uint32Array(64), starts = new Uint32Array(this.count + 2);
		let all = new Uint32Array(64 * this.count + 64), at = 0, put = 0;

		for (let line = 1; line <= this.count; line++) {
			const back = reader.uint(), end = at + reader.uint();
			let other = back ? starts[line - back] : 0;

			starts[line] = at;
			while (all.length < end) {
				const more = new Uint32Array(2 * all.length);
				more.set(all);
				all = more;
			}
			while (at < end) {
				for (let same = reader.uint(); same; same--)
					all[at++] = all[other++];
				if (at >= end)
					break;
				const both = reader.uint();
				other += both >>> 4;
				for (let own = both & 15; own; own--) {
					let word = reader.uint();

					if (word < 64)
						word = recent[(put - 1 - word) & 63];
					else
						recent[put++ & 63] = word -= 63;
					all[at++] = word;
				}
			}
		}
		starts[this.count + 1] = at;
		this.all = all;
		this.starts = starts;
		this.packed = null;
	}

	text(line) {
		if (this.texts[line] !== undefined)
			return this.texts[line];
		if (this.packed)
			this.unpack();
		let text = '';
		for (let i = this.starts[line]; i < this.starts[line + 1]; i++)
			text += this.words[this.all[i]];
		return this.texts[line] = text;
	}
}

function readAll() {
	const facts = JSON.parse(new TextDecoder().decode(bytesOf('facts')));
	const reader = new Reader(bytesOf('rows')), texts = new Reader(bytesOf('texts'));
	const rows = readRows(reader);

	rows.folds = readFolds(reader);
	rows.open = readOpen(reader);
	const critical = readCritical(reader, facts.critical ? facts.critical.from : 0);
	return { facts, rows, critical, strings: readStrings(texts), lines: new Lines(texts) };
}
