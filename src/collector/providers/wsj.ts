import { dayOf, formatDay } from '#domain/calendar/days.ts';
import { isSession, newestClosedSession, previousSession } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { field, listIn, requestUrl } from './http-client.ts';
import { PROVIDER_LABELS, type Provider, ProviderError, type ProviderFailure } from './provider.ts';
import { seriesProvider } from './validators.ts';

/** The diary's row of each series. */
const ROWS = {
  nyse_advances: 'advances',
  nyse_declines: 'declines',
  nyse_unchanged: 'unchanged',
  nyse_new_highs: 'newhighs',
  nyse_new_lows: 'newlows',
  nyse_trin: 'closingarmstrin',
} as const satisfies Partial<Record<SeriesName, string>>;

const ID = JSON.stringify({ application: 'WSJ', marketsDiaryType: 'diaries' });
const MONTHS = 'January,February,March,April,May,June,July,August,September,October,November,December'.split(
  ',',
);

/** The undocumented diary of wsj.com: counts and TRIN of the NYSE for one of the last two closed sessions. */
export function createWsj({ baseUrl }: { baseUrl: string }): Provider {
  const query = { id: ID, type: 'mdc_marketsdiary' };
  const url = requestUrl(baseUrl, '/market-data/stocks/marketsdiary', query);
  return seriesProvider('wsj', { codes: ROWS }, async ({ names, add }, { http, now }) => {
    const data = field(await http.getJson({ provider: 'wsj', url }), 'data');
    const session = sessionIn(field(data, 'timestamp'), now);
    const rows = rowsOfNyse(data);
    checkSums(rows);
    for (const name of names) {
      const found = rows.filter((row) => field(row, 'id') === ROWS[name]);
      for (const row of found) add(name, session, withoutSeparators(field(row, 'latestClose')));
      if (found.length === 0) add(name, session, null);
    }
  });
}

/** Parses 'Monday, July 27, 2026', one of the last two closed sessions; throws ProviderError for any other. */
function sessionIn(timestamp: unknown, now: number): string {
  const match = /^[A-Z][a-z]+day, ([A-Z][a-z]+) (\d{1,2}), (\d{4})$/.exec(String(timestamp));
  const month = MONTHS.indexOf(match?.[1] ?? '') + 1;
  if (match === null || month === 0) throw failure('unreadable', 'has no date');
  const session = formatDay(dayOf(Number(match[3]), month, Number(match[2])));
  const newest = newestClosedSession(now);
  if (!isSession(session) || session > newest || session < previousSession(newest))
    throw failure('outdated', `is of ${session} instead of ${newest}`);
  return session;
}

/** The rows of the New York Stock Exchange; throws ProviderError unless exactly one table is of this exchange. */
function rowsOfNyse(data: unknown): readonly unknown[] {
  const sets = listIn(field(data, 'instrumentSets'));
  if (sets === null) throw failure('unreadable', 'has an unknown format');
  if (sets.length === 0) throw failure('empty', 'is empty');
  const tables = sets.filter((set) => {
    const [name, latest] = listIn(field(set, 'headerFields')) ?? [];
    return field(name, 'label') === 'NYSE' && field(latest, 'value') === 'latestClose';
  });
  const rows = tables.length === 1 ? listIn(field(tables[0], 'instruments')) : null;
  if (rows === null) throw failure('unreadable', 'has no table for the New York Stock Exchange');
  return rows;
}

function checkSums(rows: readonly unknown[]): void {
  const count = (id: string) => {
    const row = rows.find((each) => field(each, 'id') === id);
    return Number(withoutSeparators(field(row, 'latestClose') ?? Number.NaN));
  };
  const counted = count('advances') + count('declines') + count('unchanged');
  // With a missing count this condition is false; missing counts are rejected one by one later.
  if (Math.abs(counted - count('issuestraded')) > 0 || count('newhighs') + count('newlows') === 0)
    throw failure('unreadable', 'has inconsistent counts');
}

function failure(kind: ProviderFailure, what: string): ProviderError {
  return new ProviderError(
    'wsj',
    kind,
    `${PROVIDER_LABELS.wsj}'s market diary ${what}. Its values are ignored.`,
  );
}

/** Converts '1,729' to '1729'; returns any other value unchanged. */
function withoutSeparators(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,3}(,\d{3})+$/.test(value) ? value.replaceAll(',', '') : value;
}
