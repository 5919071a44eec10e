import { newestClosedSession, sessionsBetween } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { describeFailure } from './failures.ts';
import type { HttpClient } from './http-client.ts';
import { field, listIn } from './json.ts';
import { partByPart } from './part-by-part.ts';
import { createSeriesValues, type SeriesValues } from './plausible-series.ts';
import { PROVIDER_LABELS, type SeriesRequest } from './provider.ts';
import { ProviderError } from './provider-error.ts';

/** Since when there is a file a day. */
const FROM = '2019-10-07';
/** So many days in a row that are forbidden in a run are not days that have not been published yet. */
const DAYS_OF_A_BLOCK = 10;
const FORBIDDEN = 403;

const RATIOS = {
  put_call_total: 'TOTAL PUT/CALL RATIO',
  put_call_equity: 'EQUITY PUT/CALL RATIO',
} as const satisfies Partial<Record<SeriesName, string>>;
type Ratio = keyof typeof RATIOS;

/** How many days in a row were forbidden, by run. */
const forbiddenInARow = new WeakMap<HttpClient, number>();

/**
 * The ratios of each closed session of the range, asked for newest first. A day that is not published yet (about two
 * hours after the close) is forbidden and has no value. Throws ProviderError when no day can be had.
 */
export async function readPutCall(
  base: string,
  names: readonly Ratio[],
  request: SeriesRequest,
): Promise<ReadonlyMap<Ratio, ReadonlyMap<string, number>>> {
  const { from, to, now, http, problems } = request;
  const first = from > FROM ? from : FROM;
  const closed = newestClosedSession(now);
  const [last = to] = [to, closed].sort();
  const sessions = first > last ? [] : sessionsBetween(first, last);
  const values = new Map<Ratio, SeriesValues>(
    names.map((name) => [
      name,
      createSeriesValues(name, request, { label: PROVIDER_LABELS.cboe, of: RATIOS[name] }),
    ]),
  );
  let answered = 0;
  const isBlocked = () => (forbiddenInARow.get(http) ?? 0) >= DAYS_OF_A_BLOCK;
  await partByPart(sessions.reverse(), problems, async (session) => {
    if (isBlocked()) return;
    const ratios = await readDay(base, session, request);
    if (ratios === null) {
      forbiddenInARow.set(http, (forbiddenInARow.get(http) ?? 0) + 1);
      if (session < closed) problems.note('missing input', `Cboe has no put/call ratios of ${session}.`);
      return;
    }
    forbiddenInARow.delete(http);
    answered += 1;
    for (const [name, taking] of values) {
      const found = ratios.filter((ratio) => field(ratio, 'name') === RATIOS[name]);
      for (const ratio of found) taking.offer(session, field(ratio, 'value'));
      if (found.length === 0) taking.offer(session, null);
    }
  });
  if (answered === 0 && isBlocked()) {
    const message = describeFailure('cboe', 'refused', FORBIDDEN);
    throw new ProviderError('cboe', 'refused', message, { status: FORBIDDEN });
  }
  return new Map([...values].map(([name, { taken }]) => [name, taken]));
}

/** What is listed for a day; null when the day is forbidden. */
async function readDay(
  base: string,
  session: string,
  { http }: SeriesRequest,
): Promise<readonly unknown[] | null> {
  const url = new URL(`${base}/data/us/options/market_statistics/daily/${session}_daily_options`);
  const { status, text } = await http.get({ provider: 'cboe', url, answers: [FORBIDDEN] });
  if (status === FORBIDDEN) return null;
  let ratios: readonly unknown[] | null = null;
  try {
    ratios = listIn(field(JSON.parse(text), 'ratios'));
  } catch {
    throw new ProviderError('cboe', 'unreadable', describeFailure('cboe', 'no json', status), { status });
  }
  if (ratios === null) {
    const message = `Cboe's put/call ratios of ${session} have another shape than they had; docs/operations.md says what to do.`;
    throw new ProviderError('cboe', 'unreadable', message);
  }
  return ratios;
}
