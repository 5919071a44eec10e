import { describe, expect, it } from 'vitest';
import { sessionClose, sessionsBetween } from '#domain/calendar/sessions.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { READING_NAMES, type Readings } from '#domain/signal/flips.ts';
import type { SessionRows } from '#schema/dashboard.ts';
import { noise } from '#tests/support/bars.ts';
import { marketOf } from '#tests/support/dashboard-rows.ts';
import { textOfPage } from '#tests/support/page-text.ts';
import { writeDay } from '#views/day.ts';
import { EXPLANATIONS } from '#views/explanations.ts';
import { methodFigures, methodView } from '#views/method-view.ts';
import { methodHtml } from './method-page.tsx';

const NO_READINGS = Object.fromEntries(READING_NAMES.map((name) => [name, null])) as Readings;
const LAST = '2026-11-20';
const NOW = Date.parse('2026-11-21T12:00:00Z');

/** Sessions whose score wanders around HOLD. */
function history(from: string, source: 'live' | 'simulated' | 'replay' = 'live'): SessionRows[] {
  const next = noise(5);
  let level = 50;
  let close = 5_000;
  return sessionsBetween(from, LAST).map((session) => {
    level = Math.min(95, Math.max(5, level + 12 * (next() - 0.5) + 0.05 * (50 - level)));
    close *= 1 + 0.02 * (next() - 0.49);
    const created_at = new Date(sessionClose(session)).toISOString();
    const fearGreed = { index_value: level, source, created_at };
    return { session, close, fearGreed, ...marketOf(level, created_at) };
  });
}

const htmlOf = (days: readonly SessionRows[], now = NOW) =>
  methodHtml(methodView(methodFigures(days), now), 'Barometer');
const textOf = (...history: Parameters<typeof htmlOf>) => textOfPage(htmlOf(...history));

const LONG = history('2021-11-22');
const LONG_PAGE = htmlOf(LONG);
const LONG_TEXT = textOfPage(LONG_PAGE);

/** Statements that no page on the record may make. */
const FORBIDDEN =
  /hit rate|accura|success|win rate|probab|likel|chance|odds|annual|per year|p\.a\.|\breturns?\b|backtest|equity|profit|outperform|beat|predict|skilful|proven|after (BUY|HOLD|SELL)/i;

