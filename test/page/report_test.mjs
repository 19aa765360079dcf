// The report of the demonstration in Chromium: node report_test.mjs FOLDER PACKAGES [SCREENSHOTS]
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { launch, skipWithoutDriver } from './browser.mjs';

const [folder, packages, pictures] = process.argv.slice(2);
skipWithoutDriver(packages);
const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));

let browser;
before(async () => { browser = await launch(packages); });
after(async () => { await browser?.close(); });

// The page, offline, with everything that it must not do: ask for something, or fail.
async function open(width = 1280, colorScheme = 'light') {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  context.setDefaultTimeout(0); // ctest has one, and a machine may be slow
  await context.setOffline(true);
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', error => faults.push(`error: ${error.message}`));
  page.on('console', message => { if (message.type() === 'error') faults.push(`console: ${message.text()}`); });
  page.on('request', request => {
    if (!/^(file|data):/.test(request.url())) faults.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(join(folder, 'report.html')).href);
  await page.waitForSelector('svg');
  return { page, async close() {
    assert.deepEqual(faults, []);
    await context.close();
  } };
}

const mainFigure = (workload, act) => act.figures.find(each => each.name === workload.figure)?.value;

test('the numbers of the page are those of the JSON', async () => {
  const { page, close } = await open();
  const shown = await page.$$eval('td[data-act]', cells => Object.fromEntries(cells.map(cell => [cell.dataset.act,
    { text: cell.firstChild.textContent, value: cell.dataset.value, ratio: cell.parentElement.querySelector('.ratio').textContent }])));
  let count = 0;
  for (const workload of report.workloads) {
    for (const act of workload.acts) {
      const cell = shown[`${workload.name}/${act.name}`];
      if (act.result) assert.equal(cell.text, act.result);
      assert.equal(cell.ratio, act.ratio_text);
      const value = act.ending === 'completed' ? mainFigure(workload, act) : undefined;
      assert.equal(cell.value === undefined ? undefined : Number(cell.value), value);
      ++count;
    }
  }
  assert.equal(Object.keys(shown).length, count);
  assert.match(await page.textContent('#verdict'), report.holds ? /held/ : /did not hold/);
  await close();
});

test('every workload has a plot with a bar for each of its figures', async () => {
  const { page, close } = await open();
  for (const workload of report.workloads) {
    const bars = await page.$$eval(`#${workload.name} .bar`, all => all.map(each =>
      ({ act: each.dataset.act, value: Number(each.dataset.value), width: each.getBoundingClientRect().width })));
    const wanted = workload.acts.filter(act => act.ending === 'completed' && mainFigure(workload, act) !== undefined);
    assert.deepEqual(bars.map(each => [each.act, each.value]), wanted.map(act => [act.name, mainFigure(workload, act)]));
    const longest = bars.reduce((one, other) => one.width > other.width ? one : other);
    assert.equal(longest.value, Math.max(...bars.map(each => each.value)));
  }
  await close();
});

test('the plot of the loop has a strip for each thread, and the time at work is coloured', async () => {
  const { page, close } = await open();
  const workload = report.workloads.find(each => each.name === 'loop');
  const acts = workload.acts.filter(act => act.ending === 'completed');
  const seen = selector => page.$$eval(selector, all => all.map(each =>
    ({ act: each.dataset.act, thread: each.dataset.thread, x: each.x.baseVal.value, width: each.width.baseVal.value })));
  const waiting = await seen('#loop .waiting');
  assert.equal(waiting.length, acts.reduce((sum, act) => sum + act.curves.length, 0));
  const working = await seen('#loop .working');
  let strip = 0;
  for (const act of acts) {
    assert.ok(act.curves.length > 0);
    for (const curve of act.curves) {
      const { x, width } = waiting[strip++];
      const pieces = working.filter(each => each.act === act.name && each.thread === curve.name);
      assert.equal(pieces.length, curve.points.length);
      for (const piece of pieces) assert.ok(piece.x >= x && piece.x + piece.width <= x + width + 1);
    }
  }
  await close();
});

test('the drawing of the graph has a box for each of its nodes, below those that it comes after', async () => {
  const { page, close } = await open();
  const { drawing } = report.workloads.find(each => each.name === 'graph').acts.at(-1);
  const nodes = [...drawing.matchAll(/(\w+) \[label="([^"\\]*)\\n\d+ x [\d.]+ us"/g)].map(([, id, name]) => ({ id, name }));
  const boxes = await page.$$eval('#graph .node', all => all.map(each => {
    const { left, right, top } = each.getBoundingClientRect();
    return { name: each.dataset.node, left, right, top };
  }));
  assert.ok(nodes.length > 20);
  assert.deepEqual(boxes.map(each => each.name).sort(), nodes.map(each => each.name).sort());
  const box = id => boxes.find(each => each.name === nodes.find(node => node.id === id).name);
  const edges = [...drawing.matchAll(/(\w+) -> (\w+)/g)];
  assert.ok(edges.length > nodes.length);
  for (const [, before, after] of edges) assert.ok(box(before).top < box(after).top);
  for (const one of boxes) {
    for (const other of boxes) assert.ok(one === other || one.top !== other.top || one.right <= other.left || other.right <= one.left);
  }
  await close();
});

test('the plots with curves have a line for each of their curves, and are not blank', async () => {
  const { page, close } = await open();
  const curves = name => page.$$eval(`#${name} .curve`, all => all.map(each => each.dataset.curve));
  const with_curves = name => report.workloads.find(each => each.name === name).acts.filter(act => act.ending === 'completed' && act.curves.length);
  for (const name of ['contracts', 'recurring']) assert.deepEqual(await curves(name), with_curves(name).map(act => act.name));
  const near = await curves('graph');
  assert.ok(near.length > 0);
  const title = await page.textContent('#graph .columns:last-child h3');
  for (const act of with_curves('graph')) assert.ok(near.includes(act.name) !== title.includes(act.name), act.name);
  const simulated = with_curves('matrix')[0].curves.map(each => each.name);
  assert.deepEqual((await curves('matrix')).slice(-simulated.length), simulated);
  for (const name of ['graph', 'contracts', 'recurring', 'matrix']) {
    for (const box of await page.$$eval(`#${name} .curve`, all => all.map(each => each.getBoundingClientRect().width))) {
      assert.ok(box > 50);
    }
  }
  assert.equal(await page.$$eval('svg *', all => all.filter(each =>
    [...each.attributes].some(attribute => /NaN|undefined|Infinity/.test(attribute.value))).length), 0);
  await close();
});

test('it fits a desktop and a phone, in light and in dark', async () => {
  const grounds = new Set();
  for (const width of [1280, 390]) {
    for (const scheme of ['light', 'dark']) {
      const { page, close } = await open(width, scheme);
      const { wide, ground } = await page.evaluate(() =>
        ({ wide: document.documentElement.scrollWidth, ground: getComputedStyle(document.body).backgroundColor }));
      assert.ok(wide <= width, `${wide} pixels at ${width}`);
      grounds.add(ground);
      if (pictures) await page.screenshot({ path: join(pictures, `report-${width}-${scheme}.png`), fullPage: true });
      await close();
    }
  }
  assert.equal(grounds.size, 2);
});
