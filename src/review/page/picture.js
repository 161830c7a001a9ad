// An image of a row, or what stands in its place.
import { imageUrl } from './api.js';
import { html, useState } from './dom.js';

export function Picture({ row, name, side, hasImages, hidden = false, onClick }) {
  const [broken, setBroken] = useState(false);
  if (!hasImages) return html`<span class="picture no-image" hidden=${hidden}>${name}</span>`;
  if (broken) {
    return html`<span class="picture no-image" hidden=${hidden} role="img">
      <strong>This image cannot be shown.</strong><span>${name}</span></span>`;
  }
  return html`<img class="picture" src=${imageUrl(row, side)} alt=${name} draggable="false"
    hidden=${hidden} onClick=${onClick} onError=${() => setBroken(true)} />`;
}
