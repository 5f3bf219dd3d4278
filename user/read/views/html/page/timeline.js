// SPDX-License-Identifier: GPL-2.0-only OR MIT
// The timeline: which times and lanes are in sight, and what mouse, wheel and keys do with that.
'use strict';

const AXIS = 22; // pixels
const CLOSEST = 1000; // ns across the picture
const HEIGHT = 420; // pixels, unless the user wants more

class Timeline {
	constructor(lives, clock, critical) {
		this.lives = lives;
		this.clock = clock;
		this.steps = critical;
		this.box = byId('timeline');
		this.canvas = byId('lanes');
		this.tip = byId('tip');
		this.painter = new Painter(this.canvas, lives);
		this.slots = new Slots(lives);
		this.least = Math.min(0, lives.facts.from);
		this.most = Math.max(lives.facts.to, this.least + CLOSEST);
		this.listeners = [];
		this.draw = once(() => this.drawNow());
		this.sayLater = null;
		this.setLanes(this.slots);
		this.fit(true);
		this.listen();
	}

	/*
	 * What is in sight
	 */

	// All of it; `quietly`: not because the user asked.
	fit(quietly) {
		const { from, to } = this.lives.facts;

		this.show(from, Math.max(to, from + CLOSEST), quietly);
	}

	show(from, to, quietly) {
		const whole = this.most - this.least;
		const span = Math.min(Math.max(to - from, CLOSEST), whole * 1.1);
		const middle = (from + to) / 2;

		this.from = Math.min(Math.max(middle - span / 2, this.least - whole * 0.05), this.most + whole * 0.05 - span);
		this.to = this.from + span;
		this.draw();
		if (!quietly)
			this.say();
	}

	// By this factor, so that what is at this time stays where it is.
	zoom(factor, ts) {
		const at = ts === undefined ? (this.from + this.to) / 2 : ts;
		const span = Math.max((this.to - this.from) * factor, CLOSEST), part = (at - this.from) / (this.to - this.from);

		this.show(at - part * span, at - part * span + span);
	}

	// By this part of what is in sight.
	pan(part) {
		const by = part * (this.to - this.from);

		this.show(this.from + by, this.to + by);
	}

	setLanes(lanes) {
		this.lanes = lanes;
		this.box.scrollTop = 0;
		this.box.style.height = Math.min(AXIS + 18 * Math.max(lanes.count, 4) + 4, HEIGHT) + 'px';
		this.draw();
	}

	laneHeight() {
		const room = this.box.clientHeight - AXIS;
		if (this.lanes.height)
			return this.lanes.height;
		return Math.min(Math.max(Math.floor(room / Math.max(this.lanes.count, 1)), 7), 18);
	}

	laneTop(index) {
		return AXIS + index * this.laneHeight() - this.box.scrollTop;
	}

	// All lanes can be scrolled to.
	makeRoom() {
		byId('lanes-room').style.height = AXIS + this.lanes.count * this.laneHeight() + 'px';
	}

	// So that a row can be seen, and what it is beside.
	reveal(row) {
		const lane = this.lanes.laneOf[row], fold = this.lives.fold(row), height = this.laneHeight();
		const from = fold ? fold.first : this.lives.begin[row], to = fold ? fold.last : Math.max(this.lives.lastSeen(row), from + 1);
		const span = this.to - this.from;

		if (to < this.from || from > this.to || (to - from) / span < 0.004)
			this.show(from - 4 * (to - from), to + 4 * (to - from), true);
		if (lane === undefined || lane < 0)
			return;
		this.makeRoom();
		if (this.laneTop(lane) < AXIS || this.laneTop(lane) + height > this.box.clientHeight)
			this.box.scrollTop = lane * height - (this.box.clientHeight - AXIS) / 2;
	}

	/*
	 * The picture
	 */

