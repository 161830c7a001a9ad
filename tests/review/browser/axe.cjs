// Whether everybody can use the page: axe-core finds nothing in any view, wide and on a phone, light and
// dark; names of any length widen nothing; bars are as long as what they stand for.
const fs = require('node:fs');
const path = require('node:path');
const { Browser, Server, ask, check, picture, report, spml, step } = require('./setup.cjs');

const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const folder = path.join(process.env.FOLDER, 'axe');
const below = (name) => path.join(folder, name);
const SIZES = [['wide', { width: 1280, height: 860 }, 'light'], ['phone', { width: 390, height: 780 }, 'dark']];
const saved = (page) => page.waitForSelector('.save:not(.saving):not(.failing)');

// The page's own policy forbids scripts from elsewhere, so axe-core comes in through the debugger.
async function findings(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

async function look(page, name) {
  // Colours fade in; what is looked at is what stays.
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))));
  await picture(page, name);
  const found = await findings(page);
  check(found.length === 0, `no finding in ${name}, found:\n${found.join('\n')}`);
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth,
  }));
  check(scroll <= client, `${name} no wider than the screen (${client}), found ${scroll}`);
}

// Parts of a card that its edge or a box that scrolls hides.
const cutOff = (page) => page.evaluate(() => [...document.querySelectorAll('.card *')]
  .filter((node) => node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0 && getComputedStyle(node).overflowX !== 'visible'
    && !node.matches('select, input, .hidden-title'))
  .map((node) => node.outerHTML.slice(0, 120)));

async function main() {
  fs.mkdirSync(folder);
  spml('synth', '--out', below('data'), '--rows', '300', '--labels', '6', '--features', '16', '--quiet');
  const json = JSON.parse(fs.readFileSync(below('data/dataset.json'), 'utf8'));
  json.name = 'n'.repeat(224);
  json.classes = Array.from({ length: 6 }, (_, j) => (j < 3 ? `${'w'.repeat(223)}${j}` : `class ${j}`));
  fs.writeFileSync(below('data/dataset.json'), JSON.stringify(json));
  spml('train', below('data'), '--loss', 'an', '--epochs', '2', '--out', below('run'), '--quiet');
  const server = await Server.start('review', below('data'), '--run', below('run'), '--out', below('review'));
  const browser = await Browser.start();

  for (const [name, viewport, colorScheme] of SIZES) {
    const page = await (await browser.context({ viewport, colorScheme })).newPage();
    await page.goto(server.address);
    await page.locator('h1.question').waitFor();

    await step(`one question (${name})`, async () => {
      await look(page, `axe-one-${name}`);
      const share = await page.evaluate(() => {
        const bar = document.querySelector('.score .bar');
        return bar.firstElementChild.getBoundingClientRect().width / bar.getBoundingClientRect().width;
      });
      const [entry] = (await ask(page, '/api/entries?limit=1')).body.entries;
      check(Math.abs(share - entry.score) < 0.02, `a bar of ${entry.score}, found ${share}`);
    });

    await step(`the grid takes unlikely labels for absent (${name})`, async () => {
      await page.locator('[data-view="grid"]').click();
      await page.waitForSelector('.tile');
      await page.locator('input[name="max"]').fill('0.7');
      await page.locator('input[name="max"]').press('Enter');
      await page.waitForFunction(() => document.querySelectorAll('.tile').length > 0 && location.search.includes('max=0.7'));
      await look(page, `axe-grid-${name}`);
      const marks = await page.evaluate(() => [...document.querySelectorAll('.tile')].map((tile) =>
        [Number(tile.querySelector('.tile-score').textContent.replace(' %', '')), tile.classList.contains('yes')]));
      check(marks.some(([score]) => score < 49), 'a tile below 50 %');
      check(marks.every(([score, yes]) => score === 50 || yes === score > 50), `yes from 50 % on, found ${marks.join(' ')}`);
    });

    await step(`the class of the grid stays there (${name})`, async () => {
      await page.locator('[data-view="one"]').click();
      await page.waitForSelector('.one');
      check((await page.locator('select[name="class"]').inputValue()) === '', 'all classes');
      await page.goto(new URL('/', server.address).href);
      await page.locator('h1.question').waitFor();
    });

    await step(`notes cover nothing (${name})`, async () => {
      await page.keyboard.press('y');
      await saved(page);
      await page.keyboard.press('z');
      await page.waitForSelector('.note-bar:has-text("taken back")');
      const covered = await page.evaluate(() => {
        const note = document.querySelector('.note-bar').getBoundingClientRect();
        return [...document.querySelectorAll('button, input, select')].map((node) => [node, node.getBoundingClientRect()])
          .filter(([, box]) => box.width > 0 && box.left < note.right && box.right > note.left && box.top < note.bottom && box.bottom > note.top)
          .map(([node]) => node.outerHTML);
      });
      check(covered.length === 0, `nothing below the note, found ${covered}`);
    });

    await step(`the list of keys holds the focus (${name})`, async () => {
      await page.locator('[data-tool="help"]').click();
      await page.waitForSelector('.dialog');
      await look(page, `axe-help-${name}`);
      for (let i = 0; i < 30; i += 1) {
        await page.keyboard.press(i < 15 ? 'Tab' : 'Shift+Tab');
        check(await page.evaluate(() => document.querySelector('.dialog').contains(document.activeElement)), 'the focus in the dialog');
      }
      await page.keyboard.press('Escape');
      await page.waitForSelector('.dialog', { state: 'detached' });
      check(await page.evaluate(() => document.activeElement.dataset.tool === 'help'), 'the focus where it was');
    });

    await step(`progress (${name})`, async () => {
      for (const key of ['y', 'n', 'u']) {
        const before = await page.locator('h1.question').getAttribute('data-entry');
        await page.keyboard.press(key);
        await page.waitForFunction((old) => document.querySelector('h1.question').dataset.entry !== old, before);
      }
      await saved(page);
      await page.locator('[data-view="progress"]').click();
      await page.waitForSelector('.stop .expected');
      await look(page, `axe-progress-${name}`);
      const hidden = await cutOff(page);
      check(hidden.length === 0, `nothing cut off, found ${hidden.join('\n')}`);
    });

    await step(`every format is exported from the page (${name})`, async () => {
      for (const format of ['data', 'csv', 'jsonl', 'coco', 'voc', 'label-studio']) {
        await page.locator('select[name="format"]').selectOption(format);
        await page.locator('[data-export="write"]').click();
        await page.waitForSelector(`.exports [role="status"]:has-text("exports/${format}-")`);
        const said = await page.locator('.exports [role="status"]').textContent();
        check(fs.existsSync(said.slice(0, said.indexOf(':'))), `a file of ${said}`);
      }
      await look(page, `axe-exports-${name}`);
    });
    await page.close();
  }

  await step('nothing in the console', async () => {
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
