import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AtEnd, temporaryFolder, withEnds } from './ends.ts';
import { holdIdle } from './endurance-idle.ts';
import { misbehave } from './endurance-misbehaving.ts';
import type { Figure } from './figure.ts';
import { median } from './median.ts';
import { AS_A_BROWSER, pageReads } from './page-reads.ts';
import { type Product, startProduct } from './product.ts';
import { type Asked, ensureWrk, runWrk, writeScript } from './wrk.ts';

const MILLION = 1_000_000;
const REQUESTS = 5 * MILLION;
const CONNECTIONS = 32;
const IDLE = 1_000;
const GROWTH_MB = 20;
/** Time (s) after which new connections replace a set of connections. */
const SECONDS = 5;
const SAMPLE_MS = 500;
/** The memory at a point of the run is the mean over this many requests around it. */
const AROUND = MILLION / 4;

/** Every request with a multiple of this number is for a resource that was never requested before. */
const JUNK_EVERY = 200;
const JUNK = `  sent = sent + 1
  if sent % ${JUNK_EVERY} == 0 then
    if sent % ${2 * JUNK_EVERY} == 0 then return wrk.format("GET", "/?utm_source=" .. sent, page) end
    return wrk.format("GET", junk .. run .. "." .. sent, known)
  end
`;

interface Sample {
  readonly requests: number;
  readonly megabytes: number;
}

/**
 * Sends five million requests to the built product over its embedded database and watches its memory: reads, the page,
 * unchanged and unknown resources. Meanwhile other clients disconnect, stall or send invalid data, and a thousand
 * mostly idle connections stay open.
 */
export function benchEndurance(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    ensureWrk();
    const folder = temporaryFolder(atEnd);
    const product = await startProduct(join(folder, 'database'), atEnd);
    const reads = await pageReads(product.url, product.apikey, Date.now());
    const idle = await holdIdle(product.url, IDLE, atEnd);
    const bad = misbehave(product.url, reads, atEnd);
    const before = residentMegabytes(product.pid);
    const { requests, failed, samples } = await askMillions(product, reads, folder, atEnd);
    const misbehaved = bad.stop();
    const answered = await idle.askAll();
    const around = (point: number) =>
      median(
        samples
          .filter((sample) => Math.abs(sample.requests - point) <= AROUND)
          .map(({ megabytes }) => megabytes),
      );
    const atOne = around(MILLION);
    const atEndOfIt = around(REQUESTS);
    return [
      { what: 'requests', value: requests, unit: '', bound: { atLeast: REQUESTS } },
      { what: 'failed', value: failed, unit: '', bound: { exactly: 0 } },
      ...Object.entries(misbehaved).map(([what, value]) => ({ what, value, unit: '' })),
      { what: 'memory before', value: before, unit: 'MB' },
      { what: 'memory after 1 million', value: atOne, unit: 'MB' },
      { what: 'memory after 5 million', value: atEndOfIt, unit: 'MB' },
      { what: 'memory, most', value: Math.max(...samples.map(({ megabytes }) => megabytes)), unit: 'MB' },
      {
        what: 'growth from 1 to 5 million',
        value: atEndOfIt - atOne,
        unit: 'MB',
        bound: { atMost: GROWTH_MB },
      },
      { what: 'idle connections held', value: idle.held(), unit: '', bound: { exactly: IDLE } },
      { what: 'of those answered at the end', value: answered, unit: '', bound: { exactly: IDLE } },
    ];
  });
}

/** Resident memory of a process, including its threads. Reads /proc, so it needs Linux. */
function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

async function askMillions(product: Product, reads: readonly Asked[], folder: string, atEnd: AtEnd) {
  const mix = await mixOf(product.url, reads);
  const samples: Sample[] = [];
  let [requests, failed, run] = [0, 0, 0];
  let since = performance.now();
  let perSecond = 0;
  const sampling = setInterval(() => {
    // Estimate the number of requests so far, because the generator reports it only at the end of a run.
    const within = (perSecond * (performance.now() - since)) / 1000;
    samples.push({ requests: requests + within, megabytes: residentMegabytes(product.pid) });
  }, SAMPLE_MS);
  atEnd(() => clearInterval(sampling));
  while (requests < REQUESTS) {
    run += 1;
    const script = writeScript(folder, 'mix', mix, { setUp: junkOf(product.apikey, run), before: JUNK });
    since = performance.now();
    const answered = await runWrk(
      { url: product.url, connections: CONNECTIONS, seconds: SECONDS, script },
      atEnd,
    );
    requests += answered.requests;
    failed += answered.failed;
    perSecond = answered.perSecond;
    since = performance.now();
  }
  clearInterval(sampling);
  return { requests, failed, samples };
}

/** Reads and the page, each once as a new visitor requests it and once with If-None-Match. */
async function mixOf(url: string, reads: readonly Asked[]): Promise<Asked[]> {
  const asked = [...reads, { path: '/', headers: AS_A_BROWSER }];
  const again = asked.map(async ({ path, headers }) => {
    const response = await fetch(`${url}${path}`, { headers });
    await response.arrayBuffer();
    return { path, headers: { ...headers, 'if-none-match': response.headers.get('etag') ?? '' } };
  });
  return [...asked, ...(await Promise.all(again))];
}

/** A Lua script whose requests have a unique number as bound, so that no two are equal. */
const junkOf = (apikey: string, run: number) => `local sent, run = 0, ${run}
local known, page = { apikey = "${apikey}" }, {}
local junk = "/rest/v1/fear_greed_index?select=index_value&limit=99999&index_value=gt."
`;
