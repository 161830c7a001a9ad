// Which suggestions are shown, and in which order.
import { classOf, isFiltered, withoutFilters } from './address.js';
import { html, useState } from './dom.js';

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

// What is being typed stays while the page is drawn anew, which the server's news do at any moment.
function Share({ name, title, value, onChange }) {
  const [draft, setDraft] = useState(null);
  const commit = (event) => (setDraft(null), onChange(event));
  return html`<input name=${name} type="number" min="0" max="1" step="0.05" value=${draft ?? value} aria-label=${title}
    onInput=${(event) => setDraft(event.target.value)} onChange=${commit} onBlur=${() => setDraft(null)} />`;
}

export function Filters({ address, setAddress, info }) {
  const change = (key) => (event) => {
    event.target.blur(); // so that the next key is an answer again
    setAddress({ ...address, [key]: event.target.value });
  };
  const shown = classOf(address), isGrid = address.view === 'grid';
  const label = info.classes.indexOf(shown);
  const total = [0, 1, 2, 3].map((state) =>
    label >= 0 ? info.counts[label][state] : info.counts.reduce((sum, counts) => sum + counts[state], 0),
  );
  return html`<section class="filters" aria-label="Filters">
    <label>Class
      <select name="class" value=${shown} onChange=${change(isGrid ? 'grid' : 'class')}>
        ${!isGrid && html`<option value="">all classes</option>`}
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
      <${Share} name="min" title="lowest score" value=${address.min} onChange=${change('min')} />–<${Share} name="max"
        title="highest score" value=${address.max} onChange=${change('max')} /></label>
    <label>Order
      <select name="sort" value=${address.sort} onChange=${change('sort')}>
        ${SORTS.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
      </select></label>
    ${isFiltered(address) &&
    html`<button class="link" onClick=${() => setAddress(withoutFilters(address))}>clear</button>`}
  </section>`;
}