	drawNow() {
		const width = this.box.clientWidth, height = this.box.clientHeight, painter = this.painter, each = this.laneHeight();

		if (!width || !height)
			return;
		this.makeRoom();
		painter.begin(width, height, this.from, this.to, this.lanes.gutter);
		painter.axis(this.clock, AXIS);
		const first = Math.max(Math.floor((this.box.scrollTop) / each), 0);
		const last = Math.min(Math.ceil((this.box.scrollTop + height - AXIS) / each), this.lanes.count);
		const context = painter.context;
		context.save();
		context.beginPath();
		context.rect(0, AXIS, width, height - AXIS);
		context.clip();
		for (let index = first; index < last; index++)
			painter.lane(this.lanes.lane(index), this.laneTop(index) + 1, each - 1);
		painter.gaps(this.lives.facts.gaps, AXIS);
		if (byId('show-critical').checked)
			this.drawCritical(first, last);
		if (this.lanes.drawLabels)
			this.lanes.drawLabels(painter, first, last, (index) => this.laneTop(index), each);
		context.restore();
		if (this.band)
			this.drawBand();
		for (const listener of this.listeners)
			listener();
	}

	// At the top of lanes, above the names.
	drawCritical(first, last) {
		const laneOf = this.lanes.laneOf;

		this.painter.critical(this.steps, first, last, (row) => row < 0 ? -1 : laneOf[row],
				      (lane) => this.laneTop(lane) + 2);
	}

	drawBand() {
		const context = this.painter.context, [a, b] = this.band;

		context.globalAlpha = 0.25;
		context.fillStyle = this.painter.colors.link;
		context.fillRect(Math.min(a, b), 0, Math.abs(a - b), this.box.clientHeight);
		context.globalAlpha = 1;
	}

	/*
	 * Input
	 */

	listen() {
		const box = this.box;

		on(box, 'scroll', this.draw, { passive: true });
		new ResizeObserver(this.draw).observe(box);
		on(matchMedia('(prefers-color-scheme: dark)'), 'change', this.draw);
		for (const type of ['beforeprint', 'afterprint'])
			on(window, type, () => this.drawNow());
		on(box, 'wheel', (event) => this.wheel(event), { passive: false });
		on(box, 'pointerdown', (event) => this.down(event));
		on(box, 'pointermove', (event) => this.move(event));
		on(box, 'pointerup', (event) => this.up(event));
		on(box, 'pointercancel', () => this.grip = this.band = null);
		on(box, 'pointerleave', () => this.tip.hidden = true);
		on(box, 'dblclick', (event) => this.zoom(0.25, this.timeAt(event)));
		on(box, 'keydown', (event) => this.key(event));
		for (const [id, work] of [['zoom-in', () => this.zoom(0.5)], ['zoom-out', () => this.zoom(2)],
					  ['zoom-fit', () => this.fit()], ['pan-left', () => this.pan(-0.25)],
					  ['pan-right', () => this.pan(0.25)]])
			on(byId(id), 'click', work);
		on(byId('show-critical'), 'input', this.draw);
		shared.listen((what) => {
			if (what === 'selected' && shared.selected >= 0)
				this.reveal(shared.selected);
			this.draw();
		});
	}

	xOf(event) {
		return event.clientX - this.box.getBoundingClientRect().left;
	}

	timeAt(event) {
		return this.painter.time(this.xOf(event));
	}

	// The lane below the pointer, or -1.
	laneAt(event) {
		const y = event.clientY - this.box.getBoundingClientRect().top;
		const index = Math.floor((y - AXIS + this.box.scrollTop) / this.laneHeight());

		return y < AXIS || index >= this.lanes.count ? -1 : index;
	}

	rowAt(event) {
		const lane = this.laneAt(event);
		return lane < 0 ? -1 : this.lanes.lane(lane).at(this.timeAt(event));
	}

