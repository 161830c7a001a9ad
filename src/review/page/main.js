import { App } from './app.js';
import { html, render } from './dom.js';
import { takeKey } from './key.js';

takeKey();
const root = document.getElementById('app');
root.textContent = '';
render(html`<${App} />`, root);
