// Answers on their way to the disk. They are sent one after another, in order; one that could not be
// saved stays here, visible, and is sent again. The server does the same action only once, so
// sending it again is safe. A reload of the tab keeps them.
import { post } from './api.js';
import { takeBrought } from './key.js';

const RETRY_MS = 1000;

function randomKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export class Saver {
  constructor(review, onChange, onRefused) {
    this.onRefused = onRefused;
    this.storage = `spml-review-unsaved-${review}`;
    this.onChange = onChange;
    this.waiting = new Map(); // key of an action -> what to do with its result
    this.problem = '';
    this.error = null;
    this.sending = false;
    this.isLeaving = false; // to another address, with the queue
    try {
      this.queue = JSON.parse(sessionStorage.getItem(this.storage)) || [];
    } catch {
      this.queue = [];
    }
    this.queue.push(...takeBrought(review));
    this.send();
  }

  get unsaved() {
    return this.queue.reduce((sum, item) => sum + (item.body.answers?.length || 1), 0);
  }

  // Resolves with the server's answer when it is saved, or with null when it was refused: the server
  // understood it and will never take it. Whatever else goes wrong (a full disk, a file that is held
  // or gone, a server that is down) keeps it here.
  add(path, body) {
    const action = randomKey();
    this.queue.push({ path, body: { action, ...body } });
    this.keep();
    const saved = new Promise((resolve) => this.waiting.set(action, resolve));
    this.send();
    return saved;
  }

  keep() {
    try {
      if (this.queue.length > 0) sessionStorage.setItem(this.storage, JSON.stringify(this.queue));
      else sessionStorage.removeItem(this.storage);
    } catch {
      // Without storage the queue lives as long as the page.
    }
    this.onChange();
  }

  async send() {
    if (this.sending) return;
    this.sending = true;
    while (this.queue.length > 0) {
      const item = this.queue[0];
      let result = null;
      try {
        result = await post(item.path, item.body);
        this.problem = '';
        this.error = null;
      } catch (error) {
        this.problem = error.message;
        this.error = error;
        if (error.status !== 400 && error.status !== 409) {
          this.onChange();
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
          continue;
        }
        this.onRefused(item, error.message);
      }
      this.queue.shift();
      this.keep();
      this.waiting.get(item.body.action)?.(result);
      this.waiting.delete(item.body.action);
    }
    this.sending = false;
    this.onChange();
  }
}
