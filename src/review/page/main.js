import { App } from './app.js';
import { html, render } from './dom.js';

const root = document.getElementById('app');
root.textContent = '';
render(html`<${App} />`, root);
