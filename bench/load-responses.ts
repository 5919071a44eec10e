import { batchAt } from './load-batch.ts';

/** The content of a response: the newest rows of a table, the timeline, the page, or rows that no batch changes. */
export type Shows = 'newest' | 'timeline' | 'page' | 'earlier';

/** Batches that a response shows; several mean that it is mixed. */
export type Batches = readonly number[];

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

/** Returns the batch to which the time of a row belongs, and each number of the row. */
function batchesOfRow(row: unknown, epoch: number): number[] {
  const fields = fieldsOf(row);
  const numbers = Object.values(fields).filter((value) => typeof value === 'number');
  return [batchAt(Date.parse(String(fields.created_at)), epoch), ...numbers];
}

/** The newest batch of a timeline, which must contain every batch once; -1 if one is missing. */
function batchesOfTimeline(rows: readonly unknown[], epoch: number): number[] {
  const batches = rows.map((row) => batchesOfRow(row, epoch)).filter(([batch]) => (batch ?? Number.NaN) > 0);
  const newest = batches.at(-1) ?? [Number.NaN];
  const isWhole = batches.every((numbers, at) => numbers.every((number) => number === at + 1));
  return isWhole ? newest : [...newest, -1];
}

/** The batches on the page, from the time of each panel and every number from a row. */
function batchesOfPage(html: string, epoch: number): number[] {
  const json = /<script[^>]* id="barometer-data"[^>]*>(.*?)<\/script>/s.exec(html)?.[1];
  if (json === undefined) throw new Error('The page has no data.');
  const view = fieldsOf(fieldsOf(JSON.parse(json)).view);
  const panel = (name: string) => fieldsOf(view[name]);
  const advanced = panel('advanced');
  const instants = [
    ...['age', 'indices', 'signal', 'sentiment', 'fearGreed', 'metrics'].map((name) => panel(name).asOf),
    ...['indicators', 'sectors', 'breadth'].map((name) => fieldsOf(advanced[name]).asOf),
  ].map((asOf) => batchAt(numberOf(fieldsOf(asOf).instant), epoch));
  const valuesOf = (items: unknown, ...path: readonly string[]) =>
    listOf(items).map((item) => numberOf(path.reduce<unknown>((value, key) => fieldsOf(value)[key], item)));
  const numbers = [
    valuesOf(panel('indices').items, 'price', 'value'),
    valuesOf(panel('sentiment').cards, 'score', 'value'),
    valuesOf([panel('fearGreed').current], 'value'),
    valuesOf(panel('fearGreed').components, 'value'),
    valuesOf(panel('metrics').cards, 'value'),
    valuesOf(fieldsOf(advanced.indicators).items, 'value'),
    valuesOf(fieldsOf(advanced.sectors).items, 'value'),
    valuesOf(fieldsOf(advanced.breadth).parts, 'count', 'value'),
  ];
  // A missing panel is an error, since every batch has all panels.
  return [...instants, ...numbers.flatMap((values) => (values.length === 0 ? [Number.NaN] : values))];
}

/** The distinct batches in a response; none for rows that no batch changes. Throws if the body is invalid. */
export function batchesOf(shows: Shows, body: string, epoch: number): Batches {
  if (shows === 'earlier') return [];
  if (shows === 'page') return [...new Set(batchesOfPage(body, epoch))];
  const rows: unknown = JSON.parse(body);
  if (!Array.isArray(rows) || rows.length === 0) throw new Error('The response has no rows.');
  if (shows === 'timeline') return [...new Set(batchesOfTimeline(rows, epoch))];
  return [...new Set(rows.flatMap((row) => batchesOfRow(row, epoch)))];
}

/** One response. Times are in epoch ms; `latency` is in ms from the scheduled time of the request. */
export interface Answer {
  readonly endedAt: number;
  readonly latency: number;
  /** Null if it failed: no response, a status other than 200, 206 and 304, or an invalid body. */
  readonly batches: Batches | null;
}

export interface Commit {
  readonly batch: number;
  /** Time at which the commit was confirmed (epoch ms). */
  readonly confirmedAt: number;
}

export interface Judged {
  readonly requests: number;
  readonly failed: number;
  /** Number of responses with several batches or an unknown batch. */
  readonly mixed: number;
  /**
   * Number of responses without the newest batch that ended more than `patience` ms after the commit of that batch was
   * confirmed.
   */
  readonly tooOld: number;
  /** The longest time from the confirmed commit of a batch to the end of a response without that batch (ms). */
  readonly oldest: number;
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
}

/** Time at which the next batch was confirmed; infinity for the newest. */
function supersededAt(batch: number, commits: readonly Commit[]): number {
  const later = commits.filter((commit) => commit.batch > batch).map(({ confirmedAt }) => confirmedAt);
  return Math.min(Number.POSITIVE_INFINITY, ...later);
}

/** Compares all responses of a load with the commits that were confirmed during it. `patience` is in ms. */
export function judge(answers: readonly Answer[], commits: readonly Commit[], patience = 1_000): Judged {
  const latencies = answers.map(({ latency }) => latency).sort((one, other) => one - other);
  const quantile = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? Number.NaN;
  const known = new Set(commits.map(({ batch }) => batch));
  const superseded = new Map([...known].map((batch) => [batch, supersededAt(batch, commits)]));
  let [failed, mixed, tooOld, oldest] = [0, 0, 0, 0];
  for (const { batches, endedAt } of answers) {
    if (batches === null) failed += 1;
    else if (batches.length > 1 || batches.some((batch) => !known.has(batch))) mixed += 1;
    else {
      const [batch] = batches;
      const age = batch === undefined ? 0 : endedAt - (superseded.get(batch) ?? 0);
      if (age > patience) tooOld += 1;
      oldest = Math.max(oldest, age);
    }
  }
  return {
    ...{ requests: answers.length, failed, mixed, tooOld, oldest },
    ...{ p50: quantile(0.5), p99: quantile(0.99), slowest: latencies.at(-1) ?? Number.NaN },
  };
}
