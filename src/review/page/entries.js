// The list of entries that is worked through: loaded piece by piece, kept while it is on the screen.
import { get } from './api.js';
import { useEffect, useRef, useState } from './dom.js';

const PIECE = 48, RETRY_MS = 1000;

export const keyOf = (entry) => `${entry.row}/${entry.label}`;

// `query` is an object for /api/entries; `version` changes when the list has to be loaded anew.
export function useEntries(query, version) {
  const [list, setList] = useState({ entries: [], next: null, loading: true, problem: '' });
  const wanted = JSON.stringify([query, version]);
  const current = useRef(wanted);
  current.current = wanted;
  const busy = useRef('');

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
        const added = page.entries.filter((entry) => !known.has(keyOf(entry)));
        return { entries: [...before, ...added], next: page.next, loading: false, problem: '' };
      });
      busy.current = '';
    } catch (error) {
      if (current.current !== asked) return;
      setList((old) => ({ ...old, loading: false, problem: error.message }));
      // A moment before the next try.
      setTimeout(() => {
        if (busy.current === asked + after) busy.current = '';
        if (after === '' && current.current === asked) load('');
      }, RETRY_MS);
    }
  }

  useEffect(() => {
    setList({ entries: [], next: null, loading: true, problem: '' });
    load('');
  }, [wanted]);

  return {
    ...list,
    more: () => list.next && load(list.next),
    // New states of some entries; those that are not in the list are put in at `place`.
    update(changed, place = 0) {
      const states = new Map(changed.map((entry) => [keyOf(entry), entry]));
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
