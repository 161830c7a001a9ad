// The list of shortcuts; a click on one changes it.
import { html, useEffect, useRef, useState } from './dom.js';
import { ACTIONS, FIXED } from './keys.js';

export function Help({ keys, setKeys, onClose }) {
  const [changing, setChanging] = useState('');
  // The listener stays the same, so that a key right after a click finds what the click changed.
  const press = useRef(null);
  press.current = (event) => {
    if (event.key === 'Escape') {
      changing ? setChanging('') : onClose();
    } else if (event.key === 'Tab') {
      event.preventDefault();
      keepFocus(event);
    } else if (changing && event.key.length === 1 && event.key !== ' ') {
      event.preventDefault();
      const key = event.key.toLowerCase();
      // The action that had the key gets the one that is given up.
      const other = Object.keys(keys).find((name) => keys[name] === key);
      setKeys({ ...keys, ...(other ? { [other]: keys[changing] } : {}), [changing]: key });
      setChanging('');
    } else {
      return;
    }
    event.stopPropagation();
  };
  // The focus goes into the dialog, stays there, and goes back.
  const dialog = useRef(null);
  const before = useRef(document.activeElement); // asked for while it still has it
  useEffect(() => {
    dialog.current.querySelector('.close').focus();
    return () => queueMicrotask(() => before.current?.focus?.()); // when it may have it again
  }, []);
  const keepFocus = (event) => {
    const buttons = [...dialog.current.querySelectorAll('button')];
    const at = buttons.indexOf(document.activeElement) + (event.shiftKey ? -1 : 1);
    buttons.at(at % buttons.length).focus();
  };
  useEffect(() => {
    const listener = (event) => press.current(event);
    window.addEventListener('keydown', listener, true);
    return () => window.removeEventListener('keydown', listener, true);
  }, []);
  return html`<div class="dialog-back" onClick=${onClose}>
    <div class="dialog" ref=${dialog} role="dialog" aria-modal="true" aria-label="Shortcuts" onClick=${(event) => event.stopPropagation()}>
      <h2>Shortcuts</h2>
      <table>${ACTIONS.map(
        ({ name, text }) => html`<tr><td>${text}</td><td>
          <button class="key" data-action=${name} onClick=${() => setChanging(name)}>
            ${changing === name ? 'press a key' : html`<kbd>${keys[name]}</kbd>`}</button></td></tr>`,
      )}
      ${FIXED.map((row) => html`<tr><td>${row.text}</td><td><kbd>${row.keys}</kbd></td></tr>`)}</table>
      <p class="note">Click a key to change it. Answers are saved as soon as they are given; undo works
        across reloads and restarts.</p>
      <button class="primary close" onClick=${onClose}>Close</button>
    </div>
  </div>`;
}
