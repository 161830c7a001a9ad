// Shortcuts, which everybody may change; they are kept in this browser.
const STORAGE = 'spml-review-keys';

export const ACTIONS = [
  { name: 'yes', text: 'Yes, it is there', key: 'y' },
  { name: 'no', text: 'No, it is not', key: 'n' },
  { name: 'unsure', text: 'Unsure', key: 'u' },
  { name: 'undo', text: 'Undo the last action', key: 'z' },
  { name: 'retrain', text: 'Retrain with the answers', key: 'r' },
  { name: 'zoom', text: 'Zoom', key: 'x' },
  { name: 'view', text: 'Switch between one image and the grid', key: 'g' },
  { name: 'progress', text: 'Progress and when to stop', key: 'p' },
  { name: 'help', text: 'This list', key: '?' },
];

export const FIXED = [
  { keys: '← →', text: 'Move without answering' },
  { keys: 'Enter', text: 'In the grid: accept all that are shown' },
  { keys: 'Esc', text: 'Close' },
];

export function loadKeys() {
  const keys = Object.fromEntries(ACTIONS.map(({ name, key }) => [name, key]));
  try {
    for (const [name, key] of Object.entries(JSON.parse(localStorage.getItem(STORAGE)) || {})) {
      if (name in keys && typeof key === 'string' && key.length === 1) keys[name] = key;
    }
  } catch {
    // The usual ones, then.
  }
  return keys;
}

export function saveKeys(keys) {
  try {
    localStorage.setItem(STORAGE, JSON.stringify(keys));
  } catch {
    // They last as long as the page.
  }
}

// The action that a key stands for, or ''. Keys with Ctrl, Alt or Meta belong to the browser.
export function actionOf(event, keys) {
  if (event.ctrlKey || event.altKey || event.metaKey) return '';
  const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return Object.keys(keys).find((name) => keys[name] === pressed) || '';
}

export const isMove = (event) => event.key.startsWith('Arrow');

// Whether the key is meant for what has the focus.
export function isTyping(event) {
  const tag = event.target.tagName;
  return tag === 'INPUT' || tag === 'TEXTAREA' || tag === 'SELECT';
}
