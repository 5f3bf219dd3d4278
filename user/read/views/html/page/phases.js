// SPDX-License-Identifier: GPL-2.0-only OR MIT
// How long the phases take: the table of percentiles, and a histogram of each, in quarters of powers of two.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const BARS = [320, 90]; // width and height

function draw(name, attributes, text) {
	const element = document.createElementNS(SVG, name);

	for (const [key, value] of Object.entries(attributes))
		element.setAttribute(key, value);
	if (text !== undefined)
		element.textContent = text;
	return element;
}

class Phases {
	constructor(facts) {
		this.columns = [['count', 'Count'], ['min', 'Min'], ['mean', 'Mean'], ['p50', 'p50'], ['p90', 'p90'], ['p99', 'p99'],
				['p99.9', 'p99.9'], ['max', 'Max']];
		byId('phases-head').append(make('th', { scope: 'col', class: 'text' }, 'Phase'),
					   ...this.columns.map(([, title]) => make('th', { scope: 'col' }, title)));
		for (const phase of facts.phases) {
			byId('phases-body').append(this.row(phase));
			if (phase.count)
				byId('histograms').append(this.histogram(phase));
		}
		byId('phases-method').textContent = 'Exits begin ' + facts.exit_mark + '.' +
			(facts.has_reap ? '' : ' ' + NO_REAPS) +
			' A percentile is at most 1/128 above the true value, and is left out where there are too few lives for it.';
	}

	row(phase) {
		const name = make('th', { scope: 'row' }, phase.name, make('span', { class: 'dim' }, ' ' + phase.from + '→' + phase.to));

		return make('tr', {}, name, ...this.columns.map(([key]) => {
			const value = phase[key];
			return make('td', {}, value === undefined || value === null ? '' : key === 'count' ? count(value) : time(value));
		}));
	}

	// A bar reaches up to the next one's lower border, which is a quarter of a power of two further.
	end(from) {
		return from < 4 ? from + 1 : from + 2 ** (Math.floor(Math.log2(from)) - 2);
	}

	histogram(phase) {
		const [width, height] = BARS, bars = phase.bars, highest = Math.max(...bars.map(([, n]) => n));
		const low = Math.log2(Math.max(bars[0][0], 1)), high = Math.log2(Math.max(this.end(bars[bars.length - 1][0]), 2));
		const x = (ns) => (Math.log2(Math.max(ns, 1)) - low) / Math.max(high - low, 0.25) * width;
		const picture = draw('svg', { viewBox: `0 -4 ${width} ${height + 22}`, role: 'img', 'aria-label':
			phase.name + ': ' + count(phase.count) + ' from ' + time(phase.min) + ' to ' + time(phase.max) +
			(phase.p50 ? ', half of them up to ' + time(phase.p50) : '') });

		for (const [from, n] of bars) {
			const left = x(from), tall = Math.max(n / highest * height, 1);
			const bar = draw('rect', { class: 'bar-of', x: left, y: height - tall, height: tall,
						   width: Math.max(x(this.end(from)) - left - 0.5, 1) });
			bar.append(draw('title', {}, count(n) + ' from ' + time(from) + ' up to ' + time(this.end(from))));
			picture.append(bar);
		}
		this.scale(picture, x, low, high);
		return make('figure', {}, make('figcaption', {}, make('b', {}, phase.name), ' ' + phase.from + '→' + phase.to +
					       ', ' + plural(phase.count, 'life', 'lives') + ', at most ' + count(highest) + ' a bar'), picture);
	}

	// At powers of ten, or if there are fewer than two of these, at both ends.
	scale(picture, x, low, high) {
		const [width, height] = BARS, marks = [];

		for (let power = 0; power < 20; power++)
			if (Math.log2(10 ** power) >= low && Math.log2(10 ** power) <= high)
				marks.push(10 ** power);
		const shown = marks.length < 2 ? [2 ** low, 2 ** high] : marks;
		for (const ns of shown) {
			const at = x(ns), anchor = at < 20 ? 'start' : at > width - 20 ? 'end' : 'middle';
			picture.append(draw('line', { class: 'axis', x1: at, x2: at, y1: height, y2: height + 4 }),
				       draw('text', { class: 'axis-text', x: at, y: height + 15, 'text-anchor': anchor },
					    time(ns).replace(/\.0+ /, ' ')));
		}
		picture.append(draw('line', { class: 'axis', x1: 0, x2: width, y1: height, y2: height }));
	}
}
