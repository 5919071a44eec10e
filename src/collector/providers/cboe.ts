import { newestClosedSession } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { fetchCsv, isoDay } from './csv-file.ts';
import { field, listIn, requestUrl } from './http-client.ts';
import {
  type HttpClient,
  PROVIDER_LABELS,
  type Provider,
  ProviderError,
  readParts,
  type SeriesRequest,
  statusError,
  unreadableError,
} from './provider.ts';
import { closedSessions, type SeriesValidator, seriesProvider } from './validators.ts';

const VIX_FILE = 'VIX_History.csv';
const VIX_COLUMNS = ['DATE', 'HIGH', 'LOW', 'CLOSE'] as const;

/** The file of the VIX, and the names of the put/call ratios in the daily files. */
const CODES = {
  vix_close: VIX_FILE,
  put_call_total: 'TOTAL PUT/CALL RATIO',
  put_call_equity: 'EQUITY PUT/CALL RATIO',
} as const satisfies Partial<Record<SeriesName, string>>;

/** First day with a file of put/call ratios. */
const FIRST_DAY = '2019-10-07';
/** Consecutive 403 responses in a run that mean a block rather than unpublished days. */
const BLOCKED_DAYS = 10;
const FORBIDDEN = 403;

const forbiddenDays = new WeakMap<HttpClient, number>();

type CboeValidator = SeriesValidator<keyof typeof CODES>;

/** Cboe's files of closed sessions: one file with the VIX since 1990, and one file per day with put/call ratios. */
export function createCboe({ baseUrl }: { baseUrl: string }): Provider {
  return seriesProvider('cboe', { codes: CODES }, (validator, request) => {
    const files = new Set(validator.names.map((name) => (name === 'vix_close' ? readVix : readPutCall)));
    return readParts([...files], request.problems, (read) => read(baseUrl, request, validator));
  });
}

/** Reads the VIX closes of the range. Throws ProviderError if the header is unknown or no row follows. */
async function readVix(baseUrl: string, request: SeriesRequest, validator: CboeValidator): Promise<void> {
  const { from, to, problems } = request;
  const url = requestUrl(baseUrl, `/api/global/us_indices/daily_prices/${VIX_FILE}`);
  const file = { provider: 'cboe', url, name: VIX_FILE, columns: VIX_COLUMNS } as const;
  for (const [date, high, low, close] of await fetchCsv(file, request)) {
    const session = isoDay(date);
    if (Number(high) < Number(low) && session >= from && session <= to) {
      const place = { provider: PROVIDER_LABELS.cboe, item: VIX_FILE, session };
      problems.refuse('high below low', place, 'the high is below the low');
    } else validator.add('vix_close', session, close);
  }
}

/** The ratios of each closed session, newest first. An unpublished day has status 403; all of them are a failure. */
async function readPutCall(baseUrl: string, request: SeriesRequest, validator: CboeValidator): Promise<void> {
  const { from, now, http, problems } = request;
  const closed = newestClosedSession(now);
  const sessions = closedSessions({ ...request, from: from > FIRST_DAY ? from : FIRST_DAY });
  let fetchedDays = 0;
  const isBlocked = () => (forbiddenDays.get(http) ?? 0) >= BLOCKED_DAYS;
  await readParts(sessions.reverse(), problems, async (session) => {
    if (isBlocked()) return;
    const ratios = await readDay(baseUrl, session, request);
    if (ratios === null) {
      forbiddenDays.set(http, (forbiddenDays.get(http) ?? 0) + 1);
      if (session < closed) problems.note('missing input', `Cboe has no put/call ratios of ${session}.`);
      return;
    }
    forbiddenDays.delete(http);
    fetchedDays += 1;
    for (const name of validator.names.filter((each) => each !== 'vix_close')) {
      const found = ratios.filter((ratio) => field(ratio, 'name') === CODES[name]);
      for (const ratio of found) validator.add(name, session, field(ratio, 'value'));
      if (found.length === 0) validator.add(name, session, null);
    }
  });
  if (fetchedDays === 0 && isBlocked()) throw statusError('cboe', FORBIDDEN);
}

/** The ratios listed for a day; null after a 403. */
async function readDay(
  baseUrl: string,
  session: string,
  { http }: SeriesRequest,
): Promise<readonly unknown[] | null> {
  const url = requestUrl(baseUrl, `/data/us/options/market_statistics/daily/${session}_daily_options`);
  const { status, text } = await http.get({
    provider: 'cboe',
    url,
    accepts: ({ status }) => status === FORBIDDEN,
  });
  if (status === FORBIDDEN) return null;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw unreadableError('cboe', 'json', status);
  }
  const ratios = listIn(field(body, 'ratios'));
  if (ratios === null) {
    const message = `Cboe's put/call ratios of ${session} have an unknown format. See docs/live-data.md.`;
    throw new ProviderError('cboe', 'unreadable', message);
  }
  return ratios;
}
