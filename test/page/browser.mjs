// The system's Chromium and its driver, which install.py has put into the folder of packages. Without the driver the test
// is skipped, for the reason that install.py gave.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export function launch(packages) {
  const { chromium } = createRequire(join(packages, 'package.json'))('playwright-core');
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  return chromium.launch({ executablePath, timeout: 0 });
}

export function skipWithoutDriver(packages) {
  const unreachable = join(packages, 'unreachable');
  if (existsSync(unreachable)) {
    process.stdout.write(readFileSync(unreachable, 'utf8'));
    process.exit(77);
  }
}
