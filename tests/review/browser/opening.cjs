// `spml review` opens its page by itself: through xdg-open, with a relative folder, in a browser that
// Ctrl-C does not end, that keeps nobody waiting, and that holds neither the port nor a pipe.
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { Browser, check, report, spml, step } = require('./setup.cjs');

const folder = path.join(process.env.FOLDER, 'opening');
const below = (name) => path.join(folder, name);
const record = below('record.json');

// Stands for a browser: notes what it got, and stays.
const STUB = `#!/usr/bin/env node
const fs = require('node:fs');
const files = fs.readdirSync('/proc/self/fd').map((fd) => {
  try { return fs.readlinkSync('/proc/self/fd/' + fd); } catch { return ''; }
});
fs.writeFileSync(${JSON.stringify(`${record}.new`)}, JSON.stringify({ page: process.argv[2], pid: process.pid, files }));
fs.renameSync(${JSON.stringify(`${record}.new`)}, ${JSON.stringify(record)});
setInterval(() => {}, 1000);
`;

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function until(condition, what) {
  for (let i = 0; i < 600; i += 1) {
    const found = condition();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`expected ${what}`);
}

// A process group of its own, as a shell makes one; the folder of the review is given as people do.
async function start(environment) {
  fs.rmSync(record, { force: true });
  const program = spawn(process.env.SPML, ['review', 'data', '--run', 'run', '--out', 'review', '--json'],
    { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, DISPLAY: ':99', ...environment } });
  let out = '', err = '';
  program.stdout.on('data', (data) => (out += data));
  program.stderr.on('data', (data) => (err += data));
  const exited = new Promise((resolve) => program.on('close', resolve)); // and nobody holds its pipes
  const stub = await until(() => fs.existsSync(record) && JSON.parse(fs.readFileSync(record, 'utf8')), `a browser; ${err}`);
  return { program, exited, stub, info: JSON.parse(out) };
}

const canListen = (port) => new Promise((resolve) => {
  const server = net.createServer();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
});

function writeProgram(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text, { mode: 0o755 });
}

// xdg-open itself, told that the stub is the browser of this user.
function desktop() {
  writeProgram(below('browser'), STUB);
  writeProgram(below('data-home/applications/stub.desktop'),
    `[Desktop Entry]\nType=Application\nName=Stub\nExec=${below('browser')} %f\nMimeType=text/html;\n`);
  writeProgram(below('config/mimeapps.list'), '[Default Applications]\ntext/html=stub.desktop\n');
  return { XDG_DATA_HOME: below('data-home'), XDG_CONFIG_HOME: below('config'), XDG_CURRENT_DESKTOP: '', DESKTOP_SESSION: '' };
}

function ways() {
  writeProgram(below('bin/xdg-open'), STUB);
  const all = [['a stub', { PATH: `${below('bin')}:${process.env.PATH}` }]];
  if (process.env.PATH.split(':').some((place) => fs.existsSync(path.join(place, 'xdg-open')))) all.push(['xdg-open', desktop()]);
  return all;
}

async function main() {
  fs.mkdirSync(folder);
  spml('synth', '--out', below('data'), '--rows', '200', '--labels', '4', '--features', '16', '--quiet');
  spml('train', below('data'), '--loss', 'an', '--epochs', '1', '--out', below('run'), '--quiet');
  const browser = await Browser.start();

  for (const [name, environment] of ways()) {
    await step(`the page opens by ${name}, and Chromium gets in`, async () => {
      const { program, exited, stub, info } = await start(environment);
      check(stub.page === below('review/open.html'), `the page's file, found ${stub.page}`);
      check((fs.statSync(stub.page).mode & 0o777) === 0o600, 'a file for the user alone');
      const page = await (await browser.context()).newPage();
      await page.goto(`file://${stub.page}`);
      await page.locator('h1.question').waitFor();
      check(new URL(page.url()).origin === new URL(info.address).origin, `the review, found ${page.url()}`);
      await page.close();
      check(!stub.files.some((file) => file.startsWith('socket:')), `no sockets, found ${stub.files}`);
      process.kill(-program.pid, 'SIGINT'); // as Ctrl-C does, to the whole group
      await exited;
      check(isAlive(stub.pid), 'a browser that stays');
      check(!fs.existsSync(stub.page), 'the file gone');
      process.kill(stub.pid, 'SIGKILL');
    });

    await step(`after kill -9 the port is free (${name})`, async () => {
      const { program, exited, stub, info } = await start(environment);
      program.kill('SIGKILL');
      await exited;
      check(await canListen(info.port), 'a free port');
      check(isAlive(stub.pid), 'a browser that stays');
      process.kill(stub.pid, 'SIGKILL');
    });
  }

  await browser.chromium.close();
  const { failures, passed } = report();
  console.log(`${passed} passed, ${failures} failed`);
  process.exit(failures > 0 ? 1 : 0);
}

main().catch((error) => {
  console.log(`FAILED  ${error.stack}`);
  process.exit(1);
});
