// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which words of a command line distinguish it from others of the same program: what most of these have says
 * nothing. A sample of them is looked at, so that their number does not matter.
 */
'use strict';

const SAMPLE = 64;

// How much a word says: an option little, a file in a folder most; but not one that is soon gone.
function says(word) {
	if (!word || word[0] === '-')
		return 0;
	const plain = word.replace(/['")]+$/, '');
	if (!/[^.]\.\w+$/.test(plain) || plain.includes('/tmp/'))
		return 1;
	return plain.includes('/') ? 3 : 2;
}

class Words {
	constructor(lives) {
		this.lives = lives;
		this.families = null;
	}

	wordsOf(row) {
		return this.lives.arguments(row).split(' ');
	}

	// For the program of a row: how many of the sample have each word.
	family(row) {
		const lives = this.lives;

		if (!this.families) {
			this.families = new Map();
			for (let i = 0; i < lives.count; i++) {
				const name = lives.name(i), family = this.families.get(name);
				if (family)
					family.rows.push(i);
				else
					this.families.set(name, { rows: [i], counts: null, size: 0 });
			}
		}
		const family = this.families.get(lives.name(row));
		if (family.counts)
			return family;
		const every = Math.ceil(family.rows.length / SAMPLE);
		family.counts = new Map();
		for (let i = 0; i < family.rows.length; i += every, family.size++)
			for (const word of new Set(this.wordsOf(family.rows[i])))
				family.counts.set(word, (family.counts.get(word) || 0) + 1);
		return family;
	}

	// The words that distinguish it, the others left out.
	telling(row) {
		const { counts, size } = this.family(row), words = this.wordsOf(row);

		if (size < 2)
			return this.lives.arguments(row);
		const shown = words.map((word) => 2 * (counts.get(word) || 0) > size ? '…' : word);
		const text = shown.filter((word, i) => word !== '…' || shown[i - 1] !== '…').join(' ');
		// Where nothing distinguishes it from others, it is like them; they may have no arguments at all.
		return text === '…' ? this.lives.arguments(row) : text;
	}

	// The one that says most; all of them if none says much.
	best(row) {
		const { counts, size } = this.family(row);
		let best = '';

		for (const word of size < 2 ? [] : this.wordsOf(row)) {
			if (2 * (counts.get(word) || 0) > size)
				continue;
			if (says(word) > says(best) || (says(word) === says(best) && word.length < best.length))
				best = word;
		}
		return says(best) > 1 ? best : this.lives.arguments(row);
	}
}
