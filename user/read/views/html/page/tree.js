// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The tree of processes, line by line. Siblings of one program are one line, and so are all that
 * such siblings started, program by program; among these, a line opens to each of the siblings alone. So a
 * build's tree is some lines long, however many lives it has.
 */
'use strict';

const ALIKE = 3; // this many siblings of one program are one line
const AT_FIRST = 20; // lines
const TOO_MANY = 100; // lines, to be opened by themselves
const DEEPEST = 30; // levels that are indented: the names of all others would leave the line

class Tree {
	constructor(lives, clock) {
		this.lives = lives;
		this.clock = clock;
		this.listeners = [];
		this.decimals = lives.facts.to - lives.facts.from < 10e9 ? 6 : 3;
		this.list = new List(byId('tree'), {
			prefix: 'line-', role: 'treeitem',
			render: (element, index) => this.render(element, index),
			choose: (index) => this.choose(index),
			keys: (key, index) => this.key(key, index),
			press: (event, index) => event.target.closest('.twist') && (this.toggle(index), true),
		});
		on(byId('tree'), 'dblclick', (event) => {
			const line = event.target.closest('.line');
			if (line && !event.target.closest('.twist'))
				this.toggle(this.list.indexOf(line));
		});
		const titles = { pid: 'PID', begin: 'Start', life: 'Life', cpu: 'CPU', rss: 'RSS', process: 'Process' };
		byId('tree').prepend(make('div', { class: 'head', 'aria-hidden': 'true' }, ...Object.entries(titles).map(([name, title]) =>
			make('span', { class: 'cell ' + name }, title))));
		on(byId('show-idle'), 'input', () => this.begin());
		shared.listen((what) => {
			if (what === 'selected')
				this.follow();
			else if (what === 'searched')
				this.list.refresh();
		});
		this.begin();
	}

	// With the roots; and as many more as a screen has room for, where most is below them.
	begin() {
		const lives = this.lives, idle = byId('show-idle').checked;

		this.is = (row) => idle || lives.busy[row];
		this.lines = this.linesOf(lives.roots, 0);
		const hidden = lives.roots.filter((row) => !lives.busy[row]).length;
		byId('idle').hidden = !hidden;
		byId('idle-count').textContent = plural(hidden, 'older process', 'older processes') + ' without anything new';
		for (let tries = 0; tries < AT_FIRST && this.lines.length < AT_FIRST; tries++) {
			const below = (line) => line.open || line.each ? 0 : line.rows ? line.below : lives.below[line.row];
			const index = this.lines.reduce((most, line, i) => below(line) > below(this.lines[most]) ? i : most, 0);
			if (!this.lines.length || !below(this.lines[index]))
				break;
			const before = this.lines.length;
			this.open(index);
			if (before > 1 && this.lines.length > TOO_MANY) {
				this.close(index);
				break;
			}
		}
		byId('tree').style.height = Math.min(Math.max(this.lines.length + 3, 8) * LINE, 20 * LINE) + 'px';
		this.changed();
	}

	// Lines of these siblings; `alike` of one program are one line.
	linesOf(rows, depth, alike) {
		const lives = this.lives, groups = new Map();

		for (const row of rows) {
			if (!this.is(row))
				continue;
			const name = lives.name(row), group = groups.get(name);
			if (group)
				group.push(row);
			else
				groups.set(name, [row]);
		}
		const lines = [];
		for (const group of groups.values())
			if (group.length < (alike || ALIKE))
				lines.push(...group.map((row) => this.single(row, depth)));
			else
				lines.push(this.several(group, depth));
		return lines.sort((a, b) => lives.begin[a.first] - lives.begin[b.first] || a.first - b.first);
	}

	single(row, depth) {
		return { row, first: row, depth, rows: null, each: false, open: false, opens: this.lives.firstChild[row] >= 0 };
	}

	// The longest of them stands for all.
	several(rows, depth) {
		const lives = this.lives;
		const line = { row: rows[0], first: rows[0], depth, rows, each: false, open: false, opens: true,
			       lives: 0, failed: 0, zombies: 0, cpu: 0, rss: 0, below: 0, failedBelow: 0 };

		for (const row of rows) {
			if (lives.life(row) > lives.life(line.row))
				line.row = row;
			line.lives += lives.lives(row);
			line.failed += lives.failedLives(row);
			line.zombies += lives.state[row] === ZOMBIE;
			line.cpu += lives.cpuTime(row);
			line.rss = Math.max(line.rss, lives.rss[row]);
			line.below += lives.below[row];
			line.failedBelow += lives.failedBelow[row];
		}
		return line;
	}

	below(line) {
		const lives = this.lives, depth = line.depth + 1;

		if (line.each || (line.rows && !line.below))
			return byBirth(lives, line.rows.slice()).map((row) => this.single(row, depth));
		if (!line.rows)
			return this.linesOf(lives.children(line.row), depth);
		const all = line.rows.flatMap((row) => lives.children(row));
		return [{ ...line, depth, each: true, open: false, lane: null }, ...this.linesOf(all, depth, 2)];
	}

