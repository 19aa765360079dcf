// The page of the token game in Chromium: node token_game_test.mjs PROGRAM PACKAGES
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { launch, skipWithoutDriver } from './browser.mjs';

const [program, packages] = process.argv.slice(2);
skipWithoutDriver(packages);

const weft = (...words) => execFileSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 28 });

let folder, browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-page-'));
  browser = await launch(packages);
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

// The page, offline, with everything that it must not do: ask for something, or fail.
async function open(net, ...words) {
  const file = join(folder, 'page.html');
  weft('net', 'page', net, '--output', file, ...words);
  const context = await browser.newContext();
  context.setDefaultTimeout(0); // ctest has one, and a machine may be slow
  await context.setOffline(true);
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', error => faults.push(`error: ${error.message}`));
  page.on('console', message => { if (message.type() === 'error') faults.push(`console: ${message.text()}`); });
  page.on('request', request => {
    if (!/^(file|data):/.test(request.url())) faults.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  return { page, async close() {
    assert.deepEqual(faults, []);
    await context.close();
  } };
}

const marking = page => page.$$eval('#marking tbody tr',
  rows => Object.fromEntries(rows.map(row => [row.cells[0].textContent, row.cells[1].textContent])));
const matrix = (page, name) => page.$$eval(`#matrix-${name} tr`,
  rows => rows.map(row => [...row.cells].map(cell => Number(cell.textContent))));
const enabled = page => page.$$eval('.transition.enabled', all => all.map(each => each.dataset.transition));
const steps = page => page.textContent('#count');
const message = page => page.textContent('#message');

// Table 2-A as the program prints it: [transition, [sizes], leaves].
function paperSteps() {
  const lines = weft('mss', '--table', '2A').split('\n');
  return lines.map(line => /^ *(\d+)  (LTS-Core|Multiplier|MSS)(\d?)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)$/.exec(line)).filter(Boolean)
    .map(([, , kind, core, ...counts]) => ({
      transition: kind === 'MSS' ? 'MSS' : `Core${core}.${kind === 'LTS-Core' ? 'LTS' : 'Multiplier'}`,
      sizes: counts.slice(0, 3).map(Number),
      leaves: Number(counts[3]),
    }));
}

function paperTrace() {
  const file = join(folder, 'paper.trace');
  writeFileSync(file, paperSteps().map(step => step.transition).join('\n') + '\n');
  return file;
}

const product = [[83, 79, 104, 73, 121, 119], [83, 95, 137, 94, 118, 100], [108, 101, 140, 94, 104, 105], [103, 119, 126, 70, 143, 137]];

test('Table 2-A is played to the end, step by step, and the matrix is there', async () => {
  const { page, close } = await open('mss:4x5x6:3', '--replay', paperTrace());
  const wanted = paperSteps();
  assert.equal(wanted.length, 69);
  for (const step of wanted) {
    assert.ok((await enabled(page)).includes(step.transition));
    await page.click('#step');
    const now = await marking(page);
    assert.equal(now.GuardsValue, JSON.stringify(step.sizes));
    assert.equal((now.LeafLevel.match(/\(/g) ?? []).length, step.leaves);
  }
  assert.equal(await steps(page), '69 steps, nothing is enabled');
  assert.deepEqual(await matrix(page, 'C'), product);
  await close();
});

test('to the end and back to the beginning', async () => {
  const { page, close } = await open('mss:4x5x6:3', '--replay', paperTrace());
  const first = await marking(page);
  await page.click('#end');
  assert.deepEqual(await matrix(page, 'C'), product);
  await page.click('#back');
  assert.equal(await steps(page), '68 steps');
  await page.evaluate(() => { for (let step = 0; step !== 68; ++step) document.getElementById('back').click(); });
  assert.deepEqual(await marking(page), first);
  assert.equal(await steps(page), '0 steps');
  await close();
});

test('a run of the program and one in the browser have the same marking at the end', async () => {
  for (const seed of ['1', '2', '3']) {
    const file = join(folder, `random-${seed}.trace`);
    const printed = weft('net', 'run', 'mss:3x4x5:4', '--seed', seed, '--steps', '40', '--save', file, '--quiet');
    const short = join(folder, 'short.trace');
    writeFileSync(short, execFileSync('sed', ['s/(.*//', file]));
    const { page, close } = await open('mss:3x4x5:4', '--replay', short);
    await page.click('#end');
    for (const [name, text] of Object.entries(await marking(page))) {
      assert.ok(printed.includes(text), `${name}: ${text}`);
    }
    assert.equal(await steps(page), '40 steps');
    await close();
  }
});

test('play runs by itself until it is stopped', async () => {
  const { page, close } = await open('kanban:2');
  await page.fill('#pause', '1');
  await page.click('#play');
  await page.waitForFunction(() => parseInt(document.getElementById('count').textContent) >= 20);
  await page.click('#play');
  assert.equal(await page.textContent('#play'), 'Play');
  await close();
});

test('a transition that may fire is chosen by a click, and others do nothing', async () => {
  const { page, close } = await open('philosophers:3');
  await page.click('[data-transition=TakeLeft_0] rect');
  assert.equal((await marking(page)).HasLeft_0, '1');
  assert.equal((await marking(page)).Fork_0, '0');
  await page.click('[data-transition=PutDown_0] rect');
  assert.equal(await steps(page), '1 steps');
  await close();
});

test('a net of colours is played on its graph, with values to choose', async () => {
  const { page, close } = await open('token-ring:3');
  assert.equal(await page.$$eval('#choices button', all => all.length), 3);
  await page.click('#choices button');
  assert.equal(await steps(page), '1 steps');
  await page.click('#save');
  const taken = await page.inputValue('#trace');
  assert.match(taken, /^OtherProcess\(.*\)\n$/);
  await page.click('#load');
  await page.click('#end');
  assert.equal(await steps(page), '1 steps');
  await close();
});

test('a wrong trace is reported', async () => {
  const { page, close } = await open('philosophers:3');
  await page.fill('#trace', 'TakeLeft_0\nNobody\n');
  await page.click('#load');
  assert.equal(await message(page), "firing 2: there is no transition 'Nobody'");
  await page.fill('#trace', 'TakeLeft_0\nPutDown_0\n');
  await page.click('#load');
  await page.click('#end');
  assert.equal(await message(page), "firing 2: 'PutDown_0' is not enabled here");
  await close();
});

test('names with signs of HTML stay text', async () => {
  const file = join(folder, 'signs.pnml');
  writeFileSync(file, `<pnml><net id="n" type="ptnet"><name><text>&lt;/script&gt;&lt;b&gt; "&amp;"</text></name>
    <page id="g"><place id="p"><name><text>&lt;img src=x onerror=alert(1)&gt;</text></name></place></page></net></pnml>`);
  const { page, close } = await open(file);
  assert.equal(await page.textContent('#title'), '</script><b> "&"');
  assert.ok('<img src=x onerror=alert(1)>' in await marking(page));
  await close();
});
