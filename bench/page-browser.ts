import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser, NO_BROWSER } from '../scripts/set-up.mjs';
import type { AtEnd } from './ends.ts';

/** Flags of the browser for all pages. It only reaches this machine; requests to other hosts fail at once. */
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

/** Path of the browser that the tests use. Throws if there is none. */
export function browserPath(): string {
  const path = findBrowser();
  if (path === undefined) throw new Error(NO_BROWSER);
  return path;
}

/** A new profile folder for one browser. Call `remove` after the browser has ended. */
export function freshProfile(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'barometer-profile-'));
  return {
    path,
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}

/** Starts a browser to which tools connect. `close` ends it and its child processes by its own pid. */
export async function startBrowser(atEnd: AtEnd): Promise<{ port: number; close: () => Promise<void> }> {
  const profile = freshProfile();
  const flags = ['--headless=new', ...BROWSER_FLAGS, '--remote-debugging-port=0'];
  const child = spawn(browserPath(), [...flags, `--user-data-dir=${profile.path}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // The leader of a process group, so that its child processes end with it.
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
