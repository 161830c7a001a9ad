// A page of thumbnails of one class: click the wrong ones, accept the rest.
import { html, useEffect, useRef, useState } from './dom.js';
import { keyOf } from './entries.js';
import { Picture } from './picture.js';
import { article } from './words.js';
import { percent } from './why.js';

export const SIZE = 24;
const NEXT = { yes: 'no', no: 'unsure', unsure: 'yes' };
const LIKELY = 0.5; // from this score on a label is taken to be there until somebody says otherwise

// How many tiles stand beside each other just now.
function columnsOf(node) {
  return node ? getComputedStyle(node).gridTemplateColumns.split(' ').length : 1;
}

export function Grid({ list, seat, setSeat, info, keys, onAnswer, register }) {
  const page = list.entries.slice(seat, seat + SIZE);
  // What was done on this page: `marks` has the answers that are not the usual ones, by key of the
  // entry. On another page nothing has been done yet.
  const pageKey = page.length > 0 ? keyOf(page[0]) : '';
  const [work, setWork] = useState({ pageKey: '', marks: {}, focus: 0 });
  const { marks, focus } = work.pageKey === pageKey ? work : { marks: {}, focus: 0 };
  const tiles = useRef(null);

  useEffect(() => {
    if (list.entries.length - seat < 2 * SIZE) list.more();
  });

  const usual = (entry) => (entry.state !== 'open' ? entry.state : entry.score >= LIKELY ? 'yes' : 'no');
  const answerOf = (entry) => marks[keyOf(entry)] || usual(entry);
  const mark = (i, answer) => {
    const entry = page[i];
    if (!entry) return;
    setWork({ pageKey, focus: i, marks: { ...marks, [keyOf(entry)]: answer || NEXT[answerOf(entry)] } });
  };
  const accept = () => {
    const changed = page.filter((entry) => entry.state === 'open' || answerOf(entry) !== entry.state);
    if (changed.length > 0) onAnswer(changed, answerOf);
    setSeat(seat + page.length);
  };
  const move = (step) => {
    const to = Math.max(0, Math.min(page.length - 1, focus + step));
    setWork({ pageKey, focus: to, marks });
    tiles.current?.children[to]?.focus();
  };

  register((action, event) => {
    if (action === 'yes' || action === 'no' || action === 'unsure') mark(focus, action);
    else if (event.key === 'Enter') accept();
    else if (event.key === ' ') mark(focus);
    else if (event.key === 'ArrowRight') move(1);
    else if (event.key === 'ArrowLeft') move(-1);
    else if (event.key === 'ArrowDown') move(columnsOf(tiles.current));
    else if (event.key === 'ArrowUp') move(-columnsOf(tiles.current));
    else return false;
    return true;
  });

  if (page.length === 0) {
    if (list.loading || list.next) return html`<p class="empty waits">Loading …</p>`;
    if (list.problem) return html`<p class="empty" role="alert">${list.problem}</p>`;
    return html`<div class="empty"><h2>Nothing left of this class.</h2><p>Choose another class above.</p></div>`;
  }
  const label = info.classes[page[0].label];
  const count = (answer) => page.filter((entry) => answerOf(entry) === answer).length;
  const summary = ['yes', 'no', 'unsure'].filter((answer) => count(answer) > 0).map((answer) => `${count(answer)} ${answer}`);
  return html`<section class="grid-view">
    <div class="grid-head">
      <h1 class="question" data-page=${pageKey}>Which of these show ${article(label)} <em>${label}</em>?</h1>
      <p class="note">Click what is marked wrong: <span class="chip yes">✓</span> <span class="chip no">no</span>
        <span class="chip unsure">unsure</span>. Below 50 % the mark is no until you change it.
        <span class="for-keys"> Arrows move, the space bar marks.</span></p>
    </div>
    <div class="tiles" ref=${tiles}>
      ${page.map(
        (entry, i) => html`<button key=${keyOf(entry)} class=${`tile ${answerOf(entry)}`} data-entry=${keyOf(entry)}
          tabindex=${i === focus ? 0 : -1} onClick=${() => mark(i)}>
          <${Picture} row=${entry.row} name=${entry.name} side=${320} hasImages=${info.images} />
          <span class="tile-score">${percent(entry.score)}</span>
          <span class="tile-mark">${answerOf(entry) === 'yes' ? html`<span aria-hidden="true">✓</span><span class="hidden-title">yes</span>` : answerOf(entry)}</span>
        </button>`,
      )}
    </div>
    <div class="controls grid-controls">
      <button class="move" aria-label="Page before" onClick=${() => setSeat(Math.max(0, seat - SIZE))}>←</button>
      <button class="accept" onClick=${accept}>
        Accept ${summary.join(', ')} <kbd>Enter</kbd></button>
      <button class="move" aria-label="Next page" onClick=${() => setSeat(seat + page.length)}>→</button>
    </div>
  </section>`;
}
