import { isSession, newestClosedSession, sessionClose, sessionsBetween } from '#domain/calendar/sessions.ts';
import { type StandingFault, withFault } from './faults.ts';
import { json, type ProviderStub, type StubAnswer, type StubWorld } from './stub.ts';

const HOUR = 3_600_000;
/** Delay of the day's values after the closing bell. */
const VIX_AFTER = HOUR;
const PUT_CALL_AFTER = 2 * HOUR;
const PUT_CALL_FROM = '2019-10-07';
const VIX_PATH = '/api/global/us_indices/daily_prices/VIX_History.csv';
const PUT_CALL_PATH = /^\/data\/us\/options\/market_statistics\/daily\/(\d{4}-\d\d-\d\d)_daily_options$/;

/** Files on cdn.cboe.com. A missing file has status 403. */
export function cboeStub({ market, first }: StubWorld): ProviderStub {
  function vixHistory(now: number, fault: StandingFault | null): StubAnswer {
    const last = newestClosedSession(now - VIX_AFTER);
    const rows = sessionsBetween(first, last).map((day) => {
      const close = market.levelAt('vix', day, sessionClose(day));
      return { day, prices: [close * 0.99, close * 1.04, close * 0.96, close].map(cents) };
    });
    if (fault?.fault === 'wrong shape') return csv(['SYMBOL,LAST', 'VIX,17.2']);
    const lines = withFault(rows, fault, now).map(({ day, prices }) => {
      const [year, month, date] = day.split('-');
      return [`${month}/${date}/${year}`, ...prices.map((price) => cellOf(price))].join(',');
    });
    return csv(['DATE,OPEN,HIGH,LOW,CLOSE', ...lines]);
  }

  function putCall(day: string, now: number, fault: StandingFault | null): StubAnswer {
    if (!isSession(day) || day < PUT_CALL_FROM || sessionClose(day) + PUT_CALL_AFTER > now) return FORBIDDEN;
    if (fault?.fault === 'wrong shape') return json({ ratios: { total: 0.9 } });
    const ratio = (name: string, value: number) => {
      const [row, repeated] = withFault([{ day, prices: [Number(value.toFixed(2))] }], fault, now);
      const text = (prices: readonly unknown[] | undefined) =>
        typeof prices?.[0] === 'number' ? prices[0].toFixed(2) : prices?.[0];
      if (row === undefined) return [];
      const again = fault?.fault === 'repeated day' ? [{ name, value: text(repeated?.prices) }] : [];
      return [{ name, value: text(row.prices) }, ...again];
    };
    const at = sessionClose(day);
    const ratios = [
      ...ratio('TOTAL PUT/CALL RATIO', market.levelAt('putCallTotal', day, at)),
      ...ratio('INDEX PUT/CALL RATIO', 1.02),
      ...ratio('EXCHANGE TRADED PRODUCTS PUT/CALL RATIO', 1.14),
      ...ratio('EQUITY PUT/CALL RATIO', market.levelAt('putCallEquity', day, at)),
      ...ratio('CBOE VOLATILITY INDEX (VIX) PUT/CALL RATIO', 0.5),
      ...ratio('SPX + SPXW PUT/CALL RATIO', 1.07),
      { name: 'OEX PUT/CALL RATIO', value: '0.00' },
    ];
    return json({
      ratios: fault?.fault === 'missing symbol' ? ratios.slice(-1) : ratios,
      'SUM OF ALL PRODUCTS': [
        { name: 'VOLUME', call: 7_018_459, put: 6_618_932, total: 13_637_391 },
        { name: 'OPEN INTEREST', call: 337_360_276, put: 255_825_343, total: 593_185_619 },
      ],
    });
  }

  return ({ url, now, fault }) => {
    if (url.pathname === VIX_PATH) return vixHistory(now, fault);
    const day = PUT_CALL_PATH.exec(url.pathname)?.[1];
    return day === undefined ? FORBIDDEN : putCall(day, now, fault);
  };
}

const FORBIDDEN: StubAnswer = {
  status: 403,
  headers: { 'content-type': 'application/xml' },
  body: '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
};

const cents = (value: number) => Math.round(value * 100) / 100;

export function csv(lines: readonly string[]): StubAnswer {
  return { status: 200, headers: { 'content-type': 'text/csv' }, body: `${lines.join('\r\n')}\r\n` };
}

export function cellOf(value: unknown, decimals = 6): string {
  return typeof value === 'number' ? value.toFixed(decimals) : value === null ? '' : JSON.stringify(value);
}
