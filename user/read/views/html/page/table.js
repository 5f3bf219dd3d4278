// SPDX-License-Identifier: GPL-2.0-only OR MIT
// The table of lives: it is sorted by any column, and shows those that match the search and the filters.
'use strict';

class Table {
	constructor(lives, clock) {
		this.lives = lives;
		this.clock = clock;
		this.key = 'begin';
		this.descending = false;
		this.phase = 'exit_free';
		this.rows = [];
		const decimals = lives.facts.to - lives.facts.from < 10e9 ? 6 : 3;
		this.columns = [
			['begin', 'Start', (row) => clock.moment(lives.begin[row], decimals), (row) => lives.begin[row]],
			['pid', 'PID', (row) => lives.lives(row) > 1 ? '×' + count(lives.lives(row)) : String(lives.pid[row]),
			 (row) => lives.pid[row]],
			['life', 'Life', (row) => lives.lifeText(row), (row) => lives.isKnown(row) ? lives.life(row) : -1],
			['cpu', 'CPU', (row) => lives.cpuText(row), (row) => lives.cpuText(row) ? lives.cpuTime(row) : -1],
			['rss', 'RSS', (row) => lives.rss[row] ? size(lives.rss[row]) : '', (row) => lives.rss[row] || -1],
			['phase', this.phase, (row) => lives.phaseText(this.phase, row), (row) => lives.phaseSoFar(this.phase, row)],
			['status', 'Status', (row) => this.statusText(row), (row) => lives.code[row]],
			['name', 'Program', (row) => lives.name(row), null],
			['args', 'Arguments', (row) => lives.arguments(row), null],
		];
		this.list = new List(byId('lives'), {
			prefix: 'life-', role: 'row',
			render: (line, index) => this.render(line, index),
			choose: (index) => shared.select(this.rows[index]),
			keys: (key) => key === 'Escape' && (shared.select(-1), true),
		});
		this.showHead();
		for (const id of ['only', 'at-least'])
			on(byId(id), 'input', once(() => this.filter()));
		shared.listen((what) => what === 'selected' ? this.follow() : what === 'searched' && this.filter());
		this.filter();
	}

	// The column of phases is of another one now.
	setPhase(name) {
		const column = this.columns.find(([key]) => key === 'phase');

		this.phase = column[1] = name;
		this.head.querySelector('.phase button').textContent = name;
		byId('sort').querySelector('[value=phase]').textContent = name;
		this.sort();
		this.refresh();
	}

	statusText(row) {
		const failures = this.lives.failedLives(row);
		if (this.lives.lives(row) > 1)
			return failures ? count(failures) + ' failed' : '';
		return [this.lives.status(row), this.lives.remains(row)].filter((x) => x).join(', ');
	}

	showHead() {
		const head = make('div', { class: 'head', role: 'row' }), lives = this.lives;

		for (const [key, title] of this.columns) {
			const button = make('button', { type: 'button', tabindex: -1 }, title);

			on(button, 'click', () => this.sortBy(key));
			head.append(make('span', { class: 'cell ' + key, role: 'columnheader', 'data-key': key }, button));
		}
		byId('lives').prepend(head);
		this.head = head;
		// Within the list, the keys move the active line: these do the same by keyboard.
		const select = byId('sort');
		for (const [key, title] of this.columns)
			select.append(make('option', { value: key }, title));
		on(select, 'input', () => this.sortBy(select.value));
		for (const phase of lives.facts.phases)
			if (phase.name !== 'life')
				byId('phase').append(make('option', { value: phase.name }, phase.name));
		byId('phase').value = this.phase;
		on(byId('phase'), 'input', (event) => this.setPhase(event.target.value));
		on(byId('order'), 'click', () => this.sortBy(this.key));
	}

