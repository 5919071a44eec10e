import { newestClosedSession, sessionsBetween } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';

import type { HttpClient } from './http-client.ts';
import { field, listIn } from './json.ts';
import { PROVIDER_LABELS } from './names.ts';
import { createSeriesValues } from './plausible-series.ts';
import type { SeriesRequest } from './provider.ts';
import { ProviderError, statusError, unreadableError } from './provider-error.ts';
import { readParts } from './read-parts.ts';

/** First day with a file. */
const FIRST_DAY = '2019-10-07';
/** Consecutive 403 responses in a run that mean a block rather than unpublished days. */
const BLOCKED_DAYS = 10;
const FORBIDDEN = 403;

export const RATIOS = {
  put_call_total: 'TOTAL PUT/CALL RATIO',
  put_call_equity: 'EQUITY PUT/CALL RATIO',
} as const satisfies Partial<Record<SeriesName, string>>;
type Ratio = keyof typeof RATIOS;

/** Consecutive 403 responses of each run. */
const forbiddenDays = new WeakMap<HttpClient, number>();

/**
 * The ratios of each closed session of the range, newest first. A day has status 403 and no value until it is
 * published, about two hours after the close. Throws ProviderError if every day fails.
 */
export async function readPutCall(
  base: string,
  names: readonly Ratio[],
  request: SeriesRequest,
): Promise<ReadonlyMap<Ratio, ReadonlyMap<string, number>>> {
  const { from, to, now, http, problems } = request;
  const first = from > FIRST_DAY ? from : FIRST_DAY;
  const closed = newestClosedSession(now);
  const [last = to] = [to, closed].sort();
  const sessions = first > last ? [] : sessionsBetween(first, last);
  const values = new Map(
    names.map((name) => [
      name,
      createSeriesValues(name, request, { label: PROVIDER_LABELS.cboe, of: RATIOS[name] }),
    ]),
  );
  let fetchedDays = 0;
  const isBlocked = () => (forbiddenDays.get(http) ?? 0) >= BLOCKED_DAYS;
  await readParts(sessions.reverse(), problems, async (session) => {
    if (isBlocked()) return;
    const ratios = await readDay(base, session, request);
    if (ratios === null) {
      forbiddenDays.set(http, (forbiddenDays.get(http) ?? 0) + 1);
      if (session < closed) problems.note('missing input', `Cboe has no put/call ratios of ${session}.`);
      return;
    }
    forbiddenDays.delete(http);
    fetchedDays += 1;
    for (const [name, accepting] of values) {
      const found = ratios.filter((ratio) => field(ratio, 'name') === RATIOS[name]);
      for (const ratio of found) accepting.offer(session, field(ratio, 'value'));
      if (found.length === 0) accepting.offer(session, null);
    }
  });
  if (fetchedDays === 0 && isBlocked()) {
    throw statusError('cboe', FORBIDDEN);
  }
  return new Map([...values].map(([name, { accepted }]) => [name, accepted]));
}

/** The ratios listed for a day; null after a 403. */
async function readDay(
  base: string,
  session: string,
  { http }: SeriesRequest,
): Promise<readonly unknown[] | null> {
  const url = new URL(`${base}/data/us/options/market_statistics/daily/${session}_daily_options`);
  const { status, text } = await http.get({
    provider: 'cboe',
    url,
    accepts: ({ status }) => status === FORBIDDEN,
  });
  if (status === FORBIDDEN) return null;
  let ratios: readonly unknown[] | null = null;
  try {
    ratios = listIn(field(JSON.parse(text), 'ratios'));
  } catch {
    throw unreadableError('cboe', 'json', status);
  }
  if (ratios === null) {
    const message = `Cboe's put/call ratios of ${session} have an unknown format; see docs/live-data.md.`;
    throw new ProviderError('cboe', 'unreadable', message);
  }
  return ratios;
}
