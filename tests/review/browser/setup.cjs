// What the journeys in the browser share: the server as a process of its own, Chromium, checks.
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { chromium } = require('playwright-core');
const { Server } = require('./server.cjs');
const { truthOf } = require('./truth.cjs');

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

let failures = 0, passed = 0;
let shown = null; // the page opened last, photographed when a step fails

function check(condition, what) {
  if (condition) return;
  throw new Error(`expected ${what}`);
}

// One step of the journey; the others go on when it fails.
async function step(name, run) {
  const start = Date.now();
  try {
    await run();
    passed += 1;
    console.log(`ok      ${name} (${Date.now() - start} ms)`);
  } catch (error) {
    failures += 1;
    const place = error.stack.split('\n').find((line) => line.includes('.cjs') && !line.includes('setup.cjs')) || '';
    console.log(`FAILED  ${name}:${place.replace(/^.*[/]/, ' ').replace(')', '')}: ${error.message.split('\n').slice(0, 12).join('\n        ')}`);
    if (shown) await picture(shown, `failed-${failures}`).catch(() => {});
  }
}

function spml(...args) {
  const ran = spawnSync(process.env.SPML, args, { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`spml ${args.join(' ')}: ${ran.stderr}`);
  return ran.stdout;
}

// A browser whose console and requests are watched.
class Browser {
  static async start() {
    const browser = new Browser();
    browser.chromium = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
    browser.problems = [];
    browser.foreign = [];
    browser.expected = []; // texts of console messages that a step provokes
    return browser;
  }
  async context(options = {}) {
    const context = await this.chromium.newContext({ viewport: { width: 1280, height: 860 }, ...options });
    context.setDefaultTimeout(60000);
    context.on('request', (request) => {
      const url = new URL(request.url().replace(/^blob:/, '')); // of the page's own
      if (!['127.0.0.1', 'localhost'].includes(url.hostname)) this.foreign.push(request.url());
    });
    context.on('page', (page) => {
      shown = page;
      page.on('console', (message) => {
        const text = message.text();
        if (['error', 'warning'].includes(message.type()) && !this.expected.some((part) => text.includes(part))) {
          this.problems.push(text);
        }
      });
      page.on('pageerror', (error) => this.problems.push(String(error)));
    });
    return context;
  }
}

// A request of the page's own, with its key: {status, body}; with `body` a POST.
async function ask(page, address, body) {
  return page.evaluate(async ([where, sent]) => {
    const headers = { 'Spml-Key': sessionStorage.getItem('spml-review-key') || '', 'Content-Type': 'application/json' };
    const options = sent ? { method: 'POST', headers, body: JSON.stringify(sent) } : { headers };
    const response = await fetch(where, options);
    const text = await response.text();
    return { status: response.status, body: response.ok ? JSON.parse(text) : text };
  }, [address, body]);
}

async function picture(page, name) {
  if (!process.env.PICTURES) return;
  await page.screenshot({ path: path.join(process.env.PICTURES, `${name}.jpg`), type: 'jpeg', quality: 80 });
}

module.exports = { Browser, Server, ask, check, picture, spml, step, truthOf, report: () => ({ failures, passed }) };
