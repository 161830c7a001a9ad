// The server has ended, or was started again: where to go on. Nothing that was answered is lost.
import { html, useState } from './dom.js';
import { goTo } from './key.js';

export function Away({ review = '', saver = null }) {
  const [wrong, setWrong] = useState('');
  const go = (event) => {
    event.preventDefault();
    if (saver) saver.isLeaving = true;
    const problem = goTo(new FormData(event.target).get('address'), review, saver ? saver.queue : []);
    if (saver && problem) saver.isLeaving = false;
    setWrong(problem);
  };
  return html`<form class="away" onSubmit=${go}>
    <label>The review is not served at this address, or has a new key. Address that spml review printed:
      <input name="address" type="text" size="34" autocomplete="off" spellcheck="false" placeholder="http://127.0.0.1:…/#key=…" /></label>
    <button class="primary">Go on</button>
    ${wrong && html`<span class="wrong" role="alert">${wrong}</span>`}
  </form>`;
}
