// SPDX-License-Identifier: GPL-2.0-only OR MIT
// How lives look on the timeline. What is narrower than two pixels is drawn together with its neighbours.
'use strict';

const LABEL = 34; // pixels: a life that is as wide has its name on it
const LETTER = 6.7;
const NARROW = 2;

class Painter {
	constructor(canvas, lives) {
		this.canvas = canvas;
		this.context = canvas.getContext('2d', { alpha: false });
		this.lives = lives;
		this.waits = new Map();
		this.readColors();
		on(matchMedia('(prefers-color-scheme: dark)'), 'change', () => this.readColors());
		for (const [type, isPaper] of [['beforeprint', true], ['afterprint', false]])
			on(window, type, () => {
				document.documentElement.classList.toggle('paper', isPaper);
				this.readColors();
			});
	}

	readColors() {
		const style = getComputedStyle(document.documentElement);

		this.colors = {};
		for (const name of ['back', 'panel', 'ink', 'dim', 'line', 'bad', 'life', 'wait', 'teardown', 'traced', 'zombie', 'rcu', 'kill',
				    'critical', 'faint', 'link', 'failed'])
			this.colors[name] = style.getPropertyValue('--' + name).trim();
		this.hatching = null;
	}

	// Begins a picture of this size, of these times.
	begin(width, height, from, to, left) {
		const ratio = window.devicePixelRatio || 1, context = this.context;

		if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
			this.canvas.width = Math.round(width * ratio);
			this.canvas.height = Math.round(height * ratio);
		}
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.fillStyle = this.colors.back;
		context.fillRect(0, 0, width, height);
		context.font = '11px ui-monospace, monospace';
		context.textBaseline = 'middle';
		Object.assign(this, { width, height, from, to, left });
		this.scale = (width - left) / (to - from);
	}

	x(ts) {
		return this.left + (ts - this.from) * this.scale;
	}

	time(x) {
		return this.from + (x - this.left) / this.scale;
	}

	// From one time to another, as far as that is in the picture; returns false if nothing is.
	rect(color, from, to, y, height, least) {
		const x = Math.max(this.x(from), this.left), end = Math.min(this.x(to), this.width);

		if (end < this.left || x > this.width || end - x < (least || 0))
			return false;
		// Whole pixels take a fraction of the time.
		const left = Math.round(x), top = Math.round(y);
		this.context.fillStyle = color;
		this.context.fillRect(left, top, Math.max(Math.round(end) - left, 1), Math.max(Math.round(y + height) - top, 1));
		return true;
	}

	hatch() {
		if (!this.hatching) {
			const tile = make('canvas', { width: 8, height: 8 }), context = tile.getContext('2d');
			context.strokeStyle = this.colors.bad;
			context.globalAlpha = 0.55;
			for (const at of [-4, 4, 12]) {
				context.moveTo(at - 5, 9);
				context.lineTo(at + 5, -1);
			}
			context.stroke();
			this.hatching = this.context.createPattern(tile, 'repeat');
		}
		return this.hatching;
	}

	// When its children lived, as times that do not overlap.
	waitsOf(row) {
		const lives = this.lives;
		let waits = this.waits.get(row);

		if (waits)
			return waits;
		waits = [];
		for (const child of byBirth(lives, lives.children(row))) {
			const from = lives.begin[child], to = Math.min(lives.slotEnds[child], lives.lastSeen(row));
			const last = waits[waits.length - 1];
			if (last && from <= last[1])
				last[1] = Math.max(last[1], to);
			else if (to > from)
				waits.push([from, to]);
		}
		this.waits.set(row, waits);
		return waits;
	}

	isFaint(row) {
		return shared.matches !== null && !shared.matches[row];
	}

	colorOf(row) {
		if (this.lives.failedLives(row) > 0)
			return this.colors.failed;
		return this.isFaint(row) ? this.colors.faint : this.colors.life;
	}

	lane(lane, y, height) {
		const lives = this.lives, rows = lane.rows, failures = lane.failures();
		const matching = shared.matches ? lane.matching() : null;
		let run = null;
		const flush = () => {
			if (run) {
				this.context.fillStyle = run.color;
				this.context.fillRect(run.x, Math.round(y), run.end - run.x, height);
			}
			run = null;
		};

		for (let i = lane.first(this.from); i < rows.length;) {
			const row = rows[i], begin = lives.begin[row], x = this.x(begin);

			if (x > this.width && !lives.fold(row))
				break;
			if (lives.fold(row)) {
				flush();
				this.fold(row, y, height);
				i++;
				continue;
			}
			if ((lives.slotEnds[row] - begin) * this.scale >= NARROW) {
				flush();
				this.life(row, y, height);
				i++;
				continue;
			}
			// All that begin within this pixel.
			const pixel = Math.floor(x), next = Math.max(lane.from(this.time(pixel + 1)), i + 1);
			let color = this.colors.life;
			if (matching && matching[next] === matching[i])
				color = this.colors.faint;
			if (failures[next] > failures[i])
				color = this.colors.bad;
			if (run && (run.color !== color || pixel > run.end))
				flush();
			if (!run)
				run = { x: Math.max(pixel, this.left), end: pixel, color };
			run.end = Math.max(pixel + 1, Math.round(this.x(lives.slotEnds[rows[next - 1]])));
			i = next;
		}
		flush();
	}

	life(row, y, height) {
		const lives = this.lives, colors = this.colors, end = lives.lastSeen(row), wide = (end - lives.begin[row]) * this.scale;
		const { exited, livedTo, traced, notified, reaped, freed, killed } = lives;

		this.rect(this.colorOf(row), lives.begin[row], end, y, height);
		if (wide > 3 && lives.firstChild[row] >= 0)
			this.waiting(row, y, height);
		if (lives.is(row, failed) && wide >= 1)
			this.rect(colors.bad, lives.begin[row], end, y + height - 3, 3);
		if (killed[row] >= 0 && exited[row] > killed[row])
			this.rect(colors.kill, killed[row], exited[row], y + height * 0.6, height * 0.4, 0.5);
		let at = livedTo[row];
		const announced = traced[row] >= 0 ? traced[row] : notified[row];
		if (at >= 0 && announced >= at) {
			if (exited[row] >= 0 && !lives.is(row, tracerLost))
				this.rect(colors.teardown, at, announced, y, height, 0.5);
			at = announced;
		}
		if (at >= 0 && traced[row] >= 0 && notified[row] >= at) {
			this.rect(colors.traced, at, notified[row], y, height, 0.5);
			at = notified[row];
		}
		if (lives.is(row, notifiedLost)) {
			at = reaped[row];
		} else if (at >= 0 && reaped[row] >= at) {
			this.rect(colors.zombie, at, reaped[row], y, height, 0.5);
			at = reaped[row];
		} else if (at >= 0 && lives.state[row] === DYING) {
			this.rect(colors.teardown, at, lives.traceEnd, y, height, 0.5);
		} else if (at >= 0 && lives.state[row] === ZOMBIE) {
			this.rect(lives.openPhase('traced', row) >= 0 ? colors.traced : colors.zombie, at, lives.traceEnd, y, height, 0.5);
		}
		if (at >= 0 && freed[row] >= at)
			this.rect(colors.rcu, at, freed[row], y + height * 0.7, height * 0.3, 0.5);
		if (row === shared.selected)
			this.outline(lives.begin[row], Math.max(end, freed[row]), y, height);
		if (wide > LABEL && height >= 9)
			this.label(row, lives.begin[row], end, y, height);
	}

	// Paler where a child lives: mostly, it waits for that.
	waiting(row, y, height) {
		for (const [from, to] of this.waitsOf(row))
			if (to >= this.from && from <= this.to)
				this.rect(this.colors.wait, from, to, y + height * 0.2, height * 0.6, 0.5);
	}

	outline(from, to, y, height) {
		const x = Math.max(this.x(from), this.left - 2), end = Math.min(this.x(to), this.width + 2);

		this.context.strokeStyle = this.colors.ink;
		this.context.lineWidth = 2;
		this.context.strokeRect(x - 1, y, Math.max(end - x, 2) + 2, height);
	}

	label(row, from, to, y, height) {
		const x = Math.max(this.x(from), this.left) + 3, room = Math.min(this.x(to), this.width) - x - 2;
		const letters = Math.floor(room / LETTER);

		if (letters < 3)
			return;
		let text = this.lives.name(row);
		if (text.length + 4 < letters)
			text += ' ' + this.lives.words.best(row);
		this.context.fillStyle = this.colors.ink;
		this.context.fillText(cut(text, letters), x, y + height / 2 + 0.5);
	}

	// Several, from the birth of the first to the end of the last.
	fold(row, y, height) {
		const fold = this.lives.fold(row);

		if (!this.rect(this.isFaint(row) ? this.colors.faint : this.colors.wait, fold.first, fold.last, y + height * 0.15, height * 0.7))
			return;
		this.rect(this.colorOf(row), this.lives.begin[row], this.lives.lastSeen(row), y + height * 0.3, height * 0.4, 0.5);
		if (row === shared.selected)
			this.outline(fold.first, fold.last, y, height);
		const room = Math.floor((Math.min(this.x(fold.last), this.width) - Math.max(this.x(fold.first), this.left) - 6) / LETTER);
		const text = '×' + count(fold.count) + ' ' + this.lives.name(row);
		this.context.fillStyle = this.colors.ink;
		if (room > text.length && height >= 9)
			this.context.fillText(text, Math.max(this.x(fold.first), this.left) + 3, y + height / 2 + 0.5);
	}

	// Times at which there are lines, and how many decimals distinguish them.
	ticks(clock) {
		const wanted = (this.to - this.from) / Math.max((this.width - this.left) / (clock.isDated ? 200 : 130), 2);
		let step = 10 ** Math.ceil(Math.log10(Math.max(wanted, 1)));

		if (wanted > 30e9)
			step = [60e9, 120e9, 300e9, 600e9, 1800e9, 3600e9, 7200e9, 21600e9, 43200e9, 86400e9].find((each) => each >= wanted) ||
				Math.ceil(wanted / 86400e9) * 86400e9;
		else if (wanted > 10e9)
			step = wanted > 20e9 ? 30e9 : wanted > 15e9 ? 20e9 : 15e9;
		else if (step / 5 >= wanted)
			step /= 5;
		else if (step / 2 >= wanted)
			step /= 2;
		return { step, decimals: Math.min(Math.max(Math.ceil(9 - Math.log10(step) - 1e-9), 0), 9) };
	}

	axis(clock, height) {
		const { step, decimals } = this.ticks(clock), context = this.context, offset = clock.since(0, step);
		let day = '';

		for (let k = Math.ceil((this.from + offset) / step); ; k++) {
			const ts = k * step - offset, x = Math.round(this.x(ts)) + 0.5;
			if (x > this.width)
				break;
			const isNew = clock.isDated && clock.date(ts) !== day;
			day = clock.date(ts);
			context.fillStyle = this.colors.line;
			context.fillRect(x, 0, 1, this.height);
			context.fillStyle = this.colors.dim;
			context.fillText(isNew ? clock.moment(ts, decimals) : clock.time(ts, decimals), x + 4, height / 2);
		}
	}

	// What was lost, on any CPU.
	gaps(gaps, y) {
		for (const [lost, from, to] of gaps)
			if (lost)
				this.rect(this.hatch(), from, to, y, this.height - y);
	}

	/*
	 * The chain: along the life that is its step, then to the life of the next step; where steps are narrow, only
	 * along the lanes. `place` gives the number of a row's lane, or -1, and `height` where that has it; lanes
	 * from @first up to @last are in sight.
	 */
	critical(steps, first, last, place, height) {
		const wide = new Path2D(), columns = Math.ceil(this.width) + 1;
		const narrow = new Uint8Array(columns * (last - first));
		let low = 0, high = steps.length, x = NaN;

		while (low < high) {
			const between = (low + high) >> 1;
			if (steps[between].to < this.from)
				low = between + 1;
			else
				high = between;
		}
		for (let i = low; i < steps.length && steps[i].from <= this.to; i++) {
			const begin = Math.max(this.x(steps[i].from), this.left), end = Math.min(this.x(steps[i].to), this.width);
			const lane = place(steps[i].row);

			if (lane >= 0 && end - begin < 3) {
				if (lane >= first && lane < last)
					narrow[(lane - first) * columns + Math.floor(begin)] = 1;
			} else if (lane >= 0) {
				const at = height(lane);
				if (begin - x < 3)
					wide.lineTo(begin, at);
				else
					wide.moveTo(begin, at);
				wide.lineTo(end, at);
				x = end;
			}
		}
		this.strokeCritical(wide);
		this.context.fillStyle = this.colors.critical;
		for (let lane = first; lane < last; lane++)
			for (let i = 0; i < columns; i++) {
				const from = i;
				while (narrow[(lane - first) * columns + i])
					i++;
				if (i > from)
					this.context.fillRect(from, height(lane) - 1, i - from, 2);
			}
	}

	strokeCritical(path) {
		const context = this.context;

		context.lineJoin = 'round';
		context.strokeStyle = this.colors.back;
		context.lineWidth = 4;
		context.stroke(path);
		context.strokeStyle = this.colors.critical;
		context.lineWidth = 2;
		context.stroke(path);
	}
}
