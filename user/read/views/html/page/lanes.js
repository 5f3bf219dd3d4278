// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Lanes of the timeline: each has rows in the order of their birth. In slots, the rows of one lane follow one
 * another, and there are as few lanes as lives at a time.
 */
'use strict';

// The smallest one first.
class Heap {
	constructor(less) {
		this.less = less;
		this.all = [];
	}

	push(item) {
		const all = this.all;
		let i = all.push(item) - 1;

		for (; i && this.less(item, all[(i - 1) >> 1]); i = (i - 1) >> 1)
			all[i] = all[(i - 1) >> 1];
		all[i] = item;
	}

	pop() {
		const all = this.all, first = all[0], item = all.pop();
		let i = 0, child;

		while ((child = 2 * i + 1) < all.length) {
			if (child + 1 < all.length && this.less(all[child + 1], all[child]))
				child++;
			if (!this.less(all[child], item))
				break;
			all[i] = all[child];
			i = child;
		}
		if (all.length)
			all[i] = item;
		return first;
	}
}

// Rows in the order of their birth.
function byBirth(lives, rows) {
	return rows.sort((a, b) => lives.begin[a] - lives.begin[b] || a - b);
}

// For rows in that order: how many rows before each failed, and match the search.
class Lane {
	constructor(lives, rows, overlap) {
		this.lives = lives;
		this.rows = rows;
		this.overlap = overlap; // no two of them, if this is false
	}

	prefix(name, test) {
		if (!this[name]) {
			const sums = this[name] = new Uint32Array(this.rows.length + 1);
			for (let i = 0; i < this.rows.length; i++)
				sums[i + 1] = sums[i] + (test(this.rows[i]) ? 1 : 0);
		}
		return this[name];
	}

	failures() {
		return this.prefix('failed', (row) => this.lives.failedLives(row) > 0);
	}

	matching() {
		if (this.matchesOf !== shared.matches)
			this.matched = null;
		this.matchesOf = shared.matches;
		return this.prefix('matched', (row) => shared.matches[row]);
	}

	// The index of the first row that begins no earlier.
	from(ts) {
		let low = 0, high = this.rows.length;

		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.lives.begin[this.rows[middle]] < ts)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	// The index of the first row that can be seen from then on.
	first(ts) {
		if (!this.overlap)
			return Math.max(this.from(ts) - 1, 0);
		if (!this.latest) {
			this.latest = new Float64Array(this.rows.length);
			for (let i = 0, end = -1; i < this.rows.length; i++)
				this.latest[i] = end = Math.max(end, this.end(this.rows[i]));
		}
		let low = 0, high = this.rows.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.latest[middle] < ts)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	// When nothing of a row is drawn any more.
	end(row) {
		const fold = this.lives.fold(row);
		return Math.max(this.lives.slotEnds[row], this.lives.freed[row], fold ? fold.last : 0);
	}

	// The row that is drawn there last, or -1.
	at(ts) {
		let found = -1;

		for (let i = this.first(ts); i < this.rows.length; i++) {
			const row = this.rows[i], fold = this.lives.fold(row);
			if ((fold ? fold.first : this.lives.begin[row]) > ts)
				break;
			if (this.end(row) >= ts)
				found = row;
		}
		return found;
	}
}

// As few lanes as can be, for all lives that have rows of their own.
class Slots {
	constructor(lives) {
		const rows = [], free = new Heap((a, b) => a < b), taken = new Heap((a, b) => a.end < b.end), lanes = [];

		for (let row = 0; row < lives.count; row++)
			if (!lives.fold(row) && !lives.isIdle(row))
				rows.push(row);
		byBirth(lives, rows);
		this.laneOf = new Int32Array(lives.count).fill(-1);
		for (const row of rows) {
			while (taken.all.length && taken.all[0].end <= lives.begin[row])
				free.push(taken.pop().lane);
			const lane = free.all.length ? free.pop() : lanes.push([]) - 1;
			lanes[lane].push(row);
			this.laneOf[row] = lane;
			taken.push({ lane, end: lives.slotEnds[row] });
		}
		this.lanes = lanes.map((lane) => new Lane(lives, lane, false));
		this.gutter = 0;
	}

	get count() {
		return this.lanes.length;
	}

	lane(index) {
		return this.lanes[index];
	}
}
