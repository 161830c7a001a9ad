// What goes wrong under a review, as the reviewer sees it: a full disk, a database that another program
// holds, one that is removed. Answers that are not saved are shown so, and are saved when they can be.
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { Browser, Server, ask, check, report, spml, step } = require('./setup.cjs');

const folder = path.join(process.env.FOLDER, 'faults');
const below = (name) => path.join(folder, name);
const count = (text) => Number(text.replace(/\D/g, ''));

const saved = (page) => page.waitForSelector('.save:not(.saving):not(.failing)');
const entryOf = (page) => page.locator('h1.question').getAttribute('data-entry');

// Answers and waits for the next question.
async function press(page, key) {
  const before = await entryOf(page);
  await page.keyboard.press(key);
  await page.waitForFunction((old) => document.querySelector('h1.question').dataset.entry !== old, before);
}

const answersIn = (review) => {
  const out = below('check.csv');
  spml('review', review, '--export', out, '--format', 'csv', '--overwrite', '--quiet');
  return fs.readFileSync(out, 'utf8').split('\n').filter((line) => line.includes(',yes,')).length;
};

async function open(browser, review, ...more) {
  const server = await Server.start('review', below('data'), '--run', below('run'), '--out', review, ...more);
  const page = await (await browser.context()).newPage();
  await page.goto(server.address);
  await page.locator('h1.question').waitFor();
  return { server, page };
}

// A file system of 12 MB, where mounting is allowed.
function mountSmall(place) {
  fs.mkdirSync(place);
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'none', place]).status === 0;
}

async function fullDisk(browser) {
  const disk = below('disk');
  if (!mountSmall(disk)) return console.log('skipped a full disk: may not mount a file system');
  try {
    const review = path.join(disk, 'review');
    const { server, page } = await open(browser, review, '--log', path.join(disk, 'log.jsonl'));
    const filler = path.join(disk, 'filler');
    spawnSync('sh', ['-c', `cat /dev/zero > ${filler}`]);
    browser.expected = ['507'];
    for (let i = 0; i < 30; i += 1) await press(page, 'y');
    await page.waitForSelector('.save.failing:has-text("not saved"):has-text("the disk is full")');
    check(!(await page.locator('.save').textContent()).includes('all saved'), 'no word of all saved');
    fs.rmSync(filler);
    await saved(page);
    browser.expected = [];
    check(count(await page.locator('.totals .yes').textContent()) === 30, '30 yes');
    await page.close(); // which would go on asking
    await server.kill();
    check(answersIn(review) === 30, '30 answers in the file');
  } finally {
    spawnSync('umount', ['-l', disk]);
  }
  return undefined;
}

// Another process that holds the database until it is told to end.
async function hold(file) {
  const script = `import sqlite3, sys
connection = sqlite3.connect(${JSON.stringify(file)}, isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
connection.execute("ROLLBACK")`;
  const holder = spawn('python3', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    holder.stdout.once('data', resolve);
    holder.once('exit', () => reject(new Error('python3 with sqlite3 is needed')));
  });
  return () => new Promise((resolve) => {
    holder.once('exit', resolve);
    holder.stdin.end();
  });
}

async function main() {
  fs.mkdirSync(folder);
  spml('synth', '--out', below('data'), '--rows', '300', '--labels', '6', '--features', '16', '--quiet');
  spml('train', below('data'), '--loss', 'an', '--epochs', '2', '--out', below('run'), '--quiet');
  const browser = await Browser.start();

  await step('a full disk loses no answer', () => fullDisk(browser));

  const review = below('review'), file = path.join(review, 'review.db');
  const { server, page } = await open(browser, review);

  await step('a database that another program holds loses no answer', async () => {
    browser.expected = ['503'];
    const release = await hold(file);
    for (let i = 0; i < 5; i += 1) await press(page, 'y');
    await page.waitForSelector('.save.failing:has-text("5 not saved"):has-text("another program holds")');
    await release();
    await saved(page);
    browser.expected = [];
    check(answersIn(review) === 5, '5 answers in the file');
  });

  await step('nothing is called saved that goes into a removed file', async () => {
    browser.expected = ['503'];
    fs.renameSync(file, below('aside.db'));
    for (let i = 0; i < 4; i += 1) await press(page, 'y');
    await page.waitForSelector('.save.failing:has-text("4 not saved"):has-text("removed or replaced")');
    await page.reload(); // they outlive it
    await page.waitForSelector('.save.failing:has-text("4 not saved")');
    fs.renameSync(below('aside.db'), file);
    await saved(page);
    browser.expected = [];
    check(answersIn(review) === 9, '9 answers in the file');
  });

  await step('what is refused is open again', async () => {
    browser.expected = ['409'];
    const asked = await entryOf(page);
    await page.route('**/api/answers', (route) => route.fulfill({ status: 409, body: 'not among the suggestions' }));
    await press(page, 'y');
    await page.waitForSelector('.note-bar:has-text("open again")');
    await page.unroute('**/api/answers');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((key) => document.querySelector('h1.question').dataset.entry === key, asked);
    check((await page.locator('h1.question').getAttribute('data-state')) === 'open', 'an open entry');
    browser.expected = [];
  });

  await step('a key that is held down answers once', async () => {
    const { counts } = (await ask(page, '/api/review')).body;
    await page.keyboard.down('y');
    for (let i = 0; i < 20; i += 1) await page.keyboard.down('y'); // repeats
    await page.keyboard.up('y');
    await saved(page);
    const answers = (list) => list.reduce((sum, of) => sum + of[1] + of[2] + of[3], 0);
    const once = (await ask(page, '/api/review')).body.counts;
    check(answers(once) - answers(counts) === 1, `one more answer, found ${answers(once) - answers(counts)}`);
    await page.keyboard.press('g');
    await page.waitForFunction(() => document.querySelectorAll('.tile').length === 24);
    const first = await page.locator('h1.question').getAttribute('data-page');
    const shown = await page.locator('.tile').count();
    await page.keyboard.down('Enter');
    for (let i = 0; i < 5; i += 1) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.waitForFunction((old) => document.querySelector('h1.question')?.dataset.page !== old, first);
    await saved(page);
    const after = (await ask(page, '/api/review')).body.counts;
    check(answers(after) - answers(once) === shown, `${shown} more answers, found ${answers(after) - answers(once)}`);
  });

  await step('nothing else in the console', async () => {
    check(browser.problems.length === 0, `an empty console, found: ${browser.problems.join(' | ')}`);
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
