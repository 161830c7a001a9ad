// The whole page: what is shown, which key does what, and what is being saved.
import { get, isAway, post } from './api.js';
import { classOf, entryQuery, readAddress, writeAddress } from './address.js';
import { Away } from './away.js';
import { html, useEffect, useMemo, useRef, useState } from './dom.js';
import { useEntries } from './entries.js';
import { Filters } from './filters.js';
import { Grid, SIZE as GRID_SIZE } from './grid.js';
import { Header } from './header.js';
import { Help } from './help.js';
import { takeKey } from './key.js';
import { actionOf, isMove, isTyping, loadKeys, saveKeys } from './keys.js';
import { AHEAD, One } from './one.js';
import { ProgressView } from './progress.js';
import { Saver } from './saver.js';

const NO_PLACE = { stamp: null, seat: 0 };
const POLL_MS = 2000, TRAINING_POLL_MS = 500, NOTE_MS = 4000;

// The overview, asked for again now and then, so that a second tab and retraining are seen.
function useOverview() {
  const [info, setInfo] = useState(null);
  const [problem, setProblem] = useState(null);
  const saves = useRef(0);
  const load = async () => {
    const before = saves.current;
    try {
      const found = await get('/api/review');
      // What was asked for before the last answer was saved is old.
      setInfo((old) => (old && saves.current !== before ? { ...found, counts: old.counts } : found));
      setProblem(null);
      return found;
    } catch (error) {
      setProblem(error);
      return null;
    }
  };
  // A new address in this tab has the key of a server that was started again.
  useEffect(() => {
    const listener = () => takeKey() && load();
    window.addEventListener('hashchange', listener);
    return () => window.removeEventListener('hashchange', listener);
  }, []);
  const training = info?.retrain.running;
  useEffect(() => {
    if (!info) load();
    const timer = setInterval(load, training ? TRAINING_POLL_MS : POLL_MS);
    return () => clearInterval(timer);
  }, [training]);
  const setCounts = (counts) => {
    saves.current += 1;
    setInfo((old) => ({ ...old, counts }));
  };
  return { info, problem, load, setInfo, setCounts };
}

