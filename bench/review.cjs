// Measures in the page itself: from the keydown event to the frame in which the next question stands
// there, with its image where there is one.
const fs = require('node:fs');
const { Browser, Server } = require('../tests/review/browser/setup.cjs');

const KEYS = 200;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function main() {
  const { REVIEW, WORK } = process.env;
  const server = fs.existsSync(`${REVIEW}/review.db`)
    ? await Server.start('review', REVIEW)
    : await Server.start('review', `${WORK}/data`, '--run', `${WORK}/run`, '--out', REVIEW);
  const browser = await Browser.start();
  const page = await (await browser.context()).newPage();
  await page.goto(server.address);
  await page.locator('h1.question').waitFor();
  await page.evaluate(() => {
    window.times = [];
    window.addEventListener('keydown', () => {
      const start = performance.now(), before = document.querySelector('h1.question')?.dataset.entry;
      const look = () => {
        const heading = document.querySelector('h1.question');
        const image = document.querySelector('.frame img:not([hidden])');
        const there = heading && heading.dataset.entry !== before && (!image || (image.complete && image.naturalWidth > 0));
        if (there) window.times.push(performance.now() - start);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, true);
  });
  for (let i = 0; i < KEYS; i += 1) {
    await page.keyboard.press('ynyu'[i % 4]);
    await page.waitForFunction((n) => window.times.length === n, i + 1);
    await page.waitForTimeout(60); // as fast as a hurried person
  }
  await page.waitForSelector('.save:not(.saving):not(.failing)');
  const times = await page.evaluate(() => window.times);
  const listing = await page.evaluate(async () => {
    const times = [];
    for (const query of ['sort=score', 'sort=uncertainty', 'sort=random&label=3', 'state=all&sort=score', 'min=0.2&max=0.3&sort=random']) {
      const start = performance.now();
      await (await fetch(`/api/entries?limit=48&${query}`, { headers: { 'Spml-Key': sessionStorage.getItem('spml-review-key') } })).json();
      times.push([query, Math.round(performance.now() - start)]);
    }
    return times;
  });
  const status = fs.readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  const kb = (name) => Number(status.match(new RegExp(`${name}:\\s+(\\d+)`))[1]);
  console.log(`suggestions             ${server.info.open + server.info.answers}`);
  console.log(`key to next question    median ${median(times).toFixed(0)} ms, worst ${Math.max(...times).toFixed(0)} ms, ${times.length} keys`);
  for (const [query, ms] of listing) console.log(`list ${query.padEnd(30)} ${ms} ms`);
  console.log(`server memory           ${(kb('RssAnon') / 1024).toFixed(0)} MB beside the mapped files (${(kb('VmHWM') / 1024).toFixed(0)} MB with them)`);
  await browser.chromium.close();
  await server.stop();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
