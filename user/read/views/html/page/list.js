// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A list of any length: only the lines that are in sight are elements. One line is the active one, and
 * moves with the keys; the list has the focus.
 */
'use strict';

const LINE = 24; // pixels, as in the style sheet
const PRINTED = 200; // lines on paper

class List {
	// `render` fills a line; `keys` and `press` may take a key or a click; `choose` gets the active line.
	constructor(element, { prefix, role, render, choose, keys, press }) {
		this.element = element;
		this.prefix = prefix;
		this.role = role;
		this.render = render;
		this.choose = choose;
		this.keys = keys;
		this.pressed = press;
		this.count = 0;
		this.active = -1;
		this.shown = new Map();
		this.canvas = make('div', { class: 'lines', role: 'presentation' });
		element.append(this.canvas);
		this.draw = once(() => this.drawNow());
		on(element, 'scroll', this.draw, { passive: true });
		on(element, 'keydown', (event) => this.key(event));
		on(element, 'mousedown', (event) => this.press(event));
		new ResizeObserver(this.draw).observe(element);
		on(window, 'beforeprint', () => this.print(true));
		on(window, 'afterprint', () => this.print(false));
	}

	// All lines are others now.
	reset(count, active) {
		this.count = count;
		this.active = active;
		this.element.removeAttribute('aria-activedescendant'); // another line has its name now
		this.canvas.style.height = count * LINE + 'px';
		this.refresh();
	}

	refresh() {
		for (const line of this.shown.values())
			line.remove();
		this.shown.clear();
		this.drawNow();
	}

	range() {
		if (this.printing)
			return [0, Math.min(this.count, PRINTED)];
		const top = this.element.scrollTop, height = this.element.clientHeight;
		return [Math.max(Math.floor(top / LINE) - 6, 0), Math.min(Math.ceil((top + height) / LINE) + 6, this.count)];
	}

	drawNow() {
		const [first, last] = this.range();

		for (const [index, line] of this.shown)
			if (index < first || index >= last) {
				line.remove();
				this.shown.delete(index);
			}
		for (let index = first; index < last; index++)
			if (!this.shown.has(index))
				this.show(index);
	}

	show(index) {
		const line = make('div', { class: 'line', role: this.role, id: this.prefix + index });

		line.style.top = index * LINE + 'px';
		this.render(line, index);
		this.mark(line, index === this.active);
		let after = null; // for screen readers, and paper, they are in order
		for (let i = index + 1; i < index + 64 && !after; i++)
			after = this.shown.get(i) || null;
		this.canvas.insertBefore(line, after);
		this.shown.set(index, line);
	}

	mark(line, is) {
		line.classList.toggle('active', is);
		line.setAttribute('aria-selected', String(is));
		if (is)
			this.element.setAttribute('aria-activedescendant', line.id);
	}

	activate(index, told) {
		if (index < 0 || index >= this.count)
			return;
		const before = this.shown.get(this.active);
		if (before)
			this.mark(before, false);
		this.active = index;
		this.reveal(index);
		this.drawNow();
		const line = this.shown.get(index);
		if (line)
			this.mark(line, true);
		if (!told)
			this.choose(index);
	}

	deactivate() {
		const before = this.shown.get(this.active);

		if (before)
			this.mark(before, false);
		this.active = -1;
		this.element.removeAttribute('aria-activedescendant');
	}

	reveal(index) {
		const element = this.element, top = index * LINE, head = element.querySelector('.head');
		const room = element.clientHeight - (head ? head.offsetHeight : 0);

		if (top < element.scrollTop)
			element.scrollTop = top;
		else if (top + LINE > element.scrollTop + room)
			element.scrollTop = top + LINE - room;
	}

	key(event) {
		const page = Math.max(Math.floor(this.element.clientHeight / LINE) - 2, 1);
		const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
		let to;

		if (event.ctrlKey || event.altKey || event.metaKey || event.target !== this.element)
			return;
		if (this.keys && this.keys(event.key, this.active)) {
			event.preventDefault();
			return;
		}
		if (event.key in steps)
			to = Math.min(Math.max(this.active + steps[event.key], 0), this.count - 1);
		else if (event.key === 'Home' || event.key === 'End')
			to = event.key === 'Home' ? 0 : this.count - 1;
		else
			return;
		event.preventDefault();
		this.activate(to);
	}

	press(event) {
		const line = event.target.closest('.line');

		if (!line || event.button)
			return;
		const index = this.indexOf(line);
		if (!this.pressed || !this.pressed(event, index))
			this.activate(index);
	}

	indexOf(line) {
		return Number(line.id.slice(this.prefix.length));
	}

	print(on) {
		const left = this.count - PRINTED;

		this.printing = on;
		if (on && left > 0)
			this.element.dataset.left = '… and ' + plural(left, 'more line', 'more lines') + ', which are not on paper';
		else
			delete this.element.dataset.left;
		this.refresh();
	}
}
