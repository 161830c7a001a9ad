// The bar on top: where one is, what is saved, what trains.
import { html } from './dom.js';
import { percent } from './why.js';

const VIEWS = [['one', 'One by one'], ['grid', 'Grid'], ['progress', 'Progress']];

function SaveState({ saver, problem }) {
  if (saver.unsaved > 0 && saver.problem) {
    return html`<span class="save failing" role="alert" title=${saver.problem}>${saver.unsaved} not saved: ${saver.problem}</span>`;
  }
  if (saver.unsaved > 0) return html`<span class="save saving" role="status">${saver.unsaved} saving …</span>`;
  if (problem) {
    return html`<span class="save failing" role="alert">${problem.status === 401 ? 'open the new address that spml review printed' : problem.message}</span>`;
  }
  return html`<span class="save" role="status">all saved</span>`;
}

function Retrain({ info, keys, onRetrain }) {
  const { running, phase, share, error } = info.retrain;
  if (running) {
    return html`<span class="training" role="status"><span class="meter"><span style=${{ width: percent(share, 1) }}></span></span>
      ${phase} ${phase === 'finishing' ? '…' : percent(share)}</span>`;
  }
  return html`<button class="retrain" title=${error || 'Train again with the answers'} onClick=${onRetrain}>
    ${error ? 'Retrain (failed)' : 'Retrain'} <kbd>${keys.retrain}</kbd></button>`;
}

export function Header({ info, address, setAddress, saver, problem, keys, onUndo, onRetrain, onHelp }) {
  const sum = (state) => info.counts.reduce((total, counts) => total + counts[state], 0);
  return html`<header>
    <div class="brand"><img src="/icon.svg" alt="" width="24" height="24" /><span>${info.name}</span></div>
    <nav>${VIEWS.map(
      ([view, text]) => html`<button aria-current=${address.view === view ? 'page' : null} data-view=${view}
        onClick=${() => setAddress({ ...address, view })}>${text}</button>`,
    )}</nav>
    <div class="totals"><span class="yes">${sum(1).toLocaleString('en')} yes</span>
      <span class="no">${sum(2).toLocaleString('en')} no</span>
      ${sum(3) > 0 && html`<span class="unsure">${sum(3).toLocaleString('en')} unsure</span>`}</div>
    <${SaveState} saver=${saver} problem=${problem} />
    <div class="tools">
      <button onClick=${onUndo} data-tool="undo">Undo <kbd>${keys.undo}</kbd></button>
      <${Retrain} info=${info} keys=${keys} onRetrain=${onRetrain} />
      <button onClick=${onHelp} aria-label="Shortcuts" data-tool="help">?</button>
    </div>
  </header>`;
}
