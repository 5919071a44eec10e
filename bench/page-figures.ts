import type { Bound, Figure, Peer } from './figure.ts';
import { median } from './median.ts';
import type { PageBytes } from './page-bytes.ts';
import type { FirstData } from './page-first-data.ts';
import type { Device } from './page-lighthouse.ts';
import { PEERS } from './page-peers.ts';
import type { PageRun } from './page-report.ts';

export const SERVED = 'server-rendered';
export const CLIENT = 'client-rendered';
export const STATIC = 'static build';

type Name = typeof SERVED | typeof CLIENT | typeof STATIC;
type Time = 'fcp' | 'lcp' | 'tbt' | 'cls';
type Score = 'performance' | 'accessibility' | 'bestPractices' | 'seo';

const TIMES: readonly (readonly [time: Time, label: string, unit: string])[] = [
  ['fcp', 'first paint', 'ms'],
  ['lcp', 'largest paint', 'ms'],
  ['tbt', 'blocking', 'ms'],
  ['cls', 'layout shift', ''],
];
const SCORES: readonly (readonly [score: Score, label: string])[] = [
  ['performance', 'performance'],
  ['accessibility', 'accessibility'],
  ['bestPractices', 'best practices'],
  ['seo', 'SEO'],
];

type Held = Time | 'html' | 'flight' | 'script' | 'styles' | 'fonts' | 'requests' | 'before';
type Bounds = Partial<Record<Held, Bound>>;
/** Bytes that a server sends before it waits for the first acknowledgement: ten packets. */
const FLIGHT = 14_600;
const STEADY = { tbt: { atMost: 50 }, cls: { exactly: 0 } };
const LIGHT = { styles: { atMost: 6 }, fonts: { exactly: 0 } };
/** Paint times are measured on the phone. */
const BOUNDS: Readonly<Record<Name, Bounds>> = {
  [SERVED]: {
    ...STEADY,
    ...LIGHT,
    fcp: { atMost: 650 },
    lcp: { atMost: 1120 },
    html: { atMost: 14 },
    flight: { atMost: FLIGHT },
    script: { atMost: 70 },
    requests: { atMost: 4 },
    before: { exactly: 1 },
  },
  [STATIC]: { ...STEADY, ...LIGHT, lcp: { atMost: 1700 } },
  [CLIENT]: {},
};

/** All measurements of one page. */
export interface Measured {
  readonly name: Name;
  readonly url: string;
  readonly mobile: PageRun[];
  readonly desktop: PageRun[];
  readonly firstData: FirstData[];
}

interface Extras {
  readonly peer?: Peer | undefined;
  readonly bound?: Bound | undefined;
}

/** The median of several runs, with the values of all runs. */
function figure(what: string, unit: string, runs: readonly number[], { peer, bound }: Extras = {}): Figure {
  return {
    what,
    value: median(runs),
    unit,
    ...(runs.length > 1 && { runs }),
    ...(peer !== undefined && { peer }),
    ...(bound !== undefined && { bound }),
  };
}

/** Paints, blocking time and layout shifts on a device, and those of a peer from the same run. */
export function timesOf(page: Measured, device: Device, peer?: Measured): Figure[] {
  return TIMES.map(([time, label, unit]) => {
    const of = (measured: Measured) => measured[device].map((run) => run[time]);
    const isPaint = time === 'fcp' || time === 'lcp';
    return figure(`${page.name}, ${device}: ${label}`, unit, of(page), {
      bound: isPaint && device === 'desktop' ? undefined : BOUNDS[page.name][time],
      peer: isPaint && peer !== undefined ? { name: peer.name, value: median(of(peer)) } : undefined,
    });
  });
}

/** The four scores of Lighthouse on a device. */
export function scoresOf(page: Measured, device: Device): Figure[] {
  return SCORES.map(([score, label]) => {
    const runs = page[device].map((run) => run[score]);
    return figure(`${page.name}, ${device}: Lighthouse ${label}`, '', runs, { bound: { exactly: 100 } });
  });
}

const painted = ({ firstData }: Measured) => firstData.map((run) => run.painted);

/** Time until the verdict is painted on a slow phone, and the bytes transferred until then. */
export function dataOf(page: Measured, peer?: Measured): Figure[] {
  const { name, firstData } = page;
  return [
    figure(`${name}, slow phone: data painted`, 'ms', painted(page), {
      peer: peer === undefined ? undefined : { name: peer.name, value: median(painted(peer)) },
    }),
    figure(
      `${name}, slow phone: requests before that`,
      '',
      firstData.map((run) => run.requestsBefore),
      { bound: BOUNDS[name].before },
    ),
    figure(
      `${name}, slow phone: received before that`,
      'KiB',
      firstData.map((run) => run.kibBefore),
    ),
  ];
}

/** Requests of a first load to its own host, and their size. */
export function bytesOf({ name, url, mobile }: Measured, bytes: PageBytes): Figure[] {
  // Counts a file once if the browser requests it twice, such as an icon that the manifest also names.
  const own = ({ requests }: PageRun) =>
    new Set(requests.map((request) => request.url).filter((address) => address.startsWith(url))).size;
  const document = ({ requests }: PageRun) =>
    requests.find(({ type }) => type === 'Document')?.transferred ?? Number.NaN;
  const weight = (what: keyof PageBytes, label: string) =>
    figure(`${name}: ${label}`, 'KiB', [bytes[what]], { bound: BOUNDS[name][what] });
  return [
    figure(`${name}: own requests on load`, '', mobile.map(own), { bound: BOUNDS[name].requests }),
    weight('html', 'HTML, brotli'),
    figure(`${name}: HTML with its headers`, 'bytes', mobile.map(document), { bound: BOUNDS[name].flight }),
    weight('script', 'script, brotli'),
    weight('styles', 'styles, brotli'),
    weight('fonts', 'fonts'),
  ];
}

/** Compares Barometer's values with published values of other dashboards. */
export function peersOf(page: Measured, { script }: PageBytes): Figure[] {
  const lcp = page.mobile.map((run) => run.lcp);
  const beside = (name: string, value: number): Peer => ({ name: `elsewhere: ${name}`, value });
  return [
    ...PEERS.map((peer) =>
      figure(`${page.name}, mobile: largest paint`, 'ms', lcp, {
        peer: beside(peer.name, peer.lcp),
        bound: { atMost: peer.lcp },
      }),
    ),
    ...PEERS.flatMap(({ name, dataPainted }) =>
      dataPainted === null
        ? []
        : [
            figure(`${page.name}, slow phone: data painted`, 'ms', painted(page), {
              peer: beside(name, dataPainted),
            }),
          ],
    ),
    ...PEERS.map((peer) =>
      figure(`${page.name}: script, brotli`, 'KiB', [script], { peer: beside(peer.name, peer.script) }),
    ),
  ];
}
