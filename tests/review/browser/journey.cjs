// A reviewer's day: answer by keyboard and in the grid, undo over a reload, filter, retrain while
// answering, kill -9 the server and go on, export, two tabs, a broken image, a phone, dark mode.
const fs = require('node:fs');
const path = require('node:path');
const { Browser, Server, ask, check, picture, report, spml, step, truthOf } = require('./setup.cjs');

const folder = process.env.FOLDER;
const demo = path.join(folder, 'demo'), review = path.join(demo, 'review');

const question = (page) => page.locator('h1.question');
const entryOf = async (page) => question(page).getAttribute('data-entry');
const saved = (page) => page.waitForSelector('.save:not(.saving):not(.failing)');
const countOf = async (page, state) =>
  Number((await page.locator(`.segments [data-state="${state}"] .count`).textContent()).replaceAll(',', ''));

// Presses a key that answers, and waits for the next question.
async function press(page, key) {
  const before = await entryOf(page);
  await page.keyboard.press(key);
  await page.waitForFunction((old) => {
    const heading = document.querySelector('h1.question');
    return heading && heading.dataset.entry !== old;
  }, before);
  return before;
}

// Somebody who knows the truth answers `entries` on the page's own addresses, 24 at once.
async function answerTruly(page, entries, isTrue, sample) {
  for (let i = 0; i < entries.length; i += 24) {
    const answers = entries.slice(i, i + 24).map(({ row, label }) => ({ row, label, answer: isTrue(row, label) ? 'yes' : 'no' }));
    const { status } = await ask(page, '/api/answers', { action: `truly-${sample || 0}-${i}`, answers, ...(sample ? { sample } : {}) });
    check(status === 200, `saved answers, found ${status}`);
    if (process.env.PICTURES) await page.waitForTimeout(4000); // so that the pace shown is a person's
  }
}

async function photographGrid(page) {
  const isTrue = truthOf(path.join(demo, 'scenes'), 20);
  const back = page.url();
  await page.goto(new URL('/?view=grid&class=red+square&max=0.93', back).href);
  await page.waitForFunction(() => document.querySelectorAll('.tile img').length === 24);
  for (const tile of await page.locator('.tile').all()) {
    const [row, label] = (await tile.getAttribute('data-entry')).split('/').map(Number);
    if (!isTrue(row, label)) await tile.click();
  }
  await page.waitForFunction(() => [...document.querySelectorAll('.tile img')].every((i) => i.complete));
  await page.mouse.move(0, 0);
  await picture(page, 'review-grid');
  await page.goto(back);
  await question(page).waitFor();
}

