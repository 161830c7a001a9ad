// The key to the server, new at every start of it. The printed address has it behind '#', which no
// server and no log ever sees; it leaves the address at once and stays in this tab. Answers that
// could not be saved come along when the server has moved to another port.
const STORAGE = 'spml-review-key';
const FORM = /^#key=([0-9a-f]{32})(?:&unsaved=(.*))?$/;

let key = sessionStorage.getItem(STORAGE) || '';
let brought = null; // {review, queue} of the page before

// Takes the key out of the address; whether there was one.
export function takeKey() {
  const found = FORM.exec(location.hash);
  if (!found) return false;
  [, key] = found;
  sessionStorage.setItem(STORAGE, key);
  try {
    brought = found[2] ? JSON.parse(decodeURIComponent(found[2])) : null;
  } catch {
    brought = null;
  }
  history.replaceState(null, '', location.pathname + location.search);
  return true;
}

export const currentKey = () => key;

// Unsaved answers of this review that the page before handed over; once.
export function takeBrought(review) {
  const queue = brought?.review === review && Array.isArray(brought.queue) ? brought.queue : [];
  brought = null;
  return queue;
}

// Goes on with the server at a printed address: in this page where only the key is new, in another
// where the port is. Why it is no such address, or ''.
export function goTo(text, review, queue) {
  let address;
  try {
    address = new URL(text.trim());
  } catch {
    return 'That is not an address.';
  }
  if (address.protocol !== 'http:' || !FORM.test(address.hash)) return 'That is not the address that spml review prints.';
  const isNear = address.hostname === location.hostname || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(address.hostname);
  if (!isNear) return 'That is an address of another machine.';
  const [, found] = FORM.exec(address.hash);
  if (address.origin === location.origin) {
    location.hash = `#key=${found}`;
    return '';
  }
  const unsaved = encodeURIComponent(JSON.stringify({ review, queue }));
  location.href = `${address.origin}/${location.search}#key=${found}${queue.length > 0 ? `&unsaved=${unsaved}` : ''}`;
  return '';
}
