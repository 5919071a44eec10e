import { type Browser, chromium } from 'playwright-core';
import { findBrowser } from '../../scripts/set-up.mjs';

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** A real browser that reaches nothing but this machine. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = await findBrowser();
  if (executablePath === undefined) throw new Error('There is no browser; run npm test, which installs one.');
  return chromium.launch({ executablePath, args: QUIET });
}
