// The whole way: a table with one label per image is imported and trained on, what is missing is
// answered in the browser, and the exported data folder trains a better classifier.
const fs = require('node:fs');
const path = require('node:path');
const { Browser, Server, ask, check, picture, report, spml, step, truthOf } = require('./setup.cjs');

const ANSWERS = 600, PIECE = 100;
const folder = path.join(process.env.FOLDER, 'from-import');
const source = path.join(process.env.FOLDER, 'demo', 'scenes'); // drawn by the other journey
const below = (name) => path.join(folder, name);
const transcript = []; // what a terminal would show

function run(shown, ...args) {
  const out = spml(...args);
  transcript.push(`$ spml ${shown}`);
  return out;
}

const testMap = (text) => JSON.parse(text).test_map;

// One label of each training image, all labels of the test images.
function writeTable(classes) {
  const lines = ['image,label,split'];
  const list = (part, labels, rows) => {
    const has = truthOf(source, classes.length, part, labels);
    for (let row = 0; row < rows; row += 1) {
      const image = `${part}_${String(row).padStart(6, '0')}.jpg`;
      const named = classes.filter((_, label) => has(row, label));
      for (const name of named) lines.push(`${image},${name},${part === 'val' ? 'test' : 'train'}`);
    }
  };
  const count = (part) => fs.readdirSync(path.join(source, 'images')).filter((name) => name.startsWith(part)).length;
  list('train', 'labels_obs', count('train_'));
  list('val', 'labels', count('val_'));
  fs.writeFileSync(below('photos.csv'), lines.join('\n') + '\n');
}

// Somebody who knows the truth answers the best suggestions, at the pace of the ranking.
async function answerAll(page, isTrue) {
  for (let given = 0; given < ANSWERS; given += PIECE) {
    const { ranking } = (await ask(page, '/api/review')).body;
    const { entries } = (await ask(page, `/api/entries?limit=${PIECE}`)).body;
    const answers = entries.map(({ row, label }) => ({ row, label, answer: isTrue(row, label) ? 'yes' : 'no' }));
    const { status } = await ask(page, '/api/answers', { action: `import-${given}`, answers });
    check(status === 200, `saved answers, found ${status}`);
    while ((await ask(page, '/api/review')).body.ranking <= ranking) await page.waitForTimeout(200);
  }
}

// The commands as a terminal shows them, photographed like the pages.
async function photographTerminal(page) {
  if (!process.env.PICTURES) return;
  const text = transcript.join('\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  await page.setContent(`<body style="margin:0;background:#16181d;color:#d8dee9"><pre id="terminal" style="margin:0;
    padding:20px 24px;font:15px/1.5 monospace;display:inline-block">${text}</pre></body>`);
  await page.locator('#terminal').screenshot({ path: path.join(process.env.PICTURES, 'journey-terminal.png') });
}

async function main() {
  fs.mkdirSync(folder);
  const { classes } = JSON.parse(fs.readFileSync(path.join(source, 'dataset.json'), 'utf8'));
  const browser = await Browser.start();
  let before = 0;

  await step('a table with one label per image is imported and trained on', async () => {
    writeTable(classes);
    const features = (part) => path.join(source, `${part}_features_imagenet_resnet50.npy`);
    run('import csv photos.csv --images scenes --features train.npy --test-features test.npy --full-test --out photos',
      'import', 'csv', below('photos.csv'), '--images', path.join(source, 'images'), '--features', features('train'),
      '--test-features', features('val'), '--full-test', '--out', below('photos'), '--quiet');
    before = testMap(run('train photos --loss role --out first', 'train', below('photos'), '--loss', 'role', '--out',
      below('first'), '--quiet', '--json'));
    transcript.push(`  test MAP ${before.toFixed(1)}`);
  });

  await step('its missing labels are asked for in the browser', async () => {
    const server = await Server.start('review', below('photos'), '--run', below('first'), '--out', below('review'));
    transcript.push('$ spml review photos --run first --out review', `  ${new URL(server.address).origin}/…`);
    const page = await (await browser.context()).newPage();
    await page.goto(server.address);
    await page.locator('h1.question').waitFor();
    await page.waitForFunction(() => [...document.querySelectorAll('img')].every((image) => image.complete));
    await picture(page, 'journey-question');
    const info = (await ask(page, '/api/review')).body;
    // The import sorts the classes by name.
    const has = truthOf(source, classes.length);
    const isTrue = (row, label) => has(row, classes.indexOf(info.classes[label]));
    await answerAll(page, isTrue);
    await page.goto(new URL('/?view=progress', server.address).href);
    await page.waitForSelector('.stop');
    await page.waitForTimeout(500);
    await picture(page, 'journey-progress');
    const { counts } = (await ask(page, '/api/review')).body;
    const total = (state) => counts.reduce((sum, of) => sum + of[state], 0);
    check(total(1) + total(2) === ANSWERS, `${ANSWERS} answers`);
    transcript.push(`  ${ANSWERS} answers: ${total(1)} yes, ${total(2)} no`);
    await page.close();
    await server.stop();
  });

  await step('the exported data folder trains a better classifier', async () => {
    run('review review --export labelled --format data', 'review', below('review'), '--export', below('labelled'),
      '--format', 'data', '--quiet');
    const after = testMap(run('train labelled --loss role --out better', 'train', below('labelled'), '--loss', 'role',
      '--out', below('better'), '--quiet', '--json'));
    transcript.push(`  test MAP ${after.toFixed(1)}`);
    check(after > before + 0.5, `a test MAP well above ${before.toFixed(2)}, found ${after.toFixed(2)}`);
    await photographTerminal(await (await browser.context()).newPage());
  });

  await step('nothing in the console, and no request left the machine', async () => {
    check(browser.problems.length === 0, `an empty console, found: ${browser.problems.join(' | ')}`);
    check(browser.foreign.length === 0, `no foreign request, found: ${browser.foreign.join(' | ')}`);
  });
  await browser.chromium.close();
  console.log(transcript.join('\n'));
  const { failures, passed } = report();
  console.log(`${passed} passed, ${failures} failed`);
  process.exit(failures > 0 ? 1 : 0);
}

main().catch((error) => {
  console.log(`FAILED  ${error.stack}`);
  process.exit(1);
});
