import { type CDPSession, chromium, type Page } from 'playwright-core';
import { BROWSER_FLAGS, browserPath, freshProfile } from './page-browser.ts';

/** Waiting times of a visitor with a slow phone, in ms since the start of the navigation. */
export interface FirstData {
  readonly painted: number;
  /** Number of requests to any host that had ended when the data appeared. */
  readonly requestsBefore: number;
  /** Transferred size including headers. */
  readonly kibBefore: number;
}

/** Lighthouse's phone, applied instead of simulated: 1.6 Mbit/s, 150 ms round trip, a quarter of the CPU speed. */
const LINE = { offline: false, latency: 150, downloadThroughput: 1.6 * 131_072, uploadThroughput: 96_000 };
const SLOWDOWN = 4;
const PHONE = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
} as const;
/** Selector of an element that the page has only with data. */
const DATA = '.verdict[data-tone]';
const PATIENCE = 30_000;

interface Ended {
  readonly at: number;
  readonly bytes: number;
}

/** Runs in the page. Records the time at which an element of `selector` was painted. */
function watch(selector: string): void {
  const look = () => {
    if (document.querySelector(selector) === null) {
      requestAnimationFrame(look);
      return;
    }
    // An element is visible one frame and one task after it was added.
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        Object.assign(window, { dataPainted: { since: performance.now(), at: Date.now() } });
      };
      port2.postMessage(null);
    });
  };
  requestAnimationFrame(look);
}

async function slowDown(session: CDPSession): Promise<void> {
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', LINE);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
}

async function measure(page: Page, session: CDPSession, url: string): Promise<FirstData> {
  const ended: Ended[] = [];
  session.on('Network.loadingFinished', ({ encodedDataLength: bytes }) => {
    ended.push({ at: Date.now(), bytes });
  });
  await page.addInitScript(watch, DATA);
  await page.goto(url, { timeout: PATIENCE });
  const handle = await page.waitForFunction(() => 'dataPainted' in window && window.dataPainted, undefined, {
    timeout: PATIENCE,
  });
  const { since, at } = (await handle.jsonValue()) as { since: number; at: number };
  const before = ended.filter((request) => request.at <= at);
  return {
    painted: since,
    requestsBefore: before.length,
    kibBefore: before.reduce((sum, { bytes }) => sum + bytes, 0) / 1024,
  };
}

/** Opens a browser as a slow phone with an empty cache, and does the work in its page. */
export async function withSlowPhone<T>(work: (page: Page, session: CDPSession) => Promise<T>): Promise<T> {
  const profile = freshProfile();
  const context = await chromium.launchPersistentContext(profile.path, {
    ...PHONE,
    executablePath: browserPath(),
    args: [...BROWSER_FLAGS],
    serviceWorkers: 'block',
  });
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    const session = await context.newCDPSession(page);
    await slowDown(session);
    return await work(page, session);
  } finally {
    await context.close();
    profile.remove();
  }
}

/** Opens a page as a visitor with a slow phone and an empty cache, and waits until the verdict is painted. */
export function timeFirstData(url: string): Promise<FirstData> {
  return withSlowPhone((page, session) => measure(page, session, url));
}
