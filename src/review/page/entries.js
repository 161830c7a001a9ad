// The list of entries that is worked through: loaded piece by piece, kept while it is on the screen.
import { get } from './api.js';
import { useEffect, useRef, useState } from './dom.js';

const PIECE = 48, RETRY_MS = 1000, RECENT_MS = 10000;

const EMPTY = { entries: [], next: null, loading: true, problem: '', filter: '', stamp: '' };

export const keyOf = (entry) => `${entry.row}/${entry.label}`;

// `query` is an object for /api/entries; `version` changes when the list has to be loaded anew, during
// which the old one stays; `unsaved` says whether answers are on their way, and `pending` are those that
// were when the page was loaded.
export function useEntries(query, version, unsaved, pending) {
  const [list, setList] = useState(EMPTY);
  const filter = JSON.stringify(query);
  const wanted = JSON.stringify([query, version]);
  const current = useRef(wanted);
  current.current = wanted;
  const busy = useRef('');
  const answers = useRef(null); // what was answered here: key of an entry -> state and time
  answers.current ??= new Map(pending.map((entry) => [keyOf(entry), { state: entry.answer, time: Date.now() }]));

  // A list that the server made before it heard of an answer has the entry as open.
  const isStale = (entry) => {
    const own = answers.current.get(keyOf(entry));
    const recent = own && (unsaved() || Date.now() - own.time < RECENT_MS);
    return recent && query.state === 'open' && entry.state === 'open' && own.state !== 'open';
  };

  async function load(after) {
    const asked = wanted;
    if (busy.current === asked + after) return;
    busy.current = asked + after;
    try {
      const page = await get('/api/entries', { ...query, limit: PIECE, ...(after ? { after } : {}) });
      if (current.current !== asked) return;
      setList((old) => {
        const before = after ? old.entries : [];
        const known = new Set(before.map(keyOf));
        const added = page.entries.filter((entry) => !known.has(keyOf(entry)) && !isStale(entry));
        return { entries: [...before, ...added], next: page.next, loading: false, problem: '', filter, stamp: asked };
      });
      busy.current = '';
    } catch (error) {
      if (current.current !== asked) return;
      setList((old) => ({ ...(old.filter === filter ? old : EMPTY), loading: false, problem: error.message, filter }));
      // A moment before the next try.
      setTimeout(() => {
        if (busy.current === asked + after) busy.current = '';
        if (after === '' && current.current === asked) load('');
      }, RETRY_MS);
    }
  }

  useEffect(() => {
    if (list.filter !== filter) setList(EMPTY);
    load('');
  }, [wanted]);

  // The scores have changed: what comes after `kept` entries, which are on the screen or about to be,
  // is loaded anew.
  async function follow(kept) {
    const asked = wanted;
    try {
      const page = await get('/api/entries', { ...query, limit: PIECE });
      if (current.current !== asked) return;
      setList((old) => {
        const before = old.entries.slice(0, kept);
        const known = new Set(before.map(keyOf));
        const added = page.entries.filter((entry) => !known.has(keyOf(entry)) && !isStale(entry));
        return { ...old, entries: [...before, ...added], next: page.next };
      });
    } catch {
      // The old order serves as well.
    }
  }

  return {
    ...(list.filter === filter ? list : EMPTY), // never entries that were not asked for
    follow,
    more: () => list.filter === filter && list.next && load(list.next),
    // New states of some entries; those that are not in the list are put in at `place`.
    update(changed, place = 0) {
      const states = new Map(changed.map((entry) => [keyOf(entry), entry]));
      const time = Date.now();
      for (const entry of changed) answers.current.set(keyOf(entry), { state: entry.state, time });
      setList((old) => {
        const entries = old.entries.map((entry) => {
          const found = states.get(keyOf(entry));
          states.delete(keyOf(entry));
          return found ? { ...entry, state: found.state } : entry;
        });
        const missing = [...states.values()].filter((entry) => entry.name !== undefined);
        entries.splice(Math.min(place, entries.length), 0, ...missing);
        return { ...old, entries };
      });
    },
  };
}
