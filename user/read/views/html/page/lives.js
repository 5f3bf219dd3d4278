// SPDX-License-Identifier: GPL-2.0-only OR MIT
// The lives, and what is derived from them. A row is one life, or stands for several: then it has a fold.
'use strict';

class Lives {
	constructor({ facts, rows, strings, lines }) {
		Object.assign(this, rows);
		this.facts = facts;
		this.strings = strings;
		this.lines = lines;
		this.traceEnd = facts.trace_end;
		this.openPhases = new Map(facts.phases.map((phase) => [phase.name, this.open.get(phase.number)]));
		this.words = new Words(this);
		this.born = this.begin.map((begin, row) => this.is(row, older) ? -1 : begin);
		this.names = new Array(this.count);
		this.findEnds();
		this.link();
		this.addUp();
	}

	is(row, flag) {
		return (this.flags[row] & flag) !== 0;
	}

	fold(row) {
		return this.folds.get(row);
	}

	lives(row) {
		const fold = this.folds.size ? this.folds.get(row) : undefined;
		return fold ? fold.count : 1;
	}

	// Counts the lives that it stands for.
	failedLives(row) {
		const fold = this.folds.size ? this.folds.get(row) : undefined;
		return fold ? fold.failed : this.flags[row] & failed ? 1 : 0;
	}

	cpuTime(row) {
		const fold = this.folds.size ? this.folds.get(row) : undefined;
		return fold ? fold.runtime : this.runtime[row];
	}

	cpuText(row) {
		return this.is(row, cpuKnown) || this.folds.has(row) ? time(this.cpuTime(row)) : '';
	}

	// When each ended, or has not yet; and until when it keeps its slot: it was reaped, or is still there.
	findEnds() {
		const n = this.count, { begin, exited, livedTo, notified, reaped } = this;

		this.lastSeens = new Float64Array(n);
		this.slotEnds = new Float64Array(n);
		for (let row = 0; row < n; row++) {
			if (exited[row] >= 0)
				livedTo[row] = exited[row];
			const last = livedTo[row] >= 0 ? livedTo[row] : Math.max(this.traceEnd, begin[row]);
			this.lastSeens[row] = last;
			const stays = this.state[row] === DYING || this.state[row] === ZOMBIE;
			this.slotEnds[row] = Math.max(last, notified[row], reaped[row], stays ? this.traceEnd : 0);
		}
	}

	lastSeen(row) {
		return this.lastSeens[row];
	}

	life(row) {
		return Math.max(this.lastSeen(row) - this.begin[row], 0) + this.before[row];
	}

	// Is the life at least that long?
	isAtLeast(row) {
		return (this.is(row, older) && !this.before[row]) || this.livedTo[row] < 0;
	}

	// Where its exit has no beginning, or it lives no more, only a later mark ends it.
	isKnown(row) {
		return this.exited[row] >= 0 || this.state[row] === ALIVE;
	}

	lifeText(row) {
		return this.isKnown(row) ? (this.isAtLeast(row) ? '≥' : '') + time(this.life(row)) : '';
	}

	// An older process to which nothing happened.
	isIdle(row) {
		return this.is(row, older) && this.exited[row] < 0 && this.reaped[row] < 0 && this.freed[row] < 0 &&
		       this.state[row] !== FREED;
	}

	/*
	 * Texts. All of them are printable as they come: the program has escaped what is not.
	 */

	base(row) {
		const path = this.strings[this.path[row]];
		return path.slice(path.lastIndexOf('/') + 1);
	}

	// The program, not where it lies.
	name(row) {
		if (this.names[row] === undefined)
			this.names[row] = this.makeName(row);
		return this.names[row];
	}

	makeName(row) {
		const comm = this.strings[this.comm[row]], base = this.base(row);

		if (this.is(row, kthread))
			return '[' + comm + ']';
		if (!base || base.startsWith(comm))
			return base || comm;
		return base + ' (' + comm + ')';
	}

	argsText(row) {
		const line = this.args[row];

		if (!line)
			return '';
		return this.lines.text(line) + (this.is(row, argsCut) ? '…' : '');
	}

