// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Figures as the program prints them: three digits and a unit.
'use strict';

// Exactly between two figures, it is the even one, as with printf().
function threeDigits(value, unit) {
	const decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0, scale = 10 ** decimals;
	const isBetween = value * 2 ** (decimals + 1) % 2 === 1;

	return (isBetween ? 2 * Math.round(value * scale / 2) / scale : value).toFixed(decimals) + ' ' + unit;
}

function time(ns) {
	if (ns < 1000)
		return Math.round(ns) + ' ns';
	if (ns < 999500)
		return threeDigits(ns / 1e3, 'µs');
	if (ns < 999500000)
		return threeDigits(ns / 1e6, 'ms');
	if (ns < 999500000000)
		return threeDigits(ns / 1e9, 's');
	if (ns < 3600e9)
		return threeDigits(ns / 60e9, 'min');
	return threeDigits(ns / 3600e9, 'h');
}

function size(kib) {
	const units = ['KiB', 'MiB', 'GiB', 'TiB'];
	let value = kib, i = 0;

	if (kib < 1000)
		return kib + ' KiB';
	for (; i < 3 && value >= 999.5; i++)
		value /= 1024;
	return threeDigits(value, units[i]);
}

function count(n) {
	return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

// Three digits, and all of those before the point.
function figure(value) {
	return value >= 999.5 ? count(Math.round(value)) : value < 0.0005 ? '0' : value.toPrecision(3);
}

function plural(n, one, many) {
	return count(n) + ' ' + (n === 1 ? one : many);
}

function cut(text, letters) {
	return text.length > letters ? text.slice(0, letters - 1) + '…' : text;
}

// "20ms", "1.5s", "2m": ns, or NaN.
function parseTime(text) {
	const match = /^\s*(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|m|min|h)?\s*$/.exec(text);
	const units = { ns: 1, us: 1e3, 'µs': 1e3, ms: 1e6, s: 1e9, m: 60e9, min: 60e9, h: 3600e9 };

	return match ? match[1] * units[match[2] || 's'] : NaN;
}

// Times of day, of times since the page's beginning.
class Clock {
	constructor(facts) {
		this.facts = facts;
		[this.seconds, this.ns] = facts.monotonic ? facts.begin : facts.begin_real;
		this.isDated = this.date(0) !== this.date(Math.max(facts.to, facts.trace_end));
		document.documentElement.classList.toggle('dated', this.isDated);
	}

	// Seconds since 1970 in the zone that is shown, and ns of the second.
	at(ts) {
		let ns = this.ns + ts;

		if (!this.facts.monotonic)
			for (const [since, by] of this.facts.clock_steps)
				ns += since <= ts ? by : 0;
		const more = Math.floor(ns / 1e9);
		const zone = this.facts.monotonic ? 0 : this.facts.utc_offset;
		return { seconds: this.seconds + more + zone, ns: ns - more * 1e9 };
	}

	time(ts, decimals) {
		const { seconds, ns } = this.at(ts);
		const digits = String(Math.floor(ns)).padStart(9, '0').slice(0, decimals);
		const rest = decimals ? '.' + digits : '';

		if (this.facts.monotonic)
			return seconds + rest;
		const day = ((seconds % 86400) + 86400) % 86400;
		const parts = [Math.floor(day / 3600), Math.floor(day / 60) % 60, day % 60];
		return parts.map((part) => String(part).padStart(2, '0')).join(':') + rest;
	}

	// With the date, where not all is of one day.
	moment(ts, decimals) {
		return (this.isDated ? this.date(ts) + ' ' : '') + this.time(ts, decimals);
	}

	// How far a time is from the last round one, of this step.
	since(ts, step) {
		const { seconds, ns } = this.at(ts);

		return ((((seconds % 86400) + 86400) % 86400) * 1e9 + ns) % step;
	}

	date(ts) {
		const date = new Date(this.at(ts).seconds * 1000);

		return this.facts.monotonic || isNaN(date) ? '' : date.toISOString().slice(0, 10);
	}

	zone() {
		const minutes = Math.round(Math.abs(this.facts.utc_offset) / 60);
		const hour = String(Math.floor(minutes / 60)).padStart(2, '0');

		if (this.facts.monotonic)
			return 'seconds of the monotonic clock';
		if (!minutes)
			return 'UTC';
		return 'UTC' + (this.facts.utc_offset < 0 ? '−' : '+') + hour + ':' + String(minutes % 60).padStart(2, '0');
	}
}
