import { parseDay } from '#domain/calendar/days.ts';
import {
  newestClosedSession,
  previousSession,
  sessionClose,
  sessionsBetween,
} from '#domain/calendar/sessions.ts';
import { cellOf, csv } from './cboe.ts';
import { type DayRow, withFault } from './faults.ts';
import { isBondHoliday } from './fred.ts';
import type { ProviderStub, StubAnswer, StubWorld } from './stub.ts';

const HOUR = 3_600_000;
const YIELDS =
  /^\/resource-center\/data-chart-center\/interest-rates\/daily-treasury-rates\.csv\/(\d{4})\/all$/;
const CURVE = 'Date,"1 Mo","1.5 Month","2 Mo","3 Mo","1 Yr","5 Yr","10 Yr","20 Yr","30 Yr"';
const STRESS = '/financial-stress-index/data/fsi.csv';
const NOT_FOUND: StubAnswer = { status: 404, body: 'Not Found' };

const cents = (value: number) => Math.round(value * 100) / 100;

/** The Treasury's file of a year, newest day first. The day's yields appear two hours after the close. */
export function treasuryStub({ market }: StubWorld): ProviderStub {
  return ({ url, now, fault }) => {
    const year = YIELDS.exec(url.pathname)?.[1];
    const isAsked = url.searchParams.get('type') === 'daily_treasury_yield_curve';
    if (year === undefined || !isAsked || url.searchParams.get('field_tdr_date_value') !== year)
      return NOT_FOUND;
    if (fault?.fault === 'wrong shape') return csv(['Date,Yield', '11/20/2026,4.14']);
    const [to = ''] = [newestClosedSession(now - 2 * HOUR), `${year}-12-31`].sort();
    const from = `${year}-01-01`;
    const days = from > to ? [] : sessionsBetween(from, to).filter((day) => !isBondHoliday(parseDay(day)));
    const rows: DayRow[] = days.map((day) => ({
      day,
      prices: [cents(market.levelAt('tenYear', day, sessionClose(day)))],
    }));
    const lines = withFault(rows, fault, now).map(({ day, prices: [value] }) => {
      const [, month, date] = day.split('-');
      return `${month}/${date}/${day.slice(0, 4)},3.60,,3.60,3.61,3.70,3.80,${cellOf(value, 2)},4.60,4.50`;
    });
    return csv([CURVE, ...lines.reverse()]);
  };
}

/** The Financial Stress Index since the first day. A day's value appears two sessions later. */
export function ofrStub({ market, first }: StubWorld): ProviderStub {
  return ({ url, now, fault }) => {
    if (url.pathname !== STRESS) return NOT_FOUND;
    if (fault?.fault === 'wrong shape') return csv(['Date,Index', '2026-11-18,-1.900']);
    const last = previousSession(previousSession(newestClosedSession(now)));
    const rows: DayRow[] = sessionsBetween(first, last).map((day) => ({
      day,
      prices: [cents(market.levelAt('tenYear', day, sessionClose(day)) - 5)],
    }));
    const lines = withFault(rows, fault, now).map(
      ({ day, prices: [value] }) => `${day},${cellOf(value, 3)},-0.401,-0.302,-0.103,-0.204,-0.305`,
    );
    return csv(['Date,OFR FSI,Credit,Equity valuation,Safe assets,Funding,Volatility', ...lines]);
  };
}
