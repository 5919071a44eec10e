import { it } from 'vitest';
import {
  ADVANCED_INDICATORS,
  FEAR_GREED_INDEX,
  MARKET_BREADTH,
  MARKET_INDICES,
  MARKET_METRICS,
  MARKET_SENTIMENT,
  parseRows,
  SECTOR_STRENGTH,
} from '#schema/columns.ts';
import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import { CLOSE, FULL } from '#tests/support/dashboard-rows.ts';
import { createDice } from '#tests/support/dice.ts';
import { dashboardView } from './dashboard-view.ts';
import { marketStatus, staleText } from './page-texts.ts';
import { timelineView } from './timeline-view.ts';
import { weeklySignalView } from './weekly-signal-view.ts';

const TEXTS = [
  '<b>x</b>',
  '<img src=x onerror=alert(1)>',
  '\u202e',
  '\u202etfarD\u2066 \u200b\u0007\ud800',
  'two\nlines\u2028and more',
  'x'.repeat(10_000),
  `Z${'\u0321'.repeat(10_000)}`,
  '💣'.repeat(10_000),
];
const NOW = Date.parse('2026-11-14T15:00:00Z');

it('hostile rows never show as NaN, undefined, infinite or invalid dates', () => {
  const usual = [-0, -1, 0, 0.05, 49.95, 100, 100.01, 999_999_999];
  const numbers = [...usual, 1e308, -1e308, 5e-324, 1e15, 2 ** 53 - 1];
  const words = ['', ' ', 'nan', '-infinity', '1e21', '62.4', 'bullish', ...TEXTS];
  const hostile = [null, undefined, Number.NaN, Number.POSITIVE_INFINITY, true, [], {}, ...numbers, ...words];
  const times = '0000-01-01T00:00:00 1969-12-31T23:59:59 1970-01-01T00:00:00 9998-12-31T23:59:59';
  const dates = '2026-11-06T21:00:00 2026-02-30T00:00:00 2026-03-08T07:00:00';
  const instants = [
    ...`${times} ${dates}`.split(' ').map((time) => `${time}Z`),
    ...[CLOSE, '2026-11-13T21:00:00+00:00', '9999-12-31T23:59:59-12:00', 'infinity', null, 5],
  ];
  const { pick } = createDice(7);
  const fields = [...new Set(Object.values(FULL).flatMap((value) => fieldNames(value)))];
  const hostileRow = () => {
    const row: Record<string, unknown> = {};
    for (const field of fields) row[field] = pick(hostile);
    row.created_at = pick(instants);
    row.timeframe = pick(['short', 'medium', 'long', 'x']);
    row.symbol = pick(['SPX', 'A', 'B', null, ...TEXTS]);
    row.name = pick(['S&P 500', ...TEXTS]);
    row.sector = pick(['A', 'B', 'C', 7, ...TEXTS]);
    return row;
  };
  const some = <List extends string>(list: List, count: number) =>
    parseRows(list, Array.from({ length: count }, hostileRow));
  for (let round = 0; round < 400; round += 1) {
    const one = <List extends string>(list: List) => some(list, 1)[0] ?? null;
    const fearGreed = () => one(FEAR_GREED_INDEX);
    const market = (): MarketRows => ({
      metrics: one(MARKET_METRICS),
      sectors: some(SECTOR_STRENGTH, 11),
      indicators: one(ADVANCED_INDICATORS),
      sentiment: some(MARKET_SENTIMENT, 3),
      breadth: one(MARKET_BREADTH),
    });
    const rows: DashboardRows = {
      indices: some(MARKET_INDICES, 3),
      fearGreed: {
        ...{ current: fearGreed(), previousClose: fearGreed(), oneWeekAgo: fearGreed() },
        ...{ oneMonthAgo: fearGreed(), oneYearAgo: fearGreed(), timeline: [] },
      },
      ...market(),
      weekAgo: { ...market(), fearGreed: fearGreed() },
    };
    const view = dashboardView(rows, NOW);
    expectShowable(view);
    expectShowable(weeklySignalView(rows, NOW));
    for (const later of [NOW, NOW + 3 * 86_400_000, NOW + 400 * 86_400_000]) {
      expectShowable(marketStatus(view.hours, later));
      if (view.age !== null) expectShowable(staleText(view.age, later));
    }
    if (round % 10 > 0) continue;
    const timeline = timelineView(some(FEAR_GREED_INDEX, 4));
    expectShowable(timeline);
    expectShowable(timeline.points.map((_, index) => timeline.describe(index)));
  }
});

/** The longest sentence names two sectors of 60 characters. */
const LONGEST = 240;

function fieldNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fieldNames);
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

function expectShowable(value: unknown, path = 'view'): void {
  if (value === undefined) throw new Error(`${path} is undefined`);
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) {
    throw new Error(`${path} is ${value}`);
  }
  if (typeof value === 'string' && /NaN|undefined|Infinity|Invalid|null|e\+/.test(value)) {
    throw new Error(`${path} reads ${value}`);
  }
  if (typeof value === 'string' && (value.length > LONGEST || /[\p{Cc}\p{Cf}\p{Cs}]|\p{M}{5}/u.test(value))) {
    throw new Error(`${path} holds what cannot be shown: ${JSON.stringify(value.slice(0, 99))}`);
  }
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) expectShowable(inner, `${path}.${key}`);
  }
}