async function main() {
  let server = await Server.start('demo', '--review', '--out', demo);
  const browser = await Browser.start();
  const context = await browser.context();
  let page = await context.newPage();
  await page.goto(server.address);
  await question(page).waitFor();

  await step('the key leaves the address, and is no cookie', async () => {
    const key = new URL(server.address).hash.slice('#key='.length);
    check(/^[0-9a-f]{32}$/.test(key), `a key in ${server.address}`);
    check(!page.url().includes(key), `no key in ${page.url()}`);
    check((await context.cookies()).length === 0, 'no cookies');
  });

  await step('answers by keyboard alone', async () => {
    for (const key of ['y', 'y', 'n', 'u', 'y']) await press(page, key);
    await saved(page);
    check((await countOf(page, 'yes')) === 3, '3 yes');
    check((await countOf(page, 'no')) === 1, '1 no');
    check((await countOf(page, 'unsure')) === 1, '1 unsure');
    await page.waitForFunction(() => [...document.querySelectorAll('.neighbours img')].filter((i) => i.complete).length >= 6);
    await page.waitForFunction(() => document.querySelector('.frame img:not([hidden])')?.complete);
    await picture(page, 'review');
  });

  await step('arrows only move', async () => {
    const here = await entryOf(page);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((old) => document.querySelector('h1.question').dataset.entry !== old, here);
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((old) => document.querySelector('h1.question').dataset.entry === old, here);
    check((await countOf(page, 'yes')) === 3, 'no answer given');
  });

  await step('undo works over a reload', async () => {
    const last = await press(page, 'y');
    await saved(page);
    await page.reload();
    await question(page).waitFor();
    await page.keyboard.press('z');
    await page.waitForSelector('.note-bar:has-text("taken back")');
    check((await entryOf(page)) === last, `the question ${last} again`);
    check((await countOf(page, 'yes')) === 3, '3 yes again');
  });

  await step('zoom opens and closes by key', async () => {
    await page.keyboard.press('x');
    await page.waitForSelector('.zoom img');
    await page.keyboard.press('Escape');
    await page.waitForSelector('.zoom', { state: 'detached' });
  });

  await step('a shortcut can be changed', async () => {
    await page.keyboard.press('?');
    await page.locator('.key[data-action="yes"]').click();
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');
    await press(page, 'j');
    await saved(page);
    check((await countOf(page, 'yes')) === 4, 'a yes by the new key');
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await question(page).waitFor();
  });

  await step('filters are in the address and outlive a reload', async () => {
    await page.locator('select[name="class"]').selectOption({ index: 3 });
    await page.locator('select[name="sort"]').selectOption('uncertainty');
    await page.locator('input[name="max"]').fill('0.9');
    await page.waitForResponse((response) => response.url().endsWith('/api/review')); // has the page drawn anew
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    check((await page.locator('input[name="max"]').inputValue()) === '0.9', 'what was typed');
    await page.locator('input[name="max"]').press('Enter');
    await page.waitForFunction(() => location.search.includes('max=0.9'));
    check(page.url().includes('class=') && page.url().includes('sort=uncertainty'), `filters in ${page.url()}`);
    const label = await page.locator('select[name="class"]').inputValue();
    await page.reload();
    await page.waitForFunction((name) => document.querySelector('h1.question em')?.textContent === name, label);
    await page.locator('.segments [data-state="yes"]').click();
    await page.waitForFunction(() => location.search.includes('state=yes'));
    await page.locator('.filters .link').click();
    await page.waitForFunction(() => !location.search.includes('class='));
    await page.locator('.segments [data-state="unsure"]').click();
    await page.waitForSelector('h1.question .chip.unsure');
    await page.locator('.segments [data-state="open"]').click();
    await page.locator('select[name="sort"]').selectOption('score');
  });

  await step('a grid page is one action that can be undone', async () => {
    const before = await countOf(page, 'yes');
    await page.keyboard.press('g');
    await page.waitForFunction(() => document.querySelectorAll('.tile').length === 24);
    const label = await page.locator('select[name="class"]').inputValue();
    check((await page.locator('.grid-head em').textContent()) === label, 'one class');
    await page.locator('.tile').nth(2).click();
    await page.locator('.tile').nth(5).click();
    await page.locator('.tile').nth(7).click();
    await page.locator('.tile').nth(7).click();
    await page.waitForFunction(() => [...document.querySelectorAll('.tile img')].every((i) => i.complete));
    const first = await question(page).getAttribute('data-page');
    await page.keyboard.press('Enter');
    await page.waitForFunction((old) => document.querySelector('h1.question')?.dataset.page !== old, first);
    await saved(page);
    const totals = async () => page.locator('.totals').textContent();
    check((await totals()).includes(`${before + 21} yes`), `${before + 21} yes in ${await totals()}`);
    check((await totals()).includes('3 no'), '3 no');
    await page.keyboard.press('z');
    await page.waitForSelector('.note-bar:has-text("24 answers taken back")');
    check((await totals()).includes(`${before} yes`), 'all taken back');
    check((await question(page).getAttribute('data-page')) === first, 'the same page again');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press(' ');
    await page.waitForFunction(() => document.activeElement.matches('.tile.no')); // the one after the last that was clicked
    check((await page.locator('.tile.no').count()) === 3, 'the marks of before, and one more');
    await page.keyboard.press('Enter');
    await saved(page);
  });

  await step('answering goes on while a classifier trains', async () => {
    await page.keyboard.press('g');
    await page.waitForSelector('.one'); // of all classes: that of the grid was its own
    await page.keyboard.press('r');
    await page.waitForFunction(() => document.querySelector('.training') || document.querySelector('.note-bar')?.textContent.includes('Retrained'));
    for (const key of ['y', 'n', 'y']) await press(page, key);
    await page.waitForSelector('.note-bar:has-text("Retrained")', { timeout: 240000 });
    await saved(page);
    check(fs.existsSync(path.join(review, 'runs', '001', 'result.json')), 'a run in the review');
    spml('evaluate', path.join(review, 'runs', '001'), path.join(demo, 'scenes'), '--json');
  });

  await step('after kill -9 unsaved answers are shown, and saved when the server is back', async () => {
    browser.expected = ['Failed to load resource', 'ERR_CONNECTION_REFUSED', 'ERR_CONNECTION_RESET'];
    const before = Number((await page.locator('.totals .yes').textContent()).replace(/\D/g, ''));
    await server.kill();
    await press(page, 'y');
    await press(page, 'y');
    await page.waitForSelector('.save.failing:has-text("2 not saved")');
    await picture(page, 'review-unsaved');
    const { port, address } = server.info;
    server = await Server.start('review', review);
    check(server.info.resumed, 'a review that goes on');
    check(server.info.port === port, 'the port of before');
    check(server.address !== address, 'another key');
    await page.locator('.away input').fill(server.address);
    await page.locator('.away input').press('Enter');
    await saved(page);
    await page.waitForSelector('.away', { state: 'detached' });
    browser.expected = [];
    await page.waitForFunction((n) => document.querySelector('.totals .yes').textContent === `${n} yes`, before + 2);
    await page.keyboard.press('z');
    await page.waitForSelector('.note-bar:has-text("taken back")');
  });

  await step('unsaved answers move to another port with the page', async () => {
    browser.expected = ['Failed to load resource', 'ERR_CONNECTION_REFUSED', 'ERR_CONNECTION_RESET'];
    const before = Number((await page.locator('.totals .yes').textContent()).replace(/\D/g, ''));
    const { port } = server.info;
    await server.kill();
    for (let i = 0; i < 3; i += 1) await press(page, 'y');
    await page.waitForSelector('.save.failing:has-text("3 not saved")');
    const taken = require('node:net').createServer();
    await new Promise((resolve) => taken.listen(port, '127.0.0.1', resolve));
    server = await Server.start('review', review);
    check(server.info.port !== port, 'another port');
    await page.locator('.away input').fill('http://evil.example/#key=00000000000000000000000000000000');
    await page.locator('.away button').click();
    await page.waitForSelector('.away .wrong:has-text("another machine")');
    await page.locator('.away input').fill(server.address);
    await page.locator('.away button').click();
    await page.waitForFunction((origin) => location.origin === origin, new URL(server.address).origin);
    await question(page).waitFor();
    await saved(page);
    check(new URL(page.url()).hash === '', `nothing behind # in ${page.url()}`);
    await page.waitForFunction((n) => document.querySelector('.totals .yes').textContent === `${n} yes`, before + 3);
    browser.expected = [];
    taken.close();
  });

  await step('two tabs see and do not disturb each other', async () => {
    const second = await context.newPage();
    await second.goto(server.address);
    await question(second).waitFor();
    const count = Number((await page.locator('.totals .no').textContent()).replace(/\D/g, ''));
    await press(page, 'n');
    await press(second, 'n'); // perhaps the same entry: one state, two lines in the log of answers
    await press(second, 'n');
    await saved(page);
    await saved(second);
    await page.waitForFunction((n) => Number(document.querySelector('.totals .no').textContent.replace(/\D/g, '')) >= n, count + 2);
    const texts = [await page.locator('.totals').textContent()];
    await second.waitForFunction((text) => document.querySelector('.totals').textContent === text, texts[0]);
    await second.close();
  });

  await step('a broken and a missing image are said to be so', async () => {
    browser.expected = ['404', 'ERR_CONNECTION'];
    await page.reload();
    await question(page).waitFor();
    const [row] = (await entryOf(page)).split('/');
    const scene = path.join(demo, 'scenes', 'images', `train_${row.padStart(6, '0')}.jpg`);
    const whole = fs.readFileSync(scene);
    fs.writeFileSync(scene, 'not an image');
    await server.kill(); // forgets its thumbnails
    server = await Server.start('review', review);
    await page.goto(server.address);
    await question(page).waitFor();
    await page.waitForSelector('.frame .no-image:not([hidden]):has-text("cannot be shown")');
    await press(page, 'u');
    await saved(page);
    fs.writeFileSync(scene, whole); // other questions are about it, too
    browser.expected = [];
  });

  await step('a random sample gives a bound', async () => {
    const isTrue = truthOf(path.join(demo, 'scenes'), 20);
    const { entries } = (await ask(page, '/api/entries?limit=200')).body;
    await answerTruly(page, entries, isTrue);
    await page.keyboard.press('p');
    await page.waitForSelector('.stop');
    await page.locator('.stop input').fill('120');
    await page.locator('.stop button').click();
    await page.waitForSelector('.sample-bar');
    for (let i = 0; i < 5; i += 1) {
      const [row, label] = (await entryOf(page)).split('/').map(Number);
      await press(page, isTrue(row, label) ? 'y' : 'n');
    }
    await page.waitForSelector('.sample-bar:has-text("5 of 120")');
    const drawn = (await ask(page, '/api/entries?sample=1')).body;
    await answerTruly(page, drawn.entries.slice(5, 119), isTrue, 1);
    await page.reload(); // goes on at the first entry that waits
    await question(page).waitFor();
    const last = drawn.entries[119];
    check((await entryOf(page)) === `${last.row}/${last.label}`, 'the one that is left');
    await page.keyboard.press(isTrue(last.row, last.label) ? 'y' : 'n');
    await page.waitForSelector('.sample-bar:has-text("120 of 120")');
    await page.locator('.sample-bar .link').click();
    await page.waitForSelector('.bound');
    check((await page.locator('.stop').textContent()).includes('needs a new sample'), 'a word on second looks');
    await page.waitForSelector('.chart .found');
    await page.waitForFunction(() => document.querySelector('.note-bar').textContent === '');
    await picture(page, 'review-progress');
    await page.keyboard.press('p');
  });

  // By now nobody minds where the page is, so the picture shows answers as they should be.
  if (process.env.PICTURES) await photographGrid(page);

  await step('exports what was answered', async () => {
    const out = path.join(folder, 'labels.csv');
    spml('review', review, '--export', out, '--format', 'csv');
    const totals = await page.locator('.totals').textContent();
    const yes = fs.readFileSync(out, 'utf8').split('\n').filter((line) => line.includes(',yes,')).length;
    check(totals.includes(`${yes} yes`), `${yes} yes in ${totals}`);
    const data = path.join(folder, 'exported');
    spml('review', review, '--export', data, '--format', 'data', '--quiet');
    spml('train', data, '--loss', 'an', '--epochs', '1', '--out', path.join(folder, 'better'), '--quiet', '--json');
    await page.keyboard.press('p');
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-export="csv"]').click()]);
    // The page's table has the answers alone, the export also what was given.
    const answered = fs.readFileSync(out, 'utf8').split('\n').filter((line) => !line.includes(',given,'));
    check(fs.readFileSync(await download.path(), 'utf8') === answered.join('\n'), 'the same answers from the page');
    await page.keyboard.press('p');
  });

  await step('works on a phone', async () => {
    const phone = await browser.context({ viewport: { width: 375, height: 720 }, hasTouch: true, isMobile: true });
    const small = await phone.newPage();
    await small.goto(server.address);
    await question(small).waitFor();
    await small.waitForFunction(() => document.querySelector('.frame img:not([hidden])')?.complete);
    await picture(small, 'review-phone');
    const wide = await small.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 375, `nothing wider than the screen, found ${wide}`);
    const before = await entryOf(small);
    await small.locator('.answer.no').tap();
    await small.waitForFunction((old) => document.querySelector('h1.question').dataset.entry !== old, before);
    await small.locator('[data-view="grid"]').tap();
    await small.waitForSelector('.tile');
    check((await small.evaluate(() => document.documentElement.scrollWidth)) <= 375, 'a grid that fits');
    await small.waitForFunction(() => [...document.querySelectorAll('.tile img')].slice(0, 12).every((i) => i.complete));
    await picture(small, 'review-phone-grid');
    await small.locator('[data-view="progress"]').tap();
    await small.waitForSelector('.chart');
    check((await small.evaluate(() => document.documentElement.scrollWidth)) <= 375, 'progress that fits');
    await phone.close();
  });

  await step('is dark where the system is', async () => {
    const dark = await browser.context({ colorScheme: 'dark' });
    const night = await dark.newPage();
    await night.goto(server.address);
    await question(night).waitFor();
    const back = await night.evaluate(() => getComputedStyle(document.body).backgroundColor);
    check(back === 'rgb(17, 20, 26)', `a dark background, found ${back}`);
    await night.waitForFunction(() => document.querySelector('.frame img:not([hidden])')?.complete);
    await night.waitForFunction(() => [...document.querySelectorAll('.neighbours img')].filter((i) => i.complete).length >= 6);
    await picture(night, 'review-dark');
    await dark.close();
  });

  await step('nobody gets in without the key', async () => {
    const stranger = await browser.context();
    browser.expected = ['401'];
    const visitor = await stranger.newPage();
    await visitor.goto(new URL('/', server.address).href);
    await visitor.waitForSelector('h1:has-text("cannot be reached")');
    check((await ask(visitor, '/api/review')).status === 401, 'a refusal');
    await visitor.locator('.away input').fill(server.address);
    await visitor.locator('.away button').click();
    await question(visitor).waitFor(); // who has the address gets in
    await stranger.close();
    browser.expected = [];
  });

  await step('nothing in the console, and no request left the machine', async () => {
    check(browser.problems.length === 0, `an empty console, found: ${browser.problems.join(' | ')}`);
    check(browser.foreign.length === 0, `no foreign request, found ${browser.foreign}`);
  });

  await browser.chromium.close();
  await server.stop();
  const { failures, passed } = report();
  console.log(`${passed} passed, ${failures} failed`);
  process.exit(failures > 0 ? 1 : 0);
}

main().catch((error) => {
  console.log(`FAILED  ${error.stack}`);
  process.exit(1);
});
