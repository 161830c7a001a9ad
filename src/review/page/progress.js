// How the review goes, and when to stop.
import { get } from './api.js';
import { Exports } from './exports.js';
import { FoundChart, IntervalBar } from './chart.js';
import { html, useEffect, useState } from './dom.js';
import { percent, width } from './why.js';

const number = (value) => Math.round(value).toLocaleString('en');

function Figure({ value, name, note }) {
  return html`<div class="figure"><strong>${value}</strong><span>${name}</span>${note && html`<small>${note}</small>`}</div>`;
}

function precisionText({ yes, no, low, high }) {
  if (yes + no === 0) return '–';
  return `${percent(yes / (yes + no))} (${percent(low)} to ${percent(high)})`;
}

function Stop({ info, onDraw, onOpen }) {
  const [size, setSize] = useState('200');
  const sample = info.sample;
  const draw = () => onDraw(Math.max(1, Math.min(5000, Math.round(Number(size)) || 200)));
  const done = sample && sample.open === 0;
  const expected = info.run?.expected_missing ?? null;
  return html`<section class="card stop">
    <h2>When to stop</h2>
    ${expected !== null && html`<p class="expected">When it was trained, the classifier expected about <strong>${number(expected)}</strong>
      labels to be missing. That is its guess; a random sample gives a bound.</p>`}
    ${!sample && html`<p>A random sample of the open entries tells how much is still missing. It is fixed before its
      first entry is shown; answer all of it.</p>`}
    ${sample && !done && html`<p>Sample ${sample.id}: ${sample.size - sample.open} of ${sample.size} answered, drawn from
      ${number(sample.population)} open entries. The bound comes when all have an answer.</p>
      <div class="meter"><div style=${{ width: width((sample.size - sample.open) / sample.size) }}></div></div>
      <button class="primary" onClick=${onOpen}>Answer the sample</button>`}
    ${done && html`<p class="bound">At most <strong>${number(sample.missing_at_most)}</strong> labels are still missing;
      at least <strong>${percent(sample.share_found_at_least)}</strong> of the hidden labels are found.</p>
      <p class="note">With 95 % confidence, from sample ${sample.id}: ${sample.yes} yes and ${sample.unsure} unsure (counted
      as yes) among ${sample.size} drawn from ${number(sample.population)} open entries. The bound is for one look: a second
      look needs a new sample, and among many looks some bound will fail.</p>`}
    ${(!sample || done) && html`<p class="draw"><label>Draw <input type="number" min="1" max="5000" value=${size}
      onInput=${(event) => setSize(event.target.value)} aria-label="size of the sample" /> entries</label>
      <button class=${sample ? '' : 'primary'} onClick=${draw}>${sample ? 'New random sample' : 'Random sample'}</button></p>`}
  </section>`;
}

function Runs({ info }) {
  const map = (value) => (value === null ? '–' : value.toFixed(1));
  return html`<section class="card"><h2>Classifiers</h2><div class="scroll"><table class="runs">
    <thead><tr><th>Run</th><th>Answers</th><th>Val. MAP</th><th>Test MAP</th><th>Expects missing</th></tr></thead>
    <tbody>${info.runs.map(
      (run) => html`<tr class=${info.run?.id === run.id ? 'current' : ''}>
        <td title=${run.folder}>${run.folder.split('/').slice(-2).join('/')}${run.state === 'stopped' ? ' (stopped)' : ''}</td>
        <td data-name="answers">${number(run.answers)}</td><td data-name="val. MAP">${map(run.val_map)}</td>
        <td data-name="test MAP">${map(run.test_map)}</td><td data-name="expects missing">${run.expected_missing === null ? '–' : number(run.expected_missing)}</td></tr>`,
    )}</tbody></table></div>
    <p class="note">Press r to train another with all answers. They are kept in ${info.folder}/runs.</p></section>`;
}

export function ProgressView({ info, version, onDraw, onOpenSample }) {
  const [progress, setProgress] = useState(null);
  useEffect(() => {
    let current = true;
    get('/api/progress').then((found) => current && setProgress(found)).catch(() => {});
    return () => {
      current = false;
    };
  }, [version]);
  if (!progress) return html`<p class="empty">Loading …</p>`;
  const { all } = progress;
  const sample = info.sample && info.sample.open === 0 ? info.sample : null;
  const randomRate = sample ? sample.yes / sample.size
    : info.runs[0]?.unknown ? info.runs[0].expected_missing / info.runs[0].unknown : 0;
  const answered = info.classes.map((name, j) => ({ name, ...progress.classes[j], counts: info.counts[j] }));
  answered.sort((a, b) => b.yes + b.no + b.unsure - (a.yes + a.no + a.unsure) || a.name.localeCompare(b.name));
  return html`<div class="progress-view">
    <h1 class="hidden-title">Progress</h1>
    <section class="figures">
      <${Figure} value=${number(all.yes + all.no + all.unsure)} name="answers" note=${all.unsure ? `${all.unsure} unsure` : ''} />
      <${Figure} value=${number(all.yes)} name="labels found" />
      <${Figure} value=${all.yes + all.no ? percent(all.yes / (all.yes + all.no)) : '–'} name="precision so far"
        note=${all.yes + all.no ? `95 % interval: ${percent(all.low)} to ${percent(all.high)}` : ''} />
      <${Figure} value=${progress.per_minute ? number(progress.per_minute) : '–'} name="answers a minute" />
    </section>
    <section class="card"><h2>Labels found</h2>
      <${FoundChart} points=${progress.found} randomRate=${randomRate} />
      <p class="note">${sample ? 'The line at random is what the random sample found.'
        : "The line at random is what the classifier's own scores expect of entries drawn at random."}</p></section>
    <div class="stack"><${Stop} info=${info} onDraw=${onDraw} onOpen=${onOpenSample} />
      <${Runs} info=${info} /></div>
    <section class="card"><h2>Precision by class</h2><div class="scroll"><table class="classes">
      <thead><tr><th>Class</th><th>Yes</th><th>No</th><th>Unsure</th><th>Open</th><th>Precision (95 % interval)</th><th><span class="hidden-title">Interval</span></th></tr></thead>
      <tbody>${answered.map(
        (row) => html`<tr><td>${row.name}</td><td data-name="yes">${number(row.yes)}</td><td data-name="no">${number(row.no)}</td>
          <td data-name="unsure">${number(row.unsure)}</td><td data-name="open">${number(row.counts[0])}</td>
          <td data-name="precision">${precisionText(row)}</td>
          <td class="bar-cell"><${IntervalBar} low=${row.low} high=${row.high}
            share=${row.yes + row.no ? row.yes / (row.yes + row.no) : null} /></td></tr>`,
      )}</tbody></table></div>
      <p class="note">Exact (Clopper-Pearson) intervals. Answers to random samples are not counted here.</p></section>
    <${Exports} info=${info} />
  </div>`;
}
