// SPDX-License-Identifier: GPL-2.0-only OR MIT
// All that is known of the life that is selected.
'use strict';

class Detail {
	constructor(lives, clock) {
		this.lives = lives;
		this.clock = clock;
		this.box = byId('detail');
		on(byId('detail-close'), 'click', () => shared.select(-1));
		shared.listen((what) => what === 'selected' && this.show());
	}

	add(name, ...contents) {
		byId('detail-facts').append(make('div', {}, make('dt', {}, name), make('dd', {}, ...contents)));
	}

	// A button that leads to another life.
	link(row) {
		const button = make('button', { type: 'button', class: 'link' },
				    this.lives.who(row));

		on(button, 'click', () => shared.select(row));
		return button;
	}

	show() {
		const row = shared.selected, lives = this.lives;

		this.box.hidden = row < 0;
		if (row < 0)
			return;
		byId('detail-facts').replaceChildren();
		byId('detail-name').textContent = lives.who(row);
		byId('detail-command').textContent = lives.commandLine(row);
		this.showFold(row);
		this.add(lives.is(row, ended) ? 'Ended' : 'At the end', make('span', { class: lives.is(row, failed) ? 'bad' : null },
				       [lives.endText(row), lives.remains(row)].filter((x) => x).join(', ')));
		this.showKin(row);
		this.add('Began', (lives.is(row, older) ? 'before the trace; seen ' : '') + this.clock.moment(lives.begin[row], 6));
		if (lives.lifeText(row))
			this.add('Life', lives.lifeText(row));
		this.showPhases(row);
		if (lives.cpuText(row))
			this.add('CPU', time(lives.runtime[row]));
		if (lives.rss[row])
			this.add('Largest RSS', size(lives.rss[row]));
		if (lives.threads[row] > 1)
			this.add('Threads', count(lives.threads[row]));
		if (lives.execs[row] > 1)
			this.add('Execs', count(lives.execs[row]));
		if (lives.exited[row] >= 0)
			this.add('Exited on CPU', String(lives.exitCpu[row]));
		if (lives.path[row])
			this.add('Path', lives.strings[lives.path[row]]);
		if (lives.user[row])
			this.add('User', lives.strings[lives.user[row]]);
		if (lives.cgroup[row])
			this.add('Cgroup', lives.strings[lives.cgroup[row]]);
		if (lives.is(row, incomplete))
			this.add('Incomplete', make('span', { class: 'bad' }, 'records that are missing can belong to it'));
		announce(['Selected: ' + byId('detail-name').textContent, lives.endText(row),
			  lives.lifeText(row) && 'lived ' + lives.lifeText(row)].filter((x) => x).join(', '));
	}

	showFold(row) {
		const fold = this.lives.fold(row);

		if (fold)
			this.add('Stands for', plural(fold.count, 'life', 'lives') + ', of which this is the longest; ' +
				 (fold.failed ? count(fold.failed) + ' failed; ' : '') + time(fold.runtime) + ' CPU');
	}

	showKin(row) {
		const lives = this.lives, parent = lives.parent[row];

		if (parent >= 0)
			this.add('Parent', this.link(parent));
		else if (lives.parentPid[row])
			this.add('Parent', 'pid ' + lives.parentPid[row]);
		if (lives.creator[row])
			this.add('Forked by', 'pid ' + lives.creator[row]);
		if (lives.reaper[row])
			this.add('Reaped by', 'pid ' + lives.reaper[row]);
		if (lives.below[row])
			this.add('Below it', plural(lives.below[row], 'life', 'lives') +
				 (lives.failedBelow[row] ? ', ' + count(lives.failedBelow[row]) + ' failed' : '') + ', ' +
				 time(lives.cpuBelow[row]) + ' CPU');
	}

	showPhases(row) {
		const { exited, mapped } = this.lives;
		const add = (title, name, more) => {
			const text = this.lives.phaseText(name, row);

			if (text)
				this.add(title, text + more);
		};

		if (exited[row] >= 0)
			this.add('Exited', this.clock.moment(exited[row], 6));
		add('Kill to exit', 'kill', '');
		add('Teardown', 'teardown', '');
		add('Memory held', 'held', '');
		add('Unmap', 'unmap', mapped[row] ? ', ' + size(mapped[row]) : '');
		add('Held by its tracer', 'traced', '');
		add('Zombie', 'zombie', '');
		add('Reap to free', 'rcu_free', '');
	}
}
