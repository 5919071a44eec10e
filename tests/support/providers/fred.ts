import { dateOf, formatDay, parseDay, weekdayOf } from '#domain/calendar/days.ts';
import { isSession, marketDay, nextSession, sessionClose, sessionOpen } from '#domain/calendar/sessions.ts';
import { type DayRow, withFault } from './faults.ts';
import type { LevelName } from './market.ts';
import { json, type ProviderStub, STUB_KEYS, type StubWorld } from './stub.ts';

const HOUR = 3_600_000;
const SERIES: Readonly<Record<string, { level: LevelName; bonds: boolean; years?: number }>> = {
  BAMLH0A0HYM2: { level: 'highYield', bonds: true, years: 3 },
  BAMLC0A0CM: { level: 'investmentGrade', bonds: true, years: 3 },
  DGS10: { level: 'tenYear', bonds: true },
  SP500: { level: 'sp500', bonds: false, years: 10 },
  NASDAQCOM: { level: 'nasdaq', bonds: false },
  DJIA: { level: 'dow', bonds: false, years: 10 },
};

/**
 * `/fred/series/observations` of https://fred.stlouisfed.org/docs/api/fred/series_observations.html: every weekday, a
 * dot for a missing value. A day's value appears in the morning of the next session.
 */
export function fredStub({ market, first }: StubWorld): ProviderStub {
  function rowsOf(id: string, from: string, to: string, now: number): DayRow[] {
    const { level, bonds, years } = SERIES[id] ?? { level: 'tenYear', bonds: true };
    const begin = [from, first, years === undefined ? '' : yearsBefore(now, years)].sort().at(-1) ?? first;
    const rows: DayRow[] = [];
    for (let day = parseDay(begin); formatDay(day) <= to; day += 1) {
      const text = formatDay(day);
      if (weekdayOf(day) % 6 === 0) continue;
      if (sessionOpen(nextSession(text)) - HOUR > now) break;
      const has = isSession(text) && !(bonds && isBondHoliday(day));
      const value = has ? market.levelAt(level, text, sessionClose(text)) : '.';
      rows.push({ day: text, prices: [value] });
    }
    return rows;
  }

  return ({ url, now, fault }) => {
    const query = url.searchParams;
    if (url.pathname !== '/fred/series/observations') return refusal('Not Found', 404);
    const key = query.get('api_key') ?? '';
    if (key === '') return refusal('Bad Request.  Variable api_key has not been set.');
    if (!/^[a-z0-9]{32}$/.test(key)) {
      return refusal(
        'Bad Request.  The value for variable api_key is not a 32 character alpha-numeric lower-case string.  Read https://fred.stlouisfed.org/docs/api/api_key.html for more information.',
      );
    }
    if (key !== STUB_KEYS.fred) {
      return refusal('Bad Request.  The value for variable api_key is not registered.');
    }
    if (query.get('file_type') !== 'json')
      return { status: 200, body: '<?xml version="1.0"?><observations/>' };
    const id = query.get('series_id') ?? '';
    if (SERIES[id] === undefined) return refusal('Bad Request.  The series does not exist.');
    const from = query.get('observation_start') ?? '1776-07-04';
    const to = query.get('observation_end') ?? '9999-12-31';
    const rows = withFault(valuesFirst(rowsOf(id, from, to, now)), fault, now);
    const observations = rows.map(({ day, prices: [value] }) => ({
      realtime_start: marketDay(now),
      realtime_end: marketDay(now),
      date: day,
      value: typeof value === 'number' ? value.toFixed(2) : value,
    }));
    if (query.get('sort_order') === 'desc') observations.reverse();
    const limit = Number(query.get('limit') ?? 100_000);
    const offset = Number(query.get('offset') ?? 0);
    return json({
      realtime_start: marketDay(now),
      realtime_end: marketDay(now),
      observation_start: from,
      observation_end: to,
      units: 'lin',
      output_type: 1,
      file_type: 'json',
      order_by: 'observation_date',
      sort_order: query.get('sort_order') ?? 'asc',
      count: observations.length,
      offset,
      limit,
      observations:
        fault?.fault === 'wrong shape' ? { '0': 'none' } : observations.slice(offset, offset + limit),
    });
  };
}

function refusal(message: string, status = 400) {
  return json({ error_code: status, error_message: message }, status);
}

/** Omit days without a value at the end, so that the newest row is one that a fault can change. */
function valuesFirst(rows: DayRow[]): DayRow[] {
  while (rows.at(-1)?.prices[0] === '.') rows.pop();
  return rows;
}

function yearsBefore(now: number, years: number): string {
  const { year, month, date } = dateOf(parseDay(marketDay(now)));
  return formatDay(parseDay(`${year - years}-${String(month).padStart(2, '0')}-01`) + date - 1);
}

/** Columbus Day and Veterans Day, when the stock market is open and the bond market is closed. */
export function isBondHoliday(day: number): boolean {
  const { month, date } = dateOf(day);
  return (month === 10 && weekdayOf(day) === 1 && date >= 8 && date <= 14) || (month === 11 && date === 11);
}
