// SPDX-License-Identifier: GPL-2.0-only OR MIT
// What happens once the page is there.
'use strict';

class Search {
	constructor(lives) {
		this.lives = lives;
		this.input = byId('search');
		on(this.input, 'input', once(() => this.find()));
		on(byId('search-form'), 'submit', (event) => {
			event.preventDefault();
			this.next();
		});
		on(document, 'keydown', (event) => {
			if (event.key !== '/' || event.target.closest('input, select, textarea'))
				return;
			event.preventDefault();
			this.input.focus();
		});
	}

	find() {
		const match = this.lives.matcher(this.input.value);
		let found = 0;

		shared.matches = match ? new Uint8Array(this.lives.count) : null;
		for (let row = 0; match && row < this.lives.count; row++) {
			if (this.lives.is(row, context) || !match(row))
				continue;
			shared.matches[row] = 1;
			found += this.lives.lives(row);
		}
		byId('search-count').textContent = match ? plural(found, 'life matches', 'lives match') : '';
		shared.tell('searched');
	}

	// The next one in the order of birth, after the one that is selected.
	next() {
		const n = this.lives.count;

		for (let i = 1; shared.matches && i <= n; i++) {
			const row = (shared.selected + i + n) % n;
			if (shared.matches[row]) {
				shared.select(row);
				return;
			}
		}
	}

	set(text) {
		this.input.value = text;
		this.find();
		byId('lives-title').scrollIntoView();
	}
}

const page = {};

function start() {
	const data = readAll();

	page.lives = new Lives(data);
	page.clock = new Clock(data.facts);
	showHeader(page.lives, page.clock);
	page.search = new Search(page.lives);
	page.tree = new Tree(page.lives, page.clock); // first: it opens lines, which are the timeline's lanes
	page.timeline = new Timeline(page.lives, page.clock, data.critical);
	page.treeLanes = new TreeLanes(page.tree, page.timeline.draw);
	on(byId('lanes-by'), 'input', (event) =>
		page.timeline.setLanes(event.target.value === 'tree' ? page.treeLanes : page.timeline.slots));
	page.overview = new Overview(page.timeline, data.facts, page.clock);
	page.phases = new Phases(data.facts);
	page.critical = new Critical(page.lives, data.critical, page.clock);
	page.programs = new Programs(data.facts, data.strings, (text) => page.search.set(text));
	page.detail = new Detail(page.lives, page.clock);
	page.table = new Table(page.lives, page.clock);
	byId('main').hidden = false;
	page.table.refresh();
	page.tree.list.refresh();
	page.timeline.drawNow();
	page.lives.prepareSearch();
	document.documentElement.dataset.ready = 'yes';
}

on(window, 'error', (event) => {
	byId('broken').hidden = false;
	byId('broken').textContent = 'This page does not work here: ' + event.message + '. It needs a browser of 2021 or newer.';
});
start();
