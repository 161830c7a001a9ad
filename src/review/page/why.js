// Why a label is suggested: its score, and the rows most like this one that are known to have it.
import { get } from './api.js';
import { html, useEffect, useState } from './dom.js';
import { Picture } from './picture.js';

export const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)} %`;
export const width = (share) => `${(100 * share).toFixed(2)}%`; // as CSS has it, without the space

export function Why({ entry, info }) {
  const [why, setWhy] = useState(null);
  useEffect(() => {
    let current = true;
    setWhy(null);
    // A reader who hurries on does not need it.
    const timer = setTimeout(() => {
      get('/api/why', { row: entry.row, label: entry.label })
        .then((found) => current && setWhy(found))
        .catch(() => current && setWhy({ neighbours: [], known: [] }));
    }, 120);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [entry.row, entry.label]);

  const label = info.classes[entry.label];
  return html`<section class="why" aria-label="Why this label">
    <h2>Why this label</h2>
    <div class="score" role="img" aria-label=${`score ${percent(entry.score, 1)}`}>
      <div class="bar"><div style=${{ width: width(entry.score) }}></div></div>
      <strong>${percent(entry.score, entry.score > 0.1 ? 0 : 1)}</strong>
    </div>
    <p class="note">The classifier's score for <em>${label}</em>.</p>
    ${why?.known.length > 0 &&
    html`<p class="note">Already known here:
      ${why.known.map((j) => html` <span class="chip">${info.classes[j]}</span>`)}</p>`}
    <h3>Most like it, and labelled <em>${label}</em></h3>
    <div class="neighbours">
      ${!why && [1, 2, 3, 4, 5, 6].map(() => html`<span class="picture waiting"></span>`)}
      ${why?.neighbours.map(
        (near) => html`<figure key=${near.row}>
          <${Picture} row=${near.row} name=${near.name} side=${240} hasImages=${info.images} />
          <figcaption title="cosine of the features">${near.similarity.toFixed(2)}</figcaption>
        </figure>`,
      )}
    </div>
    ${why && why.neighbours.length === 0 &&
    html`<p class="note">No row is labelled ${label} yet.</p>`}
  </section>`;
}