	// The arguments behind the first, which is the program's name.
	arguments(row) {
		const text = this.argsText(row), first = /^(?:[^ '$]|\$?'(?:[^'\\]|\\.)*')*/.exec(text);

		return first ? text.slice(first[0].length + 1) : text;
	}

	commandLine(row) {
		return this.argsText(row) || this.strings[this.path[row]] || this.name(row);
	}

	status(row) {
		if (this.end[row])
			return this.strings[this.end[row]];
		if (this.code[row] === 0)
			return '0';
		if (this.is(row, ended))
			return 'status ?';
		return ['alive', 'dying', 'zombie', 'not freed', 'freed', 'end lost'][this.state[row]];
	}

	// What it still is at the end of the trace, where its status does not say that.
	remains(row) {
		const isSaid = !this.end[row] && this.code[row] !== 0 && !this.is(row, ended);
		return isSaid ? '' : ['alive', 'dying', 'zombie', 'not freed', '', 'end lost'][this.state[row]];
	}

	// A note on how it ended: nothing of one that succeeded and is gone.
	endNote(row) {
		const status = this.status(row);
		return [status === '0' ? '' : status, this.remains(row)].filter((x) => x).join(', ');
	}

	// The status beside other words.
	endText(row) {
		const status = this.status(row);
		return status === '0' ? 'status 0' : status;
	}

	who(row) {
		return this.name(row) + ' (' + this.pid[row] + ')';
	}

	// How long a phase was, or -1.
	phase(name, row) {
		const { born, exited, traced, notified, reaped, freed, killed, left, teardown, gone, forking, started, execing, execed } = this;
		const ends = {
			kill: [killed, exited], teardown: [exited, traced[row] >= 0 ? traced : notified], traced: [traced, notified],
			held: [left, teardown], unmap: [teardown, gone],
			zombie: [notified[row] >= 0 ? notified : exited, reaped], rcu_free: [reaped, freed], exit_free: [exited, freed],
			fork: [forking, born], first_run: [born, started], exec: [execing, execed], spawn: [forking, execed],
		};
		if (name === 'wait')
			return this.waited[row];
		const [from, to] = ends[name];

		// Since when it was a zombie is not known, if that its parent was notified was lost.
		if (name === 'zombie' && this.is(row, notifiedLost))
			return -1;
		// Nor until when its teardown was, if a tracer can have been notified before.
		if (name === 'teardown' && this.is(row, tracerLost))
			return -1;
		return from[row] >= 0 && to[row] >= from[row] ? to[row] - from[row] : -1;
	}

	// How long it has been in a phase that goes on at the end of the trace, or -1.
	openPhase(name, row) {
		const rows = this.openPhases.get(name);

		return rows && rows.has(row) ? Math.max(this.traceEnd - rows.get(row), 0) : -1;
	}

	// The phase, or how long it is at least, or -1.
	phaseSoFar(name, row) {
		const ns = this.phase(name, row);
		return ns < 0 ? this.openPhase(name, row) : ns;
	}

	phaseText(name, row) {
		const ns = this.phaseSoFar(name, row);
		return ns < 0 ? '' : (this.phase(name, row) < 0 ? '≥' : '') + time(ns);
	}

	isKilled(row) {
		return this.code[row] > 0 && (this.code[row] & 127) !== 0;
	}

	/*
	 * Relations
	 */

	link() {
		const n = this.count, first = new Int32Array(n + 1).fill(-1), next = new Int32Array(n).fill(-1);

		for (let i = n - 1; i >= 0; i--) {
			const parent = this.parent[i] < 0 ? n : this.parent[i];
			next[i] = first[parent];
			first[parent] = i;
		}
		this.firstChild = first;
		this.nextSibling = next;
		this.roots = this.children(n);
	}

	children(row) {
		const all = [];

		for (let i = this.firstChild[row]; i >= 0; i = this.nextSibling[i])
			all.push(i);
		return all;
	}

	// For each row, the lives below it, how many of them failed, and their CPU time.
	addUp() {
		const n = this.count, order = this.order = new Int32Array(n); // parents before their children
		let put = 0;

		for (const root of this.roots)
			order[put++] = root;
		for (let at = 0; at < put; at++)
			for (let i = this.firstChild[order[at]]; i >= 0; i = this.nextSibling[i])
				order[put++] = i;
		this.below = new Uint32Array(n);
		this.failedBelow = new Uint32Array(n);
		this.cpuBelow = new Float64Array(n);
		this.busy = new Uint8Array(n); // it, or one below it, is not idle
		while (put) {
			const row = order[--put], parent = this.parent[row];

			if (!this.isIdle(row))
				this.busy[row] = 1;
			if (parent < 0)
				continue;
			this.below[parent] += this.below[row] + this.lives(row);
			this.failedBelow[parent] += this.failedBelow[row] + this.failedLives(row);
			this.cpuBelow[parent] += this.cpuBelow[row] + this.cpuTime(row);
			this.busy[parent] |= this.busy[row];
		}
	}

	/*
	 * Search: each word has to be in the name, the path or the arguments; or it is the PID. What follows
	 * "=" is the name of a program, as the programs have it: lives of that one alone.
	 */

	haystack(row) {
		if (!this.haystacks)
			this.haystacks = new Array(this.count);
		if (this.haystacks[row] === undefined)
			this.haystacks[row] = (this.name(row) + ' ' + this.strings[this.path[row]] + ' ' +
					       this.argsText(row)).toLowerCase();
		return this.haystacks[row];
	}

	// So that the first search is as quick as the others: while nothing else is to be done, and no frame waits.
	prepareSearch() {
		let row = 0;
		const some = () => {
			const until = performance.now() + 4;

			while (row < this.count && performance.now() < until)
				for (const end = Math.min(row + 50, this.count); row < end; row++)
					this.haystack(row);
			if (row < this.count)
				requestIdleCallback(some);
		};

		if (window.requestIdleCallback)
			requestIdleCallback(some);
	}

	matcher(text) {
		const words = text.toLowerCase().split(/\s+/).filter((word) => word);
		const pid = /^\d+$/.test(text.trim()) ? Number(text) : -1;

		if (!words.length)
			return null;
		if (words[0][0] === '=') {
			const name = text.trim().slice(1).trim();

			return (row) => this.strings[this.comm[row]].trim() === name;
		}
		return (row) => this.pid[row] === pid || words.every((word) => this.haystack(row).includes(word));
	}
}
