import { type Browser, type BrowserServer, chromium } from 'playwright-core';
import { findBrowser } from '../../scripts/set-up.mjs';

/**
 * Features that Playwright disables itself. The browser takes this switch only once, so our list has to repeat them.
 */
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
/** The address bar's two hidden pages, which every window starts a process for: half the time a test's page takes. */
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

async function launchOptions(): Promise<{ executablePath: string; args: string[] }> {
  const executablePath = await findBrowser();
  if (executablePath === undefined) throw new Error('There is no browser; run npm test, which installs one.');
  return { executablePath, args: QUIET };
}

/** A real browser that reaches nothing but this machine. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch(await launchOptions());
}

/** A page ends before optimized code saves more than it costs, and graphics need no process of their own: a tenth less CPU time. */
const FOR_SHORT_PAGES = ['--js-flags=--no-opt', '--in-process-gpu'];

/** A browser of short pages for several processes, each of which connects to its address. */
export async function launchBrowserServer(): Promise<BrowserServer> {
  const { executablePath, args } = await launchOptions();
  return chromium.launchServer({ executablePath, args: [...args, ...FOR_SHORT_PAGES] });
}
