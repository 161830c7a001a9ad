// An image of a row, or what stands in its place.
import { html } from './dom.js';
import { useImage } from './images.js';

export function Picture({ row, name, side, hasImages, hidden = false, onClick }) {
  const url = useImage(row, side, hasImages);
  if (!hasImages) return html`<span class="picture no-image" hidden=${hidden}>${name}</span>`;
  if (url === null) {
    return html`<span class="picture no-image" hidden=${hidden} role="img" aria-label=${`${name} cannot be shown`}>
      <strong>This image cannot be shown.</strong><span>${name}</span></span>`;
  }
  if (url === '') return html`<span class="picture waiting" hidden=${hidden} role="img" aria-label=${name}></span>`;
  return html`<img class="picture" src=${url} alt=${name} draggable="false" hidden=${hidden} onClick=${onClick} />`;
}
