import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from '../scripts/set-up.mjs';
import type { AtEnd } from './ends.ts';

/** Each page gets the same browser, which reaches this machine and nothing else: other hosts fail at once. */
export const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-extensions',
  '--disable-default-apps',
  '--mute-audio',
  '--disable-dev-shm-usage',
  '--disable-features=Translate,OptimizationHints,MediaRouter,InterestFeedContentSuggestions',
  '--force-color-profile=srgb',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
] as const;

/** The browser the tests drive as well. */
export async function browserPath(): Promise<string> {
  const path = await findBrowser();
  if (path === undefined) throw new Error('There is no browser; run npm test, which installs one.');
  return path;
}

/** A folder for the profile of one browser, which is as new to every page; `remove` once the browser is gone. */
export function freshProfile(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'barometer-profile-'));
  return {
    path,
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}

/** A browser of our own that tools connect to; `close` ends it, and what it started, by its own pid. */
export async function startBrowser(atEnd: AtEnd): Promise<{ port: number; close: () => Promise<void> }> {
  const profile = freshProfile();
  const flags = ['--headless=new', ...BROWSER_FLAGS, '--remote-debugging-port=0'];
  const child = spawn(await browserPath(), [...flags, `--user-data-dir=${profile.path}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // At the head of a group, so that its own processes end with it.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let isOpen = true;
  const close = async () => {
    if (isOpen && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    isOpen = false;
    await ended;
    profile.remove();
  };
  child.once('close', () => {
    isOpen = false;
  });
  atEnd(close);
  const port = await new Promise<number>((resolve, reject) => {
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const found = /DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(output)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error(`The browser did not start: ${output.slice(-400)}`)));
  });
  return { port, close };
}
