// Answers as the truth has it, through the addresses that the page uses.
const fs = require('node:fs');
const path = require('node:path');
const { Server } = require('../tests/review/browser/server.cjs');
const { truthOf } = require('../tests/review/browser/truth.cjs');

const { DATA, WORK, ANSWERS, ROUND } = process.env;
const PIECE = 100; // answers sent at once: as many as the ranking waits for
const POLL_MS = 200;

const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS));

async function main() {
  const review = path.join(WORK, 'review');
  const server = await Server.start('review', DATA, '--run', path.join(WORK, 'run'), '--out', review);
  const key = new URL(server.address).hash.slice('#key='.length);
  const origin = new URL(server.address).origin;
  const headers = { 'Spml-Key': key, Origin: origin, 'Content-Type': 'application/json' };
  const get = async (target) => (await fetch(origin + target, { headers })).json();
  const post = async (target, body) => {
    const response = await fetch(origin + target, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${target}: ${await response.text()}`);
    return response.json();
  };
  const info = await get('/api/review');
  const isTrue = truthOf(DATA, info.classes.length);
  let yes = 0, given = 0;
  console.log('answers  found  precision  expected missing  test MAP');
  const tell = async () => {
    const { run } = await get('/api/review');
    const test = run.test_map ?? JSON.parse(fs.readFileSync(path.join(WORK, 'run.json'), 'utf8')).test_map;
    console.log(`${String(given).padStart(7)} ${String(yes).padStart(6)} ${(given ? (100 * yes) / given : 0).toFixed(1).padStart(8)} %` +
      ` ${run.expected_missing.toFixed(0).padStart(17)} ${test.toFixed(2).padStart(9)}`);
  };
  await tell();
  while (given < Number(ANSWERS)) {
    for (let sent = 0; sent < Number(ROUND); sent += PIECE) {
      const { entries } = await get(`/api/entries?limit=${PIECE}`);
      const answers = entries.map(({ row, label }) => ({ row, label, answer: isTrue(row, label) ? 'yes' : 'no' }));
      const { ranking } = await get('/api/review');
      await post('/api/answers', { action: `truth-${given}`, answers });
      given += answers.length;
      yes += answers.filter(({ answer }) => answer === 'yes').length;
      // A person takes minutes for so many answers.
      while ((await get('/api/review')).ranking === ranking) await pause();
    }
    await post('/api/retrain', {});
    for (;;) {
      const { retrain } = await get('/api/review');
      if (retrain.error) throw new Error(retrain.error);
      if (!retrain.running) break;
      await pause();
    }
    await tell();
  }
  await server.stop();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
