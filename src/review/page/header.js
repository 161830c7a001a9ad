// The bar on top: where one is, what is saved, what trains.
import { html } from './dom.js';
import { Away } from './away.js';
import { isAway } from './api.js';
import { percent, width } from './why.js';

const VIEWS = [['one', 'One by one'], ['grid', 'Grid'], ['progress', 'Progress']];

function SaveState({ saver, problem, logProblem }) {
  if (saver.unsaved > 0 && saver.problem) {
    return html`<span class="save failing" role="alert" title=${saver.problem}>${saver.unsaved} not saved: ${saver.problem}</span>`;
  }
  if (saver.unsaved > 0) return html`<span class="save saving" role="status">${saver.unsaved} saving …</span>`;
  if (problem) {
    return html`<span class="save failing" role="alert" title=${problem.message}>${problem.message}</span>`;
  }
  if (logProblem) return html`<span class="save failing" role="alert" title=${logProblem}>all saved; the log is behind: ${logProblem}</span>`;
  return html`<span class="save" role="status">all saved</span>`;
}

function Retrain({ info, keys, onRetrain }) {
  const { running, phase, share, error } = info.retrain;
  if (running) {
    return html`<span class="training" role="status"><span class="meter"><span style=${{ width: width(share) }}></span></span>
      ${phase} ${phase === 'finishing' ? '…' : percent(share)}</span>`;
  }
  return html`<button class="retrain" title=${error || 'Train again with the answers'} onClick=${onRetrain}>
    ${error ? 'Retrain (failed)' : 'Retrain'} <kbd>${keys.retrain}</kbd></button>`;
}

export function Header({ info, address, setAddress, saver, problem, note, keys, onUndo, onRetrain, onHelp }) {
  const sum = (state) => info.counts.reduce((total, counts) => total + counts[state], 0);
  return html`<header><div class="top">
    <div class="brand" title=${info.name}><img src="/icon.svg" alt="" width="24" height="24" /><span>${info.name}</span></div>
    <nav aria-label="Views">${VIEWS.map(
      ([view, text]) => html`<button aria-current=${address.view === view ? 'page' : null} data-view=${view}
        onClick=${() => setAddress({ ...address, view })}>${text}</button>`,
    )}</nav>
    <div class="totals"><span class="yes">${sum(1).toLocaleString('en')} yes</span>
      <span class="no">${sum(2).toLocaleString('en')} no</span>
      ${sum(3) > 0 && html`<span class="unsure">${sum(3).toLocaleString('en')} unsure</span>`}</div>
    <${SaveState} saver=${saver} problem=${problem} logProblem=${info.log_problem} />
    <div class="tools">
      <button onClick=${onUndo} data-tool="undo">Undo <kbd>${keys.undo}</kbd></button>
      <${Retrain} info=${info} keys=${keys} onRetrain=${onRetrain} />
      <button onClick=${onHelp} aria-label="Shortcuts" data-tool="help">?</button>
    </div></div>
    <div class="note-bar" role="status" aria-live="polite">${note}</div>
    ${(isAway(problem) || isAway(saver.error)) && html`<${Away} review=${info.id} saver=${saver} />`}
  </header>`;
}
