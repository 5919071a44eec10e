import { type Browser, type BrowserServer, chromium } from 'playwright-core';
import { findBrowser, NO_BROWSER } from '../../scripts/set-up.mjs';

/** Features that Playwright disables. The browser takes this switch only once, so our list repeats them. */
const OFF_ANYWAY = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];
/**
 * Two hidden pages of the address bar. Every window starts a process for each, which takes half the time of a test's
 * page.
 */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[...OFF_ANYWAY, ...ADDRESS_BAR].join(',')}`,
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

function launchOptions(): { executablePath: string; args: string[] } {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error(NO_BROWSER);
  return { executablePath, args: QUIET };
}

/** Starts a real browser that can only reach this machine, with more options of its command line. */
export async function launchBrowser(...options: string[]): Promise<Browser> {
  const { executablePath, args } = launchOptions();
  return chromium.launch({ executablePath, args: [...args, ...options] });
}

/**
 * Test pages end before optimized code pays off, and graphics need no process of their own: saves a tenth of the CPU
 * time.
 */
const FOR_SHORT_PAGES = ['--js-flags=--no-opt', '--in-process-gpu'];

/** Starts a browser for short pages of several processes, which connect to its address. */
export async function launchBrowserServer(): Promise<BrowserServer> {
  const { executablePath, args } = launchOptions();
  return chromium.launchServer({ executablePath, args: [...args, ...FOR_SHORT_PAGES] });
}
