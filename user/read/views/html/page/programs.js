// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Which program costs what: a table whose titles sort it.
'use strict';

const SHOWN_PROGRAMS = 100;

class Programs {
	constructor(facts, strings, search) {
		this.all = facts.programs.map((program) => ({
			...program, label: program.name ? strings[program.name] : '(unknown)',
		}));
		this.total = facts.runtime;
		this.search = search;
		this.most = SHOWN_PROGRAMS;
		this.columns = [
			['runs', 'Runs', (p) => count(p.runs)],
			['failed', 'Failed', (p) => p.failed ? count(p.failed) : ''],
			['open', 'Not ended', (p) => p.open ? count(p.open) : ''],
			['runtime', 'CPU', (p) => time(p.runtime)],
			['share', 'Share', (p) => this.total ? (100 * p.runtime / this.total).toFixed(0) + ' %' : ''],
			['rss', 'RSS', (p) => p.rss ? size(p.rss) : ''],
			['p50', 'p50', (p) => p.p50 === undefined ? '' : time(p.p50)],
			['p99', 'p99', (p) => p.p99 === undefined ? '' : time(p.p99)],
			['max', 'Max', (p) => p.max === undefined ? '' : time(p.max)],
			['label', 'Program', null],
			['argument', 'Its longest run', (p) => p.argument || (p.pid ? 'pid ' + p.pid : '')],
		];
		this.showHead();
		this.sortBy('runtime');
	}

	value(program, key) {
		return key === 'share' ? program.runtime : program[key];
	}

	sortBy(key) {
		const text = key === 'label' || key === 'argument';

		this.descending = this.key === key ? !this.descending : !text;
		this.key = key;
		const sign = this.descending ? -1 : 1;
		this.all.sort((a, b) => {
			const x = this.value(a, key), y = this.value(b, key);

			if (x === undefined || y === undefined)
				return (x === undefined) - (y === undefined);
			return x < y ? -sign : x > y ? sign : 0;
		});
		this.show();
	}

	showHead() {
		const row = byId('programs-head');

		for (const [key, title] of this.columns) {
			const button = make('button', { type: 'button' }, title);

			on(button, 'click', () => this.sortBy(key));
			row.append(make('th', { scope: 'col', 'data-key': key }, button));
		}
		on(byId('programs-more'), 'click', () => {
			this.most = Infinity;
			this.show();
		});
	}

	show() {
		markSorted(byId('programs-head').children, this.key, this.descending);
		byId('programs-body').replaceChildren(...this.all.slice(0, this.most).map((p) => this.row(p)));
		byId('programs-more').hidden = this.all.length <= this.most;
		byId('programs-more').textContent = 'Show all ' + count(this.all.length) + ' programs';
	}

	row(program) {
		return make('tr', {}, ...this.columns.map(([key, , text]) => {
			if (key === 'argument')
				return make('td', { class: 'text' }, make('div', { class: 'clamp' }, text(program)));
			if (key !== 'label')
				return make('td', { class: key === 'failed' ? 'bad' : null }, text(program));
			const button = make('button', { type: 'button', class: 'link', title: 'Search for its lives' }, program.label);
			on(button, 'click', () => this.search('=' + program.label));
			return make('td', { class: 'text' }, button);
		}));
	}
}
