// The page of weft mss --experiment in Chromium: node experiment_test.mjs PROGRAM PACKAGES
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { launch, skipWithoutDriver } from './browser.mjs';

const [program, packages] = process.argv.slice(2);
skipWithoutDriver(packages);

let folder, browser, figures;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-experiment-'));
  execFileSync(program, ['mss', '--experiment', '--cores', '1,3,16', '--children', '2,4,16', '--runs', '2',
    '--page', join(folder, 'page.html'), '--json', join(folder, 'figures.json')]);
  figures = JSON.parse(readFileSync(join(folder, 'figures.json'), 'utf8'));
  browser = await launch(packages);
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

// The page, offline; it must neither fail nor ask for something.
async function open(options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(0); // ctest has one, and a machine may be slow
  await context.setOffline(true);
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', error => faults.push(`error: ${error.message}`));
  page.on('console', message => { if (message.type() === 'error') faults.push(`console: ${message.text()}`); });
  page.on('request', request => {
    if (!/^(file|data):/.test(request.url())) faults.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(join(folder, 'page.html')).href);
  await page.waitForSelector('#steps .curve');
  return { page, async close() {
    assert.deepEqual(faults, []);
    await context.close();
  } };
}

test('each figure is in a table, and a point of a curve', async () => {
  const { page, close } = await open({});
  for (const [measure, factor] of [['concurrent_steps', 1], ['idle', 100], ['groups', 1], ['steps', 1]]) {
    const rows = await page.$$eval(`#table-${measure} tbody tr`, all => all.map(row => [...row.cells].map(cell => parseFloat(cell.textContent))));
    const wanted = [1, 3, 16].map(cores => [cores, ...figures.points.filter(each => each.cores === cores)
      .map(each => Number((each[measure] * factor).toFixed(1)))]);
    assert.deepEqual(rows, wanted, measure);
    const curves = await page.$$eval(`#${measure} .curve`, all => all.map(each => [each.dataset.children, each.points.length]));
    assert.deepEqual(curves, [['2', 3], ['4', 3], ['16', 3]]);
  }
  // A smaller figure is lower on the page.
  const heights = await page.$$eval('#concurrent_steps .curve', all => all.map(each => each.points[0].y));
  assert(heights[0] < heights[1] && heights[1] < heights[2], heights.join());
  await close();
});

for (const colorScheme of ['light', 'dark']) {
  for (const [device, viewport] of [['desktop', { width: 1200, height: 900 }], ['phone', { width: 360, height: 780 }]]) {
    test(`${device}, ${colorScheme}: nothing is wider than the window`, async () => {
      const { page, close } = await open({ colorScheme, viewport });
      assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      const columns = await page.$eval('#measures', each => getComputedStyle(each).gridTemplateColumns.split(' ').length);
      assert.equal(columns, device === 'phone' ? 1 : 2);
      const ground = await page.$eval('body', each => getComputedStyle(each).backgroundColor);
      assert.equal(ground, colorScheme === 'dark' ? 'rgb(20, 23, 26)' : 'rgb(246, 245, 241)');
      await close();
    });
  }
}
