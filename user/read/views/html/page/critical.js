// SPDX-License-Identifier: GPL-2.0-only OR MIT
// What bounded the time it took: the longest steps of the chain, and which programs it is made of.
'use strict';

const LONGEST_STEPS = 20;

class Critical {
	constructor(lives, steps, clock) {
		this.lives = lives;
		this.facts = lives.facts.critical;
		this.steps = steps;
		this.clock = clock;
		const isEmpty = !this.facts || !steps.length;

		for (const element of [byId('critical-section'), byId('to-critical'), byId('with-critical')])
			element.hidden = isEmpty;
		if (isEmpty)
			return;
		this.whole = this.facts.to - this.facts.from;
		this.showSum();
		this.showSteps();
		byId('critical-method').textContent = 'Inferred: a fork or an exit waited for the child that ended last before it. Pipes, ' +
			'locks and job servers are not seen. Saves: how much earlier the end would come if the step took no time, at most.';
	}

	share(ns) {
		return (100 * ns / Math.max(this.whole, 1)).toFixed(1) + ' %';
	}

	nameOf(step) {
		return step.row < 0 ? '(not shown)' : this.lives.name(step.row);
	}

	showSum() {
		const programs = new Map(), by = [0, 0, 0], facts = this.facts;

		for (const step of this.steps) {
			const name = this.nameOf(step);
			programs.set(name, (programs.get(name) || 0) + step.to - step.from);
			by[step.by] += step.to - step.from;
		}
		const shares = [...programs].sort((a, b) => b[1] - a[1]);
		const texts = [time(this.whole) + ' in ' + plural(this.steps.length, 'step', 'steps') + ', from ' +
			       this.clock.moment(facts.from, 3) + ' to ' + this.clock.moment(facts.to, 3) + (facts.open ? ', when it had not ended' : '') + '.',
			       'By program: ' + shares.slice(0, 6).map(([name, ns]) => name + ' ' + this.share(ns)).join(', ') +
			       (shares.length > 6 ? ', ' + plural(shares.length - 6, 'other', 'others') : '') + '.'];
		if (by[1])
			texts.push(this.share(by[1]) + ' while as many children lived as ever, up to ' + facts.slots + ', as with -j' + facts.slots + '.');
		if (by[2])
			texts.push(this.share(by[2]) + ' while all ' + facts.cpus + ' CPUs were busy, by an estimate: then the order hardly matters.');
		if (facts.incomplete)
			texts.push(plural(facts.incomplete, 'life', 'lives') + ' of the ' + count(facts.lives) + ' looked at are incomplete.');
		byId('critical-sum').append(...texts.map((text) => make('li', {}, text)));
	}

	showSteps() {
		const longest = this.steps.slice().sort((a, b) => (b.to - b.from) - (a.to - a.from) || a.from - b.from).slice(0, LONGEST_STEPS);
		const rest = this.steps.length - longest.length;

		longest.sort((a, b) => a.from - b.from);
		byId('critical-body').append(...longest.map((step) => this.row(step)));
		byId('critical-rest').textContent = rest ? 'The longest ' + longest.length + ' of them; ' + plural(rest, 'other takes ', 'others take ') +
			time(this.whole - longest.reduce((sum, step) => sum + step.to - step.from, 0)) + '. The timeline has all.' : '';
	}

	row(step) {
		const lives = this.lives, cells = [time(step.from - this.facts.from), time(step.to - step.from), this.share(step.to - step.from),
						   time(step.saves), ['', 'slots', 'CPUs'][step.by]];
		const button = make('button', { type: 'button', class: 'link' }, step.row < 0 ? this.nameOf(step) : lives.who(step.row));

		on(button, 'click', () => {
			shared.select(step.row);
			page.timeline.show(step.from - (step.to - step.from), step.to + (step.to - step.from));
		});
		return make('tr', {}, ...cells.map((text) => make('td', {}, text)), make('td', { class: 'text' }, button, ' ',
			make('span', { class: 'dim' }, step.row < 0 ? '' : lives.words.best(step.row).slice(0, 200))));
	}
}