function Review({ overview, info }) {
  const { load, setInfo, setCounts } = overview;
  const [address, setAddressState] = useState(readAddress);
  const [place, setPlace] = useState(NO_PLACE);
  const [keys, setKeys] = useState(loadKeys);
  const [help, setHelp] = useState(false);
  const [note, setNote] = useState('');
  const [, redraw] = useState(0);
  const refused = (item, message) => setNote(item.body.answers ? `Not saved, and open again: ${message}` : `Not undone: ${message}`);
  const [version, setVersion] = useState(0); // of the list
  const saver = useMemo(() => new Saver(info.id, () => redraw((n) => n + 1), refused), []);
  const pending = useMemo(() => saver.queue.flatMap((item) => item.body.answers || []), []);
  const viewKeys = useRef(null);

  const setAddress = (next) => {
    writeAddress(next, next.view !== address.view);
    setAddressState(next);
    setPlace(NO_PLACE);
  };
  useEffect(() => {
    const back = () => (setAddressState(readAddress()), setPlace(NO_PLACE));
    window.addEventListener('popstate', back);
    return () => window.removeEventListener('popstate', back);
  }, []);

  const tell = (text) => setNote(text);
  useEffect(() => {
    if (!note) return undefined;
    const timer = setTimeout(() => setNote(''), NOTE_MS);
    return () => clearTimeout(timer);
  }, [note]);

  // New suggestions after retraining.
  const run = info.run?.id;
  const lastRun = useRef(run);
  useEffect(() => {
    if (lastRun.current === run) return;
    lastRun.current = run;
    const map = info.run?.test_map ?? info.run?.val_map;
    tell(`Retrained with ${info.run.answers} answers${map === null ? '' : ` (MAP ${map.toFixed(1)})`}: new suggestions.`);
  }, [run]);

  const isSample = address.view === 'sample' && info.sample;
  // The grid is of one class: where none was chosen, that of the best suggestion.
  const hasClass = info.classes.includes(classOf(address));
  useEffect(() => {
    if (address.view !== 'grid' || hasClass) return;
    get('/api/entries', { ...entryQuery(address, info.classes), limit: 1 }).then(({ entries }) => {
      const label = entries.length > 0 ? entries[0].label : 0;
      const next = { ...address, grid: info.classes[label] };
      writeAddress(next, false);
      setAddressState(next);
    }).catch((error) => tell(error.message));
  }, [address.view, hasClass]);
  const query = isSample ? { sample: info.sample.id } : entryQuery(address, info.classes);
  const list = useEntries(query, `${run}/${version}`, () => saver.unsaved > 0, pending);
  // A list begins at its first open entry.
  const seat = place.stamp === list.stamp ? place.seat : Math.max(0, list.entries.findIndex((entry) => entry.state === 'open'));
  // The ranking follows the answers; what is on the screen stays.
  const lastRanking = useRef(info.ranking);
  useEffect(() => {
    if (lastRanking.current === info.ranking) return;
    lastRanking.current = info.ranking;
    const follows = !isSample && query.state === 'open' && query.sort === 'score';
    if (follows) list.follow(seat + (address.view === 'grid' ? GRID_SIZE : 1 + AHEAD));
  }, [info.ranking]);
  const setSeat = (to) => setPlace({ stamp: list.stamp, seat: to });

  const onAnswer = async (entries, answer) => {
    const answers = entries.map((entry) => ({
      row: entry.row, label: entry.label, answer: typeof answer === 'string' ? answer : answer(entry),
    }));
    list.update(answers.map(({ row, label, answer: state }) => ({ row, label, state })));
    const body = isSample ? { answers, sample: info.sample.id } : { answers };
    const saved = await saver.add('/api/answers', body);
    if (saved) setCounts(saved.counts);
    else list.update(entries.map(({ row, label, state }) => ({ row, label, state })));
    if (isSample) load();
  };

  const undo = async () => {
    const result = await saver.add('/api/undo', {});
    if (!result) return undefined;
    setCounts(result.counts);
    if (!result.undone) return tell('There is nothing to undo.');
    const [first] = result.entries;
    tell(result.entries.length > 1 ? `${result.entries.length} answers taken back.` : 'Answer taken back.');
    if (address.view === 'progress') return setVersion((n) => n + 1);
    const at = list.entries.findIndex((entry) => result.entries.some((other) => other.row === entry.row && other.label === entry.label));
    list.update(result.entries.map((entry) => ({ ...entry })), seat);
    if (at >= 0) setSeat(at);
    return first;
  };

  const retrain = async () => {
    try {
      const { started, retrain: status } = await post('/api/retrain', {});
      setInfo((old) => ({ ...old, retrain: status }));
      if (!started) tell('Training is under way already.');
    } catch (error) {
      tell(error.message);
    }
  };

  const draw = async (size) => {
    try {
      setInfo(await post('/api/sample', { size }));
      setAddress({ ...address, view: 'sample' });
    } catch (error) {
      tell(error.message);
    }
  };

  // One listener for the page; a view says what it does with a key.
  const register = (handler) => (viewKeys.current = handler);
  const press = useRef(null);
  press.current = (event) => {
    if (help || isTyping(event)) return;
    const action = actionOf(event, keys);
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    let used = true;
    // A key that is held down answers once: what comes next has not been seen.
    if (event.repeat && !isMove(event)) used = true;
    else if (action === 'undo') undo();
    else if (action === 'retrain') retrain();
    else if (action === 'help') setHelp(true);
    else if (action === 'view') setAddress({ ...address, view: address.view === 'one' ? 'grid' : 'one' });
    else if (action === 'progress') setAddress({ ...address, view: address.view === 'progress' ? 'one' : 'progress' });
    // Enter and space work buttons that have the focus, except the tiles of the grid.
    else if (event.target.tagName === 'BUTTON' && !event.target.classList.contains('tile') && (event.key === 'Enter' || event.key === ' ')) used = false;
    else used = viewKeys.current ? viewKeys.current(action, event) : false;
    if (used) event.preventDefault();
  };
  useEffect(() => {
    const listener = (event) => press.current(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  useEffect(() => {
    const leave = (event) => saver.unsaved > 0 && !saver.isLeaving && event.preventDefault();
    window.addEventListener('beforeunload', leave);
    return () => window.removeEventListener('beforeunload', leave);
  }, []);

  const view = { list, seat, setSeat, info, keys, onAnswer, register, isSample };
  if (address.view === 'progress' || (address.view === 'grid' && !hasClass)) viewKeys.current = null;
  return html`<div class="page" inert=${help}>
    <${Header} info=${info} address=${address} setAddress=${setAddress} saver=${saver} problem=${overview.problem} note=${note}
      keys=${keys} onUndo=${undo} onRetrain=${retrain} onHelp=${() => setHelp(true)} />
    ${(address.view === 'one' || address.view === 'grid') &&
    html`<${Filters} address=${address} setAddress=${setAddress} info=${info} />`}
    ${isSample && html`<section class="filters sample-bar" aria-label="Random sample"><strong>Random sample ${info.sample.id}</strong>
      <span>${info.sample.size - info.sample.open} of ${info.sample.size} answered</span>
      <div class="meter"><div style=${{ width: `${(100 * (info.sample.size - info.sample.open)) / info.sample.size}%` }}></div></div>
      <button class="link" onClick=${() => setAddress({ ...address, view: 'progress' })}>
        ${info.sample.open === 0 ? 'See the bound' : 'Leave'}</button></section>`}
    <main>
      ${(address.view === 'one' || isSample) && html`<${One} ...${view} />`}
      ${address.view === 'grid' && hasClass && html`<${Grid} ...${view} />`}
      ${(address.view === 'progress' || (address.view === 'sample' && !isSample)) &&
      html`<${ProgressView} info=${info} version=${`${version}/${JSON.stringify(info.counts)}/${run}`} onDraw=${draw}
        onOpenSample=${() => setAddress({ ...address, view: 'sample' })} />`}
    </main></div>
    ${help && html`<${Help} keys=${keys} setKeys=${(next) => (setKeys(next), saveKeys(next))} onClose=${() => setHelp(false)} />`}`;
}

export function App() {
  const overview = useOverview();
  const { info, problem } = overview;
  if (info) return html`<${Review} overview=${overview} info=${info} />`;
  if (problem) {
    return html`<main class="empty"><h1>The review cannot be reached.</h1>
      ${isAway(problem) ? html`<${Away} />` : html`<p>${problem.message}</p>`}</main>`;
  }
  return html`<main class="empty"><p>Loading the review …</p></main>`;
}
