// SPDX-License-Identifier: GPL-2.0-only OR MIT
// How many processes lived over the whole time, and how many CPUs were busy; and what the timeline shows of it.
'use strict';

class Overview {
	constructor(timeline, facts, clock) {
		this.timeline = timeline;
		this.facts = facts;
		this.canvas = byId('overview');
		this.context = this.canvas.getContext('2d');
		timeline.listeners.push(() => this.draw());
		on(this.canvas, 'pointerdown', (event) => {
			this.canvas.setPointerCapture(event.pointerId);
			this.center(event);
		});
		on(this.canvas, 'pointermove', (event) => event.buttons && this.center(event));
		if (facts.overtime)
			byId('overtime').textContent = this.words('lived', 'lived', clock) + '; ' + this.words('busy', 'CPUs busy', clock) +
				' (an estimate: the CPU time of a life counts as spread evenly over it)';
	}

	words(name, what, clock) {
		const { from, to, [name]: values } = this.facts.overtime, most = Math.max(...values);
		const sum = values.reduce((so, value, i) => so + value * (this.end(i) - this.begin(i)), 0);

		return what + ': mean ' + figure(sum / (to - from) / 1000) + ', most ' + figure(most / 1000) + ' at ' +
			clock.moment(this.begin(values.indexOf(most)), 0);
	}

	begin(slice) {
		return this.facts.overtime.from + slice * this.facts.overtime.slice;
	}

	end(slice) {
		return Math.min(this.begin(slice + 1), this.facts.overtime.to);
	}

	span() {
		return [this.timeline.least, this.timeline.most];
	}

	center(event) {
		const [from, to] = this.span(), part = event.offsetX / this.canvas.clientWidth;
		const half = (this.timeline.to - this.timeline.from) / 2, middle = from + part * (to - from);

		this.timeline.show(middle - half, middle + half);
	}

	draw() {
		const width = this.canvas.clientWidth, height = this.canvas.clientHeight, ratio = window.devicePixelRatio || 1;
		const [from, to] = this.span(), context = this.context, colors = this.timeline.painter.colors;
		const x = (ts) => (ts - from) / (to - from) * width;

		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.fillStyle = colors.panel;
		context.fillRect(0, 0, width, height);
		if (this.facts.overtime) {
			this.area(this.facts.overtime.lived, colors.wait, x, height);
			this.area(this.facts.overtime.busy, colors.life, x, height);
		}
		const left = x(this.timeline.from), right = Math.max(x(this.timeline.to), left + 2);
		context.fillStyle = colors.link;
		context.globalAlpha = 0.18;
		context.fillRect(left, 0, right - left, height);
		context.globalAlpha = 1;
		context.strokeStyle = colors.link;
		context.strokeRect(left + 0.5, 0.5, right - left - 1, height - 1);
	}

	area(values, color, x, height) {
		const highest = Math.max(...this.facts.overtime.lived, 1), context = this.context;

		context.fillStyle = color;
		for (let i = 0; i < values.length; i++) {
			const left = x(this.begin(i)), right = x(this.end(i)), tall = values[i] / highest * (height - 4);
			context.fillRect(left, height - tall, Math.max(right - left, 1), tall);
		}
	}
}
