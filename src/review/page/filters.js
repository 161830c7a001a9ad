// Which suggestions are shown, and in which order.
import { isFiltered, withoutFilters } from './address.js';
import { html } from './dom.js';

const STATES = ['open', 'yes', 'no', 'unsure', 'all'];
const SORTS = [
  ['score', 'highest score first'],
  ['uncertainty', 'most uncertain first'],
  ['random', 'at random'],
];

const stateIndex = { open: 0, yes: 1, no: 2, unsure: 3 };

function countOf(counts, state) {
  return state === 'all' ? counts.reduce((a, b) => a + b, 0) : counts[stateIndex[state]];
}

export function Filters({ address, setAddress, info }) {
  const change = (key) => (event) => {
    event.target.blur(); // so that the next key is an answer again
    setAddress({ ...address, [key]: event.target.value });
  };
  const label = info.classes.indexOf(address.class);
  const total = [0, 1, 2, 3].map((state) =>
    label >= 0 ? info.counts[label][state] : info.counts.reduce((sum, counts) => sum + counts[state], 0),
  );
  return html`<div class="filters" role="group" aria-label="Filters">
    <label>Class
      <select name="class" value=${address.class} onChange=${change('class')}>
        ${address.view !== 'grid' && html`<option value="">all classes</option>`}
        ${info.classes.map(
          (name, j) => html`<option value=${name}>${name} (${countOf(info.counts[j], address.state).toLocaleString('en')})</option>`,
        )}
      </select></label>
    <div class="segments" role="radiogroup" aria-label="State">
      ${STATES.map(
        (state) => html`<button role="radio" aria-checked=${address.state === state} data-state=${state}
          onClick=${() => setAddress({ ...address, state })}>${state}
          <span class="count">${countOf(total, state).toLocaleString('en')}</span></button>`,
      )}
    </div>
    <label>Score
      <input name="min" type="number" min="0" max="1" step="0.05" value=${address.min} aria-label="lowest score"
        onChange=${change('min')} />–<input name="max" type="number" min="0" max="1" step="0.05" value=${address.max}
        aria-label="highest score" onChange=${change('max')} /></label>
    <label>Order
      <select name="sort" value=${address.sort} onChange=${change('sort')}>
        ${SORTS.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
      </select></label>
    ${isFiltered(address) &&
    html`<button class="link" onClick=${() => setAddress(withoutFilters(address))}>clear</button>`}
  </div>`;
}
