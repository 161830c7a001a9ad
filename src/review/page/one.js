// One image, one question.
import { html, useEffect, useState } from './dom.js';
import { useImage } from './images.js';
import { keyOf } from './entries.js';
import { Picture } from './picture.js';
import { Why } from './why.js';
import { article } from './words.js';

export const AHEAD = 3; // images that are loaded before their question comes
const MORE_WHEN_LEFT = 24;

function Buttons({ entry, keys, onAnswer }) {
  const button = (answer, text) => html`<button class=${`answer ${answer}`}
    aria-pressed=${entry.state === answer} onClick=${() => onAnswer(answer)}>
    ${text} <kbd>${keys[answer]}</kbd></button>`;
  return html`<div class="answers">${button('yes', 'Yes')}${button('no', 'No')}${button('unsure', 'Unsure')}</div>`;
}

function Zoom({ entry, onClose }) {
  const url = useImage(entry.row, 0);
  return html`<div class="zoom" role="dialog" aria-modal="true" aria-label="Zoom" onClick=${onClose}>
    ${url ? html`<img src=${url} alt=${entry.name} />` : html`<p>${url === null ? 'This image cannot be shown.' : 'Loading …'}</p>`}</div>`;
}

// `onAnswer(entries, answer)` sends; `seat` is the position in the list, owned by the caller so that
// undo can move it.
export function One({ list, seat, setSeat, info, keys, onAnswer, register, isSample }) {
  const [zoomed, setZoomed] = useState(false);
  const place = Math.min(seat, list.entries.length);
  const entry = list.entries[place];

  useEffect(() => {
    if (list.entries.length - place < MORE_WHEN_LEFT) list.more();
  });

  const answer = (value) => {
    if (!entry) return;
    setZoomed(false);
    onAnswer([entry], value);
    // On to the next one that waits for an answer; in a list of answered ones, just to the next.
    const later = list.entries.slice(place + 1);
    const step = later.findIndex((other) => other.state === 'open');
    setSeat(entry.state !== 'open' || step < 0 ? place + 1 : place + 1 + step);
  };

  register((action, event) => {
    if (action === 'yes' || action === 'no' || action === 'unsure') answer(action);
    else if (action === 'zoom' && entry && info.images) setZoomed(!zoomed);
    else if (event.key === 'Escape') setZoomed(false);
    else if (event.key === 'ArrowRight') setSeat(Math.min(place + 1, list.entries.length));
    else if (event.key === 'ArrowLeft') setSeat(Math.max(place - 1, 0));
    else return false;
    return true;
  });

  if (!entry) {
    if (list.loading || list.next) return html`<p class="empty waits">Loading …</p>`;
    if (list.problem) return html`<p class="empty" role="alert">${list.problem}</p>`;
    return html`<div class="empty"><h2>${list.entries.length > 0 ? 'That was the last one.' : 'Nothing here.'}</h2>
      <p>${isSample ? 'Every entry of the sample has been shown.' : 'Change the filters, draw a random sample, or retrain for new suggestions.'}</p></div>`;
  }
  const label = info.classes[entry.label];
  const ahead = list.entries.slice(place, place + 1 + AHEAD);
  return html`<section class="one">
    <div class="stage">
      <h1 class="question" aria-live="polite" data-entry=${keyOf(entry)} data-state=${entry.state}>
        Is there ${article(label)} <em>${label}</em>?
        ${entry.state !== 'open' && html` <span class=${`chip ${entry.state}`}>${entry.state}</span>`}
      </h1>
      <div class="frame">
        ${ahead.map(
          (other, i) => html`<${Picture} key=${other.row} row=${other.row} name=${other.name} side=${960}
            hasImages=${info.images} hidden=${i > 0 && other.row !== entry.row}
            onClick=${() => setZoomed(true)} />`,
        ).filter((node, i) => ahead.findIndex((other) => other.row === ahead[i].row) === i)}
      </div>
      <p class="caption">${entry.name}</p>
      <div class="controls">
        <button class="move" aria-label="Back" onClick=${() => setSeat(Math.max(place - 1, 0))}>←</button>
        <${Buttons} entry=${entry} keys=${keys} onAnswer=${answer} />
        <button class="move" aria-label="Skip" onClick=${() => setSeat(place + 1)}>→</button>
      </div>
      <p class="hints"><span><kbd>←</kbd><kbd>→</kbd> move</span>
        ${info.images && html`<span><kbd>${keys.zoom}</kbd> zoom</span>`}
        <span><kbd>${keys.view}</kbd> grid</span><span><kbd>${keys.progress}</kbd> progress</span>
        <span><kbd>${keys.help}</kbd> all keys</span></p>
    </div>
    <${Why} entry=${entry} info=${info} />
    ${zoomed && html`<${Zoom} entry=${entry} onClose=${() => setZoomed(false)} />`}
  </section>`;
}
