import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { npmCommand } from '../scripts/programs.mjs';
import type { AtEnd } from './ends.ts';
import { startBrowser } from './page-browser.ts';
import { type LighthouseReport, type PageRun, readReport } from './page-report.ts';

/** Folder of a separate npm package: see docs/maintainers/decisions/2026-11-22-dependencies.md. */
const FOLDER = resolve('bench', 'lighthouse');
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];
/** A phone on slow 4G with a quarter of this machine's speed, and a wired desktop; both are simulated. */
export type Device = 'mobile' | 'desktop';

interface Lighthouse {
  readonly default: (
    url: string,
    flags: object,
    config?: object,
  ) => Promise<{ readonly lhr: LighthouseReport } | undefined>;
  readonly desktopConfig: object;
}

/** Installs the locked packages when they are missing or the lock file has changed since. */
function install(): void {
  const lock = createHash('sha256')
    .update(readFileSync(join(FOLDER, 'package-lock.json')))
    .digest('hex');
  const stamp = join(FOLDER, 'node_modules', '.barometer-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('Installing Lighthouse …');
  const [npm = 'npm', ...script] = npmCommand();
  const parameters = [...script, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync(npm, parameters, { cwd: FOLDER, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('Lighthouse could not be installed. The lines above have the error.');
  writeFileSync(stamp, lock);
}

async function load(): Promise<Lighthouse> {
  install();
  const path = createRequire(join(FOLDER, 'package.json')).resolve('lighthouse');
  return (await import(pathToFileURL(path).href)) as Lighthouse;
}

/** Loads Lighthouse. Returns a function that measures a page once, in a new browser. */
export async function openLighthouse(
  atEnd: AtEnd,
): Promise<(url: string, device: Device) => Promise<PageRun>> {
  const { default: lighthouse, desktopConfig } = await load();
  return async (url, device) => {
    const browser = await startBrowser(atEnd);
    try {
      const flags = {
        port: browser.port,
        output: 'json',
        logLevel: 'error',
        onlyCategories: CATEGORIES,
        throttlingMethod: 'simulate',
        maxWaitForLoad: 45_000,
        disableFullPageScreenshot: true,
      };
      const result = await lighthouse(url, flags, device === 'desktop' ? desktopConfig : undefined);
      if (result === undefined) throw new Error('Lighthouse returned no result.');
      return readReport(result.lhr);
    } finally {
      await browser.close();
    }
  };
}
