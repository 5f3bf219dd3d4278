// SPDX-License-Identifier: GPL-2.0-only OR MIT
// What it is about, how it went, what was lost, and how the page was made.
'use strict';

const NO_REAPS = 'Reaps were not recorded: zombie and rcu_free cannot be distinguished.';

function sumText(facts) {
	const parts = [plural(facts.ended, 'process ended', 'processes ended')];
	const wall = facts.to - facts.from;

	if (facts.failed)
		parts.push([count(facts.failed) + ' failed', 'bad']);
	if (facts.open > facts.unsure)
		parts.push(count(facts.open - facts.unsure) + ' did not end');
	if (facts.unsure)
		parts.push(['the end of ' + count(facts.unsure) + ' is not certain', 'bad']);
	parts.push(time(wall) + ' wall', time(facts.runtime) + ' CPU' +
		   (wall ? ' (' + (facts.runtime / wall).toFixed(2) + ' CPUs)' : ''));
	parts.push(facts.lost ? [plural(facts.lost, 'record', 'records') + ' lost', 'bad'] : 'no loss');
	return parts;
}

function showSums(facts) {
	const line = byId('sums');

	for (const [i, part] of sumText(facts).entries()) {
		line.append(i ? ', ' : '');
		line.append(Array.isArray(part) ? make('strong', { class: part[1] }, part[0]) : part);
	}
}

function lossTexts(facts, clock) {
	const texts = [], lossy = facts.gaps.filter(([lost]) => lost);

	if (facts.lost)
		texts.push(plural(facts.lost, 'record was', 'records were') + ' lost: what they recorded is missing here, ' +
			   'and lives that this touches are marked incomplete.');
	for (const [lost, from, to, cpu] of lossy.slice(0, 20))
		texts.push(count(lost) + (cpu === -2 ? ', as a part is missing,' : cpu < 0 ? ' of the snapshot' :
			   ' on CPU ' + cpu) + ' between ' + clock.moment(from, 6) + ' and ' + clock.moment(to, 6));
	if (lossy.length + facts.more_gaps > 20)
		texts.push('and at ' + plural(lossy.length + facts.more_gaps - 20, 'more place', 'more places'));
	if (facts.stopped)
		texts.push('Recording was stopped' + (facts.stopped.times > 1 ? ' ' + count(facts.stopped.times) +
			   ' times, the last time' : '') + ' from ' + (facts.stopped.from === null ? 'before this begins' :
			   clock.moment(facts.stopped.from, 6)) + ' to ' + (facts.stopped.to === null ? 'the end' :
			   clock.moment(facts.stopped.to, 6)) + ': what happened meanwhile is not known.');
	for (const damage of facts.damage)
		texts.push('damaged: ' + damage.stream + ': ' + damage.what + '; lost: ' +
			   (damage.estimated ? 'about ' : '') + count(damage.lost));
	if (facts.complete === false)
		texts.push('The recording was cut off, or is still running: its end is missing.');
	if (facts.whole !== undefined)
		texts.push('Older parts of the recording were removed: from before ' + clock.moment(facts.whole, 3) +
			   ' there are only lives that were open then.');
	if (facts.slice)
		texts.push('The recording is a slice of another one: a process that waited for one that was left out seems to have worked itself.');
	for (const [what, n] of Object.entries(facts.suppressed))
		if (n)
			texts.push(count(n) + ' ' + what + ' records were suppressed by the module’s budget');
	if (facts.has_reap === false)
		texts.push(NO_REAPS);
	return texts;
}

function showLoss(facts, clock) {
	const texts = lossTexts(facts, clock), section = byId('lost');

	section.append(...(texts.length ? [make('ul', {}, ...texts.map((text) => make('li', {}, text)))] :
			  [make('p', {}, 'Nothing: no record was lost, and none was suppressed.')]));
	if (facts.lost || facts.damage.length) {
		byId('loss').hidden = false;
		byId('loss-text').textContent = texts[0] + ' ';
	}
}

function showMaking(facts, clock) {
	const list = byId('making');
	const add = (name, text) => text && list.append(make('dt', {}, name), make('dd', {}, text));

	add('Command', facts.command);
	add('Machine', [facts.host, facts.kernel && 'Linux ' + facts.kernel].filter((x) => x).join(', '));
	add('Time', ((clock.isDated ? '' : clock.date(facts.from) + ' ') + clock.moment(facts.from, 3) + ' – ' + clock.moment(facts.to, 3) + ', ' +
		     clock.zone()).trim());
	add('Module', facts.module && 'proclife ' + facts.module);
	add('By BPF', facts.bpf && 'programs of proclife-read ' + facts.bpf);
	add('Exits begin', facts.exit_mark);
	add('RCU', facts.rcu);
	add('Page made by', facts.call + ' (version ' + facts.version + ')');
	add('Arguments', facts.args_hidden ? 'left out, by --hide-args' : '');
	if (facts.folded)
		add('Folded', plural(facts.folded, 'life has', 'lives have') + ' no row of its own: the longest lives, and those ' +
		    'that failed, do; of the others, siblings of one program are one row. All are in the sums.');
}

// How the command that was followed ended.
function showEnd(lives) {
	const row = lives.facts.command_row;

	if (row === undefined)
		return;
	byId('sums').prepend(make('strong', { class: lives.is(row, failed) ? 'bad' : null }, lives.endText(row)), '; ');
}

function showHeader(lives, clock) {
	const facts = lives.facts;

	const title = facts.command || (facts.host ? 'All processes of ' + facts.host : 'All processes');

	byId('title').textContent = title;
	document.title = title.slice(0, 80) + ' – proclife';
	byId('when').textContent = [clock.isDated ? '' : clock.date(facts.from),
				    clock.moment(facts.from, 0) + ' – ' + clock.moment(facts.to, 0), clock.zone(),
				    facts.command ? facts.host : '', facts.kernel ? 'Linux ' + facts.kernel : '']
		.filter((x) => x).join(' · ');
	showSums(facts);
	showEnd(lives);
	showLoss(facts, clock);
	showMaking(facts, clock);
}