	wheel(event) {
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			this.zoom(Math.exp(Math.min(Math.max(event.deltaY, -200), 200) / 300), this.timeAt(event));
		} else if (event.deltaX || event.shiftKey) {
			event.preventDefault();
			this.pan((event.deltaX || event.deltaY) / this.box.clientWidth);
		}
	}

	down(event) {
		if (event.button || event.offsetX > this.box.clientWidth) // the bar that scrolls
			return;
		this.grip = { x: event.clientX, y: event.clientY, from: this.from, top: this.box.scrollTop, moved: false };
		if (event.shiftKey)
			this.band = [this.xOf(event), this.xOf(event)];
	}

	move(event) {
		const grip = this.grip;

		if (!grip || !event.buttons) {
			this.grip = null;
			this.showTip(event);
			return;
		}
		const dx = event.clientX - grip.x, dy = event.clientY - grip.y;
		if (!grip.moved && Math.hypot(dx, dy) < 4)
			return;
		if (!grip.moved)
			this.box.setPointerCapture(event.pointerId);
		grip.moved = true;
		this.tip.hidden = true;
		if (this.band) {
			this.band[1] = this.xOf(event);
			this.draw();
			return;
		}
		const span = this.to - this.from, from = grip.from - dx / this.painter.scale;
		this.box.scrollTop = grip.top - dy;
		this.show(from, from + span, true);
	}

	up(event) {
		const grip = this.grip, band = this.band;

		this.grip = this.band = null;
		if (!grip)
			return;
		if (band && Math.abs(band[1] - band[0]) > 3) {
			const times = band.map((x) => this.painter.time(x)).sort((a, b) => a - b);
			this.show(times[0], times[1]);
		} else if (!grip.moved) {
			this.press(event);
		} else {
			this.say();
		}
		this.draw();
	}

	press(event) {
		const lane = this.laneAt(event);

		if (lane >= 0 && this.lanes.press && this.lanes.press(lane, this.xOf(event)))
			return;
		shared.select(this.rowAt(event));
	}

	key(event) {
		const page = (this.box.clientHeight - AXIS) * 0.8;
		const works = {
			ArrowLeft: () => this.pan(-0.1), ArrowRight: () => this.pan(0.1),
			'+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2),
			Home: () => this.fit(), 0: () => this.fit(),
			ArrowUp: () => this.box.scrollTop -= this.laneHeight(), ArrowDown: () => this.box.scrollTop += this.laneHeight(),
			PageUp: () => this.box.scrollTop -= page, PageDown: () => this.box.scrollTop += page,
			n: () => this.next(1), N: () => this.next(-1), f: () => this.next(1, true), F: () => this.next(-1, true),
			Enter: () => this.zoomTo(shared.selected), Escape: () => shared.select(-1),
		};

		if (event.ctrlKey || event.altKey || event.metaKey || !works[event.key])
			return;
		event.preventDefault();
		works[event.key]();
	}

	// The next life in the order of birth, or the next one that failed.
	next(by, failures) {
		const lives = this.lives, n = lives.count;
		let row = shared.selected < 0 && by < 0 ? n : shared.selected;

		if (row < 0)
			for (row = 0; row < n && lives.begin[row] < this.from; row++)
				;
		else
			row += by;
		for (; row >= 0 && row < n; row += by)
			if (!lives.isIdle(row) && (!failures || lives.failedLives(row)) && (!shared.matches || shared.matches[row]))
				break;
		if (row >= 0 && row < n)
			shared.select(row);
		else
			announce(failures ? 'No more failures' : 'No more lives');
	}

	zoomTo(row) {
		if (row < 0)
			return;
		const from = this.lives.begin[row], to = Math.max(this.lives.lastSeen(row), this.lives.freed[row]);
		this.show(from - (to - from) * 0.1, to + (to - from) * 0.1);
	}

	showTip(event) {
		const row = this.rowAt(event), box = this.box.getBoundingClientRect(), lives = this.lives;

		this.tip.hidden = row < 0;
		this.box.style.cursor = row < 0 ? 'grab' : 'pointer';
		if (row < 0)
			return;
		const fold = lives.fold(row), line = lives.commandLine(row);
		byId('tip-name').textContent = (fold ? '×' + count(fold.count) + ' ' : '') + lives.who(row) + '  ' +
			[lives.lifeText(row), lives.cpuText(row) && lives.cpuText(row) + ' CPU', lives.endNote(row)].filter((x) => x).join(', ');
		byId('tip-line').textContent = line.length > 300 ? line.slice(0, 300) + '…' : line;
		const x = event.clientX - box.left;
		this.tip.style.left = Math.min(Math.max(x - 20, 0), Math.max(box.width - 420, 0)) + 'px';
		this.tip.style.top = event.clientY - box.top + this.box.offsetTop + 18 + 'px';
	}

	// For screen readers, once it has come to rest.
	say() {
		clearTimeout(this.sayLater);
		this.sayLater = setTimeout(() => announce('From ' + this.clock.moment(this.from, 3) + ', ' + time(this.to - this.from)), 500);
	}
}