	open(index) {
		const line = this.lines[index];

		if (!line || !line.opens || line.open)
			return;
		line.open = true;
		this.lines = this.lines.slice(0, index + 1).concat(this.below(line), this.lines.slice(index + 1));
	}

	close(index) {
		const line = this.lines[index];
		let end = index + 1;

		while (end < this.lines.length && this.lines[end].depth > line.depth)
			end++;
		line.open = false;
		this.lines.splice(index + 1, end - index - 1);
	}

	toggle(index) {
		const line = this.lines[index];

		if (!line.opens)
			return;
		if (line.open)
			this.close(index);
		else
			this.open(index);
		this.changed(index);
		announce(line.open ? 'Opened' : 'Closed');
	}

	changed(active) {
		const top = this.list.element.scrollTop;

		this.list.reset(this.lines.length, active === undefined ? -1 : active);
		this.list.element.scrollTop = top;
		for (const listener of this.listeners)
			listener();
	}

	choose(index) {
		const line = this.lines[index];

		this.chosen = line;
		if (!line.rows)
			shared.select(line.row);
		else
			announce(this.nameOf(line) + ', ' + this.noteOf(line));
	}

	// Opens what the selected life is in.
	follow() {
		const lives = this.lives, chain = [];
		let at = 0, opened = false;

		if (shared.selected < 0 || !this.is(shared.selected)) {
			this.list.deactivate();
			return;
		}
		for (let row = shared.selected; row >= 0; row = lives.parent[row])
			chain.unshift(row);
		for (const row of chain) {
			let index = this.find(row, at);
			if (index < 0)
				return;
			if (this.lines[index].rows) {
				opened = opened || !this.lines[index].open;
				this.open(index++);
				if (this.lines[index].each) {
					opened = opened || !this.lines[index].open;
					this.open(index++);
				}
				index = this.find(row, index);
			}
			if (row !== shared.selected) {
				opened = opened || !this.lines[index].open;
				this.open(index);
			}
			at = index + (row === shared.selected ? 0 : 1);
		}
		if (opened)
			this.changed();
		this.list.activate(at, true);
	}

	// The line of a row, or of those that it is one of, among siblings from this line on.
	find(row, from) {
		const depth = this.lines[from] ? this.lines[from].depth : -1;

		for (let i = from; i < this.lines.length && this.lines[i].depth >= depth; i++) {
			const line = this.lines[i];
			if (line.depth === depth && (line.rows ? line.rows.includes(row) : line.row === row))
				return i;
		}
		return -1;
	}

	key(key, index) {
		const line = this.lines[index];

		if (key === 'Escape') {
			shared.select(-1);
			return true;
		}
		if (!line)
			return false;
		if (key === 'Enter' || key === ' ' || (key === 'ArrowRight' && line.opens && !line.open) || (key === 'ArrowLeft' && line.open)) {
			this.toggle(index);
		} else if (key === 'ArrowRight') {
			if (line.open)
				this.list.activate(index + 1);
		} else if (key === 'ArrowLeft') {
			let up = index - 1;
			while (up >= 0 && this.lines[up].depth >= line.depth)
				up--;
			if (up >= 0)
				this.list.activate(up);
		} else {
			return false;
		}
		return true;
	}

	/*
	 * What stands on a line
	 */

	livesOf(line) {
		return line.rows ? line.lives : this.lives.lives(line.row);
	}

	failedOf(line) {
		return line.rows ? line.failed : this.lives.failedLives(line.row);
	}

	nameOf(line) {
		const n = this.livesOf(line);
		if (line.each)
			return 'each of the ' + count(n);
		return (n > 1 ? '×' + count(n) + ' ' : '') + this.lives.name(line.row);
	}

	// How it ended, and what is below it as long as it is closed.
	noteOf(line) {
		if (line.each)
			return '';
		const lives = this.lives, row = line.row, notes = [], failures = this.failedOf(line);
		const below = line.rows ? line.below : lives.below[row], failedBelow = line.rows ? line.failedBelow : lives.failedBelow[row];

		if (this.livesOf(line) > 1)
			notes.push(...(failures ? [count(failures) + ' failed'] : []));
		else if (lives.endNote(row))
			notes.push(lives.endNote(row));
		if (line.zombies)
			notes.push(plural(line.zombies, 'zombie', 'zombies'));
		if (!line.rows && lives.is(row, incomplete))
			notes.push('incomplete');
		if (!line.rows && lives.threads[row] > 1)
			notes.push(count(lives.threads[row]) + ' threads');
		if (!line.rows && lives.is(row, context))
			notes.push('context');
		if (below && !line.open)
			notes.push('… ' + count(below) + ' below' + (failedBelow ? ', ' + count(failedBelow) + ' failed' : ''));
		return notes.join(', ');
	}

