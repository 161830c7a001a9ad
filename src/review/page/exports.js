// Taking the labels along: every format, written by the server into the review's folder.
import { download, post } from './api.js';
import { html, useState } from './dom.js';

const FORMATS = [
  ['data', 'Data folder, ready for training'],
  ['csv', 'CSV'],
  ['jsonl', 'JSON Lines'],
  ['coco', 'COCO'],
  ['voc', 'VOC lists'],
  ['label-studio', 'Label Studio'],
];

export function Exports({ info }) {
  const [format, setFormat] = useState('data');
  const [said, setSaid] = useState({ text: '', failed: false });
  const [busy, setBusy] = useState(false);
  const write = async () => {
    setBusy(true);
    try {
      const { out, yes, no, unsure, notices } = await post('/api/export', { format });
      setSaid({ text: [`${out}: ${yes} labels found, ${no} known to be absent, ${unsure} unsure.`, ...notices].join(' '), failed: false });
    } catch (error) {
      setSaid({ text: error.message, failed: true });
    }
    setBusy(false);
  };
  const table = (kind) => () => download(`/api/table?format=${kind}`, `answers.${kind}`).catch((error) => setSaid({ text: error.message, failed: true }));
  return html`<section class="card exports"><h2>Take the labels along</h2>
    <p class="draw"><label>All labels as <select name="format" value=${format} onChange=${(event) => setFormat(event.target.value)}>
      ${FORMATS.map(([value, text]) => html`<option value=${value}>${text}</option>`)}</select></label>
      <button class="primary" data-export="write" disabled=${busy} onClick=${write}>${busy ? 'Writing …' : 'Export'}</button></p>
    <p class=${said.failed ? 'wrong' : 'note'} role="status">${said.text || `They are written to ${info.folder}/exports, or anywhere by the command line:`}</p>
    <pre>spml review ${info.folder} --export OUT --format ${format}</pre>
    <p>The answers alone, as a download:
      <button class="link" data-export="csv" onClick=${table('csv')}>CSV</button>,
      <button class="link" data-export="jsonl" onClick=${table('jsonl')}>JSON Lines</button></p></section>`;
}
