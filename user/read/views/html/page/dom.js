// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Elements, whose texts are never taken for markup; and the listeners to what is selected.
'use strict';

function byId(id) {
	return document.getElementById(id);
}

// make('td', { class: 'bad', title: 'x' }, 'text', element...)
function make(name, attributes, ...contents) {
	const element = document.createElement(name);

	for (const [key, value] of Object.entries(attributes || {}))
		if (value !== undefined && value !== null && value !== false)
			element.setAttribute(key, value);
	element.append(...contents.filter((each) => each !== null && each !== undefined));
	return element;
}

function on(element, type, listener, options) {
	element.addEventListener(type, listener, options);
}

// Something changed several times is shown once, with the next frame.
function once(work) {
	let waits = false;

	return () => {
		if (waits)
			return;
		waits = true;
		requestAnimationFrame(() => {
			waits = false;
			work();
		});
	};
}

// What all parts of the page agree on: the life that is selected, and those that are searched for.
const shared = {
	selected: -1,
	matches: null, // a Uint8Array by row, or null: nothing is searched for
	listeners: [],

	listen(listener) {
		this.listeners.push(listener);
	},

	tell(what) {
		for (const listener of this.listeners)
			listener(what);
	},

	select(row) {
		if (row === this.selected)
			return;
		this.selected = row;
		this.tell('selected');
	},
};

// Which of the titles sorts, and how.
function markSorted(titles, key, descending) {
	for (const title of titles)
		title.setAttribute('aria-sort', title.dataset.key !== key ? 'none' : descending ? 'descending' : 'ascending');
}

// For screen readers: what has changed elsewhere.
function announce(text) {
	byId('announcer').textContent = text;
}
