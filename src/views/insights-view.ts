import { asDisplayed } from '#domain/bands/precision.ts';
import {
  breadthRatio,
  breadthStatus,
  fearGreedDot,
  INSIGHT_DOTS,
  type InsightDot,
  metricBand,
  type Tone,
} from '#domain/bands/score-bands.ts';
import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import { type InputAges, inputAges } from '#domain/signal/inputs.ts';
import type { MarketBreadthRow } from '#schema/columns.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { sectorItems } from './advanced-view.ts';
import { writeDay } from './day.ts';
import { fearGreedReading } from './fear-greed-view.ts';
import { capitalised, countOf, figureOf } from './number.ts';
import { currentInputs } from './signal-inputs.ts';

type SectorItem = ReturnType<typeof sectorItems>[number];

const DOT_OF_TONE = { positive: 'bullish', neutral: 'neutral', negative: 'bearish' } as const;
type Key = 'fearGreed' | 'participation' | 'sectors';

function insight(key: Key, dot: InsightDot | null, text: string) {
  const dotText = INSIGHT_DOTS.find((band) => band.dot === dot)?.label ?? null;
  return { key, dot, dotText, text };
}

type Age = InputAges[keyof InputAges];

/** ' As of Thu 12 Nov 2026.' if one of the inputs is older than the newest input; otherwise ''. */
function olderText(...inputs: Age[]): string {
  const sessions = inputs.flatMap(({ session, age }) => (age === 'older' && session !== null ? session : []));
  const [oldest] = sessions.sort();
  return oldest === undefined ? '' : ` As of ${writeDay(oldest)}.`;
}

function notMeasured(key: Key, name: string, { session, age }: Age) {
  const since = age === 'expired' && session !== null ? ` since ${writeDay(session)}` : '';
  return insight(key, null, `${name} has not been measured${since}.`);
}

function fearGreedInsight({ current, previousClose }: DashboardRows['fearGreed'], ages: InputAges) {
  const age = ages.fearGreed;
  if (current === null || age.age === 'expired') return notMeasured('fearGreed', 'Fear & Greed', age);
  const now = fearGreedReading(current.index_value);
  const stands = `Fear & Greed stands at ${now.text} (${now.label})`;
  const { dot } = fearGreedDot(current.index_value);
  if (previousClose === null) return insight('fearGreed', dot, `${stands}.${olderText(age)}`);
  const change = asDisplayed('score', now.value - fearGreedReading(previousClose.index_value).value);
  const moved =
    change === 0
      ? 'unchanged from'
      : `${change > 0 ? 'up' : 'down'} ${figureOf('score', Math.abs(change)).text} points from`;
  return insight('fearGreed', dot, `${stands}, ${moved} the previous close.${olderText(age)}`);
}

function advanceOf(row: MarketBreadthRow | null): { text: string; tone: Tone } | null {
  const advancing = row?.advancing_stocks ?? null;
  const declining = row?.declining_stocks ?? null;
  if (advancing === null || declining === null || advancing + declining === 0) return null;
  const ratio = breadthRatio(advancing, declining);
  const tone = breadthStatus(ratio);
  if (declining === 0) {
    const stocks = `${countOf(advancing).text} ${advancing === 1 ? 'stock' : 'stocks'}`;
    return { text: `${stocks} advanced and none declined`, tone };
  }
  return { text: `the advance/decline ratio is ${figureOf('ratio', ratio).text}`, tone };
}

function participationInsight({ metrics, breadth }: DashboardRows, ages: InputAges) {
  const exposure = ages.marketExposure.age === 'expired' ? null : (metrics?.market_exposure ?? null);
  const advance = ages.breadth.age === 'expired' ? null : advanceOf(breadth);
  if (exposure === null && advance === null) {
    return notMeasured('participation', 'Participation', ages.marketExposure);
  }
  const parts = [
    exposure === null
      ? null
      : `${figureOf('score', exposure, { suffix: '%' }).text} of the market takes part`,
    advance?.text ?? null,
  ].filter((text) => text !== null);
  const older = olderText(
    ...(exposure === null ? [] : [ages.marketExposure]),
    ...(advance === null ? [] : [ages.breadth]),
  );
  const tone = exposure === null ? (advance?.tone ?? 'neutral') : metricBand(exposure).tone;
  return insight('participation', DOT_OF_TONE[tone], `${capitalised(parts.join('; '))}.${older}`);
}

const countOfBand = (items: readonly SectorItem[], label: SectorItem['label']) =>
  items.filter((item) => item.label === label).length;

function leadershipDot(items: readonly SectorItem[]): InsightDot {
  const lead = countOfBand(items, 'Strong') - countOfBand(items, 'Weak');
  if (lead === 0) return 'neutral';
  return lead > 0 ? 'bullish' : 'bearish';
}

/** 'Energy leads at 70.0%', 'Energy and Utilities lead at 70.0%', '3 sectors lead at 70.0%'. */
function placed(tied: readonly SectorItem[], verbs: { one: string; several: string }): string {
  const names = tied.length > 2 ? `${tied.length} sectors` : tied.map(({ name }) => name).join(' and ');
  return `${names} ${tied.length === 1 ? verbs.one : verbs.several} at ${tied[0]?.text}%`;
}

const LEADS = { one: 'leads', several: 'lead' };
const IS_LAST = { one: 'is last', several: 'are last' };

function leadership(items: readonly SectorItem[]): string {
  const level = (item: SectorItem | undefined) => items.filter(({ value }) => value === item?.value);
  const first = level(items[0]);
  if (first.length === items.length) return placed(first, { one: 'stands', several: 'stand level' });
  return `${placed(first, LEADS)}, ${placed(level(items.at(-1)), IS_LAST)}`;
}

function sectorInsight({ sectors }: DashboardRows, ages: InputAges) {
  const items = sectorItems(sectors).filter((item) => item.value !== null);
  if (items.length === 0 || ages.sectors.age === 'expired') {
    return notMeasured('sectors', 'Sector strength', ages.sectors);
  }
  const [strong, weak] = [countOfBand(items, 'Strong'), countOfBand(items, 'Weak')];
  const measured = items.length < GICS_SECTORS.length ? 'measured sectors' : 'sectors';
  const count = `${strong} of ${items.length} ${measured} ${strong === 1 ? 'is' : 'are'} strong, ${weak} weak`;
  return insight(
    'sectors',
    leadershipDot(items),
    `Sector strength: ${leadership(items)}; ${count}.${olderText(ages.sectors)}`,
  );
}

/** The three insights (specification, reading 13); null if none is measured. */
export function insightsView(rows: DashboardRows) {
  // Uses the ages that the signal computes, so that insights and signal treat the same inputs as old.
  const ages = inputAges(currentInputs(rows));
  const items = [
    fearGreedInsight(rows.fearGreed, ages),
    participationInsight(rows, ages),
    sectorInsight(rows, ages),
  ];
  return items.every(({ dot }) => dot === null) ? null : { title: 'Market Insights', items };
}
export type InsightsView = NonNullable<ReturnType<typeof insightsView>>;