	render(element, index) {
		const line = this.lines[index], lives = this.lives, row = line.row, several = this.livesOf(line) > 1;
		const cell = (name, text) => element.append(make('span', { class: 'cell ' + name }, text));

		element.setAttribute('aria-level', String(line.depth + 1));
		if (line.opens)
			element.setAttribute('aria-expanded', String(line.open));
		if (line.each) {
			for (const name of ['pid', 'begin', 'life', 'cpu', 'rss'])
				cell(name, '');
			const twist = make('span', { class: 'twist', 'aria-hidden': 'true' }, line.open ? '▾' : '▸');
			const name = make('span', { class: 'cell process dim' }, twist, this.nameOf(line));
			name.style.paddingLeft = Math.min(line.depth, DEEPEST) * 1.2 + 0.5 + 'rem';
			element.append(name);
			return;
		}
		cell('pid', several ? '×' + count(this.livesOf(line)) : String(lives.pid[row]));
		cell('begin', this.clock.moment(lives.begin[line.first], this.decimals));
		cell('life', lives.lifeText(row));
		cell('cpu', line.rows && line.cpu ? time(line.cpu) : lives.cpuText(row));
		cell('rss', (line.rows ? line.rss : lives.rss[row]) ? size(line.rows ? line.rss : lives.rss[row]) : '');
		const twist = make('span', { class: 'twist', 'aria-hidden': 'true' }, line.opens ? line.open ? '▾' : '▸' : '');
		const note = make('span', { class: 'note' + (this.failedOf(line) ? ' bad' : '') }, this.noteOf(line));
		const shown = lives.words.telling(row).slice(0, 600);
		const words = several && shown ? '(slowest: ' + shown + ')' : shown;
		const name = make('span', { class: 'cell process' }, twist, make('b', {}, lives.name(row)), '  ', note, note.textContent ? '  ' : '',
				  make('span', { class: 'dim' }, words));
		name.style.paddingLeft = Math.min(line.depth, DEEPEST) * 1.2 + 0.5 + 'rem';
		element.append(name);
		if (shared.matches && !(line.rows || [row]).some((each) => shared.matches[each]))
			element.classList.add('faint');
	}
}

// The lines of the tree as lanes of the timeline.
class TreeLanes {
	constructor(tree, changed) {
		this.tree = tree;
		this.lives = tree.lives;
		this.height = 16;
		tree.listeners.push(() => {
			this.placed = false;
			changed();
		});
	}

	// For the names; more than half of the width is for the times.
	get gutter() {
		return Math.min(260, Math.floor(byId('timeline').clientWidth * 0.45));
	}

	get count() {
		return this.tree.lines.length;
	}

	lane(index) {
		const line = this.tree.lines[index];

		if (!line.lane)
			line.lane = new Lane(this.lives, line.each ? [] : line.rows ? byBirth(this.lives, line.rows.slice()) : [line.row], true);
		return line.lane;
	}

	// A row without a line is in the line that stands for it, or for one that it is below.
	get laneOf() {
		if (this.placed)
			return this.lanes;
		const lives = this.lives, lanes = new Int32Array(lives.count).fill(-1);

		for (const [index, line] of this.tree.lines.entries())
			for (const row of line.rows && !line.each ? line.rows : [])
				lanes[row] = index;
		for (const [index, line] of this.tree.lines.entries())
			if (!line.rows)
				lanes[line.row] = index;
		for (const row of lives.order)
			if (lanes[row] < 0 && lives.parent[row] >= 0)
				lanes[row] = lanes[lives.parent[row]];
		this.placed = true;
		return this.lanes = lanes;
	}

	press(index, x) {
		if (x >= this.gutter)
			return false;
		this.tree.toggle(index);
		return true;
	}

	drawLabels(painter, first, last, top, height) {
		const context = painter.context, colors = painter.colors;

		context.fillStyle = colors.back;
		context.fillRect(0, 0, this.gutter - 1, painter.height);
		context.fillStyle = colors.line;
		context.fillRect(this.gutter - 1, 0, 1, painter.height);
		for (let index = first; index < last; index++) {
			const line = this.tree.lines[index], x = 4 + Math.min(line.depth, 12) * 10;
			const letters = Math.floor((this.gutter - x - 16) / LETTER), text = this.tree.nameOf(line) + (line.rows ? '' : ' ' + this.lives.words.best(line.row));
			context.fillStyle = line.each ? colors.dim : this.tree.failedOf(line) ? colors.bad : colors.ink;
			context.fillText(line.opens ? line.open ? '▾' : '▸' : '', x, top(index) + height / 2);
			context.fillText(cut(text, letters), x + 12, top(index) + height / 2);
		}
	}
}
