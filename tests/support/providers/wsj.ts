import { parseDay, weekdayOf } from '#domain/calendar/days.ts';
import {
  marketDay,
  newestClosedSession,
  nextSession,
  previousSession,
  sessionClose,
} from '#domain/calendar/sessions.ts';
import type { StandingFault } from './faults.ts';
import { json, type ProviderStub, type StubWorld } from './stub.ts';

const PUBLISHED_AFTER = 3_600_000;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = 'January,February,March,April,May,June,July,August,September,October,November,December'.split(
  ',',
);

/**
 * `/market-data/stocks/marketsdiary`, the diaries of NYSE and Nasdaq: the newest session, the previous one and that of
 * a week ago. Only the first has a date. Ids of volumes appear twice.
 */
export function wsjStub({ market }: StubWorld): ProviderStub {
  return ({ url, now, fault }) => {
    const query = url.searchParams;
    if (
      url.pathname !== '/market-data/stocks/marketsdiary' ||
      query.get('type') !== 'mdc_marketsdiary' ||
      query.get('id') !== '{"application":"WSJ","marketsDiaryType":"diaries"}'
    )
      return {
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: '<!DOCTYPE html><title>WSJ</title>',
      };
    const session = newestClosedSession(now - PUBLISHED_AFTER);
    const shown = fault?.fault === 'future date' ? nextSession(marketDay(now)) : session;
    const instrumentSets = [
      setOf('NYSE', instrumentsOf(market, session, fault)),
      setOf('NASDAQ', instrumentsOf(market, previousSession(session), fault)),
    ];
    const data = {
      timestamp: fault?.fault === 'no session' ? 'Saturday, November 14, 2026' : longDate(shown),
      instrumentSets:
        fault?.fault === 'empty'
          ? []
          : fault?.fault === 'missing symbol'
            ? instrumentSets.slice(1)
            : instrumentSets,
    };
    if (fault?.fault === 'wrong shape') return json({ id: 7, data: [data] });
    return json({ id: query.get('id'), type: 'mdc_marketsdiary', data, hash: '0' });
  };
}

function setOf(label: string, instruments: unknown[]) {
  return {
    headerFields: [
      { value: 'name', label },
      { value: 'latestClose', label: 'Latest Close' },
      { value: 'previousClose', label: 'Previous Close' },
      { value: 'weekAgo', label: 'Week Ago' },
    ],
    instruments,
  };
}

function instrumentsOf(market: StubWorld['market'], session: string, fault: StandingFault | null): unknown[] {
  const counts = market.countsOf(session);
  const before = market.countsOf(previousSession(session));
  const trin = market.levelAt('trin', session, sessionClose(session));
  const count = (id: keyof typeof counts, name: string) =>
    row(id, name, counts[id].toLocaleString('en-US'), before[id].toLocaleString('en-US'), fault);
  return [
    ...row('issuestraded', 'Issues traded', '2,830', '2,830', null),
    ...count('advances', 'Advances'),
    ...count('declines', 'Declines'),
    ...count('unchanged', 'Unchanged'),
    ...count('newhighs', 'New highs'),
    ...count('newlows', 'New lows'),
    ...row('advvolume', 'Adv. volume*', '829,128,349', '642,713,838', null),
    ...row('declvolume', 'Decl. volume*', '512,004,120', '702,113,001', null),
    ...row('totalvolume', 'Total volume*', '1,351,700,018', '1,349,800,500', null),
    ...row('closingarmstrin', 'Closing Arms (TRIN)†', trin.toFixed(2), '1.18', fault),
    ...row('blocktrades', 'Block trades*', '3,962', '3,926', null),
    ...row('advvolume', 'Adv. volume', '3,626,095,086', '2,732,140,150', null),
  ];
}

function row(
  id: string,
  name: string,
  latestClose: string,
  previousClose: string,
  fault: StandingFault | null,
) {
  const latest = { id, name, latestClose: worsened(latestClose, fault), previousClose, weekAgo: '1' };
  return fault?.fault === 'repeated day' ? [latest, { ...latest, latestClose: previousClose }] : [latest];
}

function worsened(text: string, fault: StandingFault | null): unknown {
  switch (fault?.fault) {
    case 'nulls':
      return null;
    case 'zero price':
      return '0';
    case 'negative price':
      return `-${text}`;
    case 'absurd value':
      return '999,999';
    case 'wrong types':
      return [text];
    default:
      return text;
  }
}

/** 'Monday, July 27, 2026' */
function longDate(session: string): string {
  const [year = '', month = '', date = ''] = session.split('-');
  return `${WEEKDAYS[weekdayOf(parseDay(session))]}, ${MONTHS[Number(month) - 1]} ${Number(date)}, ${year}`;
}
