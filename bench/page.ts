import { type AtEnd, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';
import { weigh } from './page-bytes.ts';
import {
  bytesOf,
  CLIENT,
  dataOf,
  type Measured,
  peersOf,
  SERVED,
  STATIC,
  scoresOf,
  timesOf,
} from './page-figures.ts';
import { timeFirstData } from './page-first-data.ts';
import { openLighthouse } from './page-lighthouse.ts';
import type { PageRun } from './page-report.ts';
import { openSites } from './page-sites.ts';

const RUNS = 5;
/** Number of attempts per measurement, because the browser itself sometimes fails. */
const TRIES = 3;

async function again<T>(what: string, measure: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await measure();
    } catch (error) {
      if (tried === TRIES) throw error;
      console.error(`  ${what} failed and is repeated: ${error instanceof Error ? error.message : error}`);
    }
  }
}

function tell(what: string, { fcp, lcp, tbt, performance, failing }: PageRun): void {
  const faults = failing.length > 0 ? `; audits that lower a score: ${failing.join(', ')}` : '';
  const times = [fcp, lcp, tbt].map((ms) => ms.toFixed()).join(' / ');
  console.error(`  ${what}: first, largest paint, blocking ${times} ms, performance ${performance}${faults}`);
}

/** Measures all pages in each round, so that a change of the machine's speed affects all equally. */
async function measure(pages: readonly Measured[], atEnd: AtEnd): Promise<void> {
  const lighthouse = await openLighthouse(atEnd);
  for (let round = 1; round <= RUNS; round++) {
    for (const page of pages) {
      for (const device of ['mobile', 'desktop'] as const) {
        if (device === 'desktop' && page.name === CLIENT) continue;
        const what = `${round} of ${RUNS}, ${page.name}, ${device}`;
        const run = await again(what, () => lighthouse(page.url, device));
        tell(what, run);
        page[device].push(run);
      }
      page.firstData.push(await again(page.name, () => timeFirstData(page.url)));
    }
  }
}

const lastRequests = ({ mobile }: Measured) => mobile.at(-1)?.requests ?? [];

/**
 * Measures the page as rendered by our server, as rendered by a browser from the same address, and as a static build
 * with a separate backend: five alternating runs each, with all other hosts blocked.
 */
export function benchPage(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    const sites = await openSites(atEnd);
    const page = (name: Measured['name'], url: string): Measured => {
      return { name, url, mobile: [], desktop: [], firstData: [] };
    };
    const served = page(SERVED, sites.rendered);
    const client = page(CLIENT, sites.clientRendered);
    const built = page(STATIC, sites.staticBuild);
    await measure([served, client, built], atEnd);
    const servedBytes = await weigh(served.url, lastRequests(served));
    const builtBytes = await weigh(built.url, lastRequests(built));
    return [
      ...timesOf(served, 'mobile', client),
      ...dataOf(served, client),
      ...bytesOf(served, servedBytes),
      ...scoresOf(served, 'mobile'),
      ...timesOf(served, 'desktop'),
      ...scoresOf(served, 'desktop'),
      ...timesOf(built, 'mobile'),
      ...dataOf(built),
      ...bytesOf(built, builtBytes),
      ...scoresOf(built, 'mobile'),
      ...timesOf(built, 'desktop'),
      ...scoresOf(built, 'desktop'),
      ...peersOf(served, servedBytes),
    ];
  });
}