describe('the page about the method', () => {
  it.each([
    ['five years', LONG],
    ['ten weeks', history('2026-09-14')],
    ['one session', history(LAST)],
    ['no session', []],
  ])('states nothing forbidden and has no broken value over %s', (_name, days) => {
    const html = htmlOf(days);
    const [own = ''] = textOfPage(html).split('Every number is computed from closing data');
    expect(own).not.toMatch(FORBIDDEN);
    expect(textOfPage(html)).not.toMatch(/undefined|NaN|Infinity|\bnull\b/);
    expect(html).not.toMatch(/<(canvas|img)\b/);
    expect(html).not.toMatch(/="[^"]*(NaN|Infinity|undefined)/);
    const places = [...html.matchAll(/(?:x|x1|x2|cx|width)="([^"]+)%"/g)].map(([, place]) => Number(place));
    expect(places.every((place) => place >= 0 && place <= 100)).toBe(true);
  });

  it('dates the history without the open session, which it leaves out', () => {
    const open = LONG.map((day) => {
      const created_at = new Date(sessionClose(LAST) - 3_600_000).toISOString();
      return day.session === LAST ? { ...day, ...marketOf(50, created_at), fearGreed: null } : day;
    });
    const textWith = (count: number, last: string) =>
      `${count.toLocaleString('en')} sessions from Mon 22 Nov 2021 to ${last}`;
    expect([open, LONG].map((days) => methodFigures(days)?.historyText)).toEqual([
      ...[textWith(LONG.length - 1, 'Thu 19 Nov 2026'), textWith(LONG.length, 'Fri 20 Nov 2026')],
    ]);
  });

  it('scores a past week without an index in its last session with the index before, like the dashboard', () => {
    const onFridays = (fearGreedOf: (day: SessionRows, before: SessionRows) => SessionRows['fearGreed']) =>
      methodFigures(
        LONG.map((day, at) => {
          const before = LONG[at - 1];
          const isFriday = day.session !== LAST && new Date(day.session).getUTCDay() === 5;
          return before && isFriday ? { ...day, fearGreed: fearGreedOf(day, before) } : day;
        }),
      );
    const [without, carried] = [onFridays(() => null), onFridays((_, before) => before.fearGreed)];
    expect(without?.stability.lead).toContain('With one of the seven inputs left out');
    expect([without?.stability, without?.inputs]).toEqual([carried?.stability, carried?.inputs]);
  });

  it('has stable ids for its sections', () => {
    const ids = [...LONG_PAGE.matchAll(/<section class="card[^"]*" id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.join()).toBe('flip,stability,overlap,revisions,base-rates,definitions');
  });

  it('contains every definition with the version of the formula', () => {
    for (const { name, text } of Object.values(EXPLANATIONS)) expect(LONG_TEXT).toContain(`${name} ${text}`);
    expect(LONG_TEXT).toContain(`definitions of formula ${SIGNAL_FORMULA}`);
  });

  it('shows the lowest change beside each mean, and the share of all weeks beside each share', () => {
    const text = LONG_TEXT.split('Base rates of Fear & Greed ').at(-1) ?? '';
    const number = String.raw`[+−]?\d+\.\d\d`;
    const row = new RegExp(
      String.raw`\d+ weeks?, \d+ apart, \d+ spells? (?:too few to say — —|${number} ${number} (?:— |${number} ${number} to ${number} )\d+%(?: all \d+%)?) (?:${number} \d+ \w{3} \d{4}|—)`,
      'g',
    );
    expect(text.replaceAll(' ,', ',').match(row)).toHaveLength(18);
  });

  it('states that a history of ten weeks is too short', () => {
    const text = textOf(history('2026-09-14'));
    expect(text).toContain('The stored history is too short to say how the S&P 500 changed');
    expect(text.match(/too few to say/g)?.length).toBeGreaterThan(15);
  });

  it.each([
    ['simulated', 'Demonstration: a simulated market with invented numbers.'],
    ['replay', 'Demonstration: past market data, moved to today.'],
  ] as const)('says that %s data is a demonstration', (source, sentence) => {
    expect(textOf(history('2026-09-14', source))).toContain(sentence);
    expect(LONG_TEXT).not.toContain('Demonstration');
  });

  it('never pools a demonstration with the actual market', () => {
    const demo = history('2022-01-03', 'simulated').filter(({ session }) => session < '2026-09-14');
    expect(htmlOf([...demo, ...history('2026-09-14')])).toBe(htmlOf(history('2026-09-14')));
  });

  it('states the age of its numbers in sessions', () => {
    expect(LONG_TEXT).toContain('As of Fri 20 Nov 2026, close.');
    expect(textOf(LONG, Date.parse('2026-11-25T12:00:00Z'))).toContain(
      'The data is old: its newest numbers are as of Fri 20 Nov 2026, close, 2 sessions behind.',
    );
  });

  it('has only definitions without data', () => {
    const text = textOf([]);
    expect(text).toContain('There is no data yet, so this page has definitions only.');
    expect(text).not.toContain('What would flip the verdict');
  });

  it('marks a number that is not measured, and has no flip for one that cannot flip the verdict alone', () => {
    const created_at = new Date(sessionClose(LAST)).toISOString();
    const rows = marketOf(80, created_at);
    const indicators = rows.indicators && { ...rows.indicators, put_call_ratio: null };
    const fearGreed = { index_value: 80, source: 'live' as const, created_at };
    const text = textOf([{ session: LAST, close: 5_000, ...rows, fearGreed, indicators }]);
    for (const words of [
      'The verdict is BUY at 80.0 points, 19.1 points from HOLD.',
      'Put/Call Ratio not measured today',
      'Fear & Greed now 80.0 BUY at every value Overall Strength',
      'No number in the table can flip it alone.',
    ])
      expect(text).toContain(words);
  });

  it('compares published and final values from 20 sessions on', () => {
    const readings = (vix: number) => ({ ...NO_READINGS, vix });
    const days = LONG.slice(-20).map(({ session }, at) => ({
      ...{ session, published: readings(20), final: readings(at === 3 ? 21.25 : 20) },
    }));
    const pageOf = (revised: typeof days) =>
      textOfPage(methodHtml(methodView(methodFigures(LONG, revised), NOW), 'Barometer'));
    expect(pageOf(days)).toContain(`VIX 1 of 20 sessions 0.00 +1.25 on ${writeDay(days[3]?.session ?? '')}`);
    expect(pageOf(days)).toContain('Put/Call Ratio 0 of 0 sessions — —');
    expect(pageOf(days.slice(1))).toContain('Too few sessions were published on their own day');
    expect(methodFigures(history(LAST, 'replay'))?.revisions.lead).toBe(
      'The numbers of a demonstration are not compared.',
    );
  });

  it('has no flip table without a verdict', () => {
    const day = { ...history(LAST)[0], metrics: null, breadth: null, sectors: [] } as SessionRows;
    expect(textOf([day])).toContain('There is no verdict now, so nothing can flip it.');
  });

  it('leaves a session that is still open out of the history, but not out of the verdict', () => {
    const [open] = history(LAST).map((day) => ({
      ...day,
      fearGreed: day.fearGreed && { ...day.fearGreed, created_at: `${LAST}T18:00:00.000Z` },
    }));
    const before = LONG.filter(({ session }) => session < LAST);
    const now = Date.parse(`${LAST}T18:05:00Z`);
    const [with_, without] = [[...before, open as SessionRows], before].map((days) => htmlOf(days, now));
    const rates = (html = '') => html.split('id="base-rates"')[1];
    expect(rates(with_)).toBe(rates(without));
    expect(with_).not.toBe(without);
  });
});