	sortBy(key) {
		const text = key === 'name' || key === 'args' || key === 'begin' || key === 'pid';

		this.descending = this.key === key ? !this.descending : !text;
		this.key = key;
		this.sort();
		this.refresh();
		announce('Sorted by ' + this.title() + ', ' + this.orderText().toLowerCase());
	}

	orderText() {
		const orders = { begin: ['Earliest first', 'Latest first'], name: ['A to Z', 'Z to A'], args: ['A to Z', 'Z to A'] };

		return (orders[this.key] || ['Smallest first', 'Largest first'])[Number(this.descending)];
	}

	title() {
		return this.columns.find(([key]) => key === this.key)[1];
	}

	// What is not known is below 0, and comes last; those that are equal stay in the order of their birth.
	sort() {
		const [key, , text, value] = this.columns.find(([each]) => each === this.key);
		const sign = this.descending ? -1 : 1, rows = this.rows;

		if (value) {
			const values = new Float64Array(this.lives.count);
			for (const row of rows)
				values[row] = value(row);
			rows.sort((a, b) => (values[a] < 0) - (values[b] < 0) || sign * (values[a] - values[b]) || a - b);
		} else {
			const texts = new Map();
			for (const row of rows)
				texts.set(row, key === 'args' ? text(row).slice(0, 400) : text(row));
			rows.sort((a, b) => {
				const x = texts.get(a), y = texts.get(b);
				return x < y ? -sign : x > y ? sign : a - b;
			});
		}
	}

	// Does the row belong to those that are asked for?
	wanted() {
		const lives = this.lives, only = byId('only').value, least = parseTime(byId('at-least').value);
		const tests = [(row) => !lives.is(row, context)];

		if (only === 'failed')
			tests.push((row) => lives.failedLives(row) > 0);
		else if (only === 'killed')
			tests.push((row) => lives.isKilled(row));
		else if (only === 'open')
			tests.push((row) => !lives.is(row, ended));
		else if (only === 'incomplete')
			tests.push((row) => lives.is(row, incomplete));
		if (least)
			tests.push((row) => lives.life(row) >= least);
		byId('at-least').setAttribute('aria-invalid', String(byId('at-least').value.trim() !== '' && isNaN(least)));
		if (shared.matches)
			tests.push((row) => shared.matches[row]);
		return (row) => tests.every((test) => test(row));
	}

	filter() {
		const wanted = this.wanted(), rows = [];

		for (let row = 0; row < this.lives.count; row++)
			if (wanted(row))
				rows.push(row);
		this.rows = rows;
		this.sort();
		this.refresh();
		this.showCount();
	}

	showCount() {
		const lives = this.lives, facts = lives.facts;
		let shown = 0, failures = 0;

		for (const row of this.rows) {
			shown += lives.lives(row);
			failures += lives.failedLives(row);
		}
		byId('lives-count').textContent = count(shown) + ' of ' +
			plural(facts.ended + facts.open, 'life', 'lives') + (failures ? ', ' + count(failures) + ' failed' : '');
	}

	refresh() {
		markSorted(this.head.children, this.key, this.descending);
		byId('sort').value = this.key;
		byId('order').textContent = this.orderText();
		byId('lives').setAttribute('aria-rowcount', String(this.rows.length + 1));
		this.list.reset(this.rows.length, this.rows.indexOf(shared.selected));
	}

	follow() {
		const index = this.rows.indexOf(shared.selected);

		if (index >= 0)
			this.list.activate(index, true);
		else
			this.list.deactivate();
	}

	render(line, index) {
		const row = this.rows[index], bad = this.lives.failedLives(row) > 0;

		line.setAttribute('aria-rowindex', String(index + 2));
		for (const [key, , text] of this.columns) {
			const cell = make('span', { class: 'cell ' + key + (bad && key === 'status' ? ' bad' : ''), role: 'gridcell' },
					  text(row).slice(0, 1000));
			line.append(cell);
		}
		line.title = this.lives.commandLine(row).slice(0, 1000);
	}
}
