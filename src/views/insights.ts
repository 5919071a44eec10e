import type { Tone } from '#domain/bands/band.ts';
import { breadthRatio, breadthStatus } from '#domain/bands/breadth.ts';
import { fearGreedDot, INSIGHT_DOTS, type InsightDot } from '#domain/bands/fear-greed.ts';
import { metricBand } from '#domain/bands/metric.ts';
import { asDisplayed } from '#domain/bands/precision.ts';
import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import type { MarketBreadthRow } from '#schema/market-breadth.ts';
import { fearGreedReading } from './fear-greed-reading.ts';
import type { InsightsView, SectorItem } from './model.ts';
import { countOf, figureOf } from './number.ts';
import { sectorItems } from './sectors.ts';

type Insight = InsightsView['items'][number];

const DOT_OF_TONE = { positive: 'bullish', neutral: 'neutral', negative: 'bearish' } as const;

function insight(key: Insight['key'], dot: InsightDot | null, text: string): Insight {
  const dotText = INSIGHT_DOTS.find((band) => band.dot === dot)?.label ?? null;
  return { key, dot, dotText, text };
}

function fearGreedInsight({ current, previousClose }: DashboardRows['fearGreed']): Insight {
  if (current === null) return insight('fearGreed', null, 'Fear & Greed has not been measured.');
  const now = fearGreedReading(current.index_value);
  const stands = `Fear & Greed stands at ${now.text} (${now.label})`;
  const { dot } = fearGreedDot(current.index_value);
  if (previousClose === null) return insight('fearGreed', dot, `${stands}.`);
  const change = asDisplayed('score', now.value - fearGreedReading(previousClose.index_value).value);
  const moved =
    change === 0
      ? 'unchanged from'
      : `${change > 0 ? 'up' : 'down'} ${figureOf('score', Math.abs(change)).text} points from`;
  return insight('fearGreed', dot, `${stands}, ${moved} the previous close.`);
}

/** How many stocks rose for each that fell; null when it is not known, or when none did either. */
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
  return { text: `${figureOf('ratio', ratio).text} stocks advanced for each one that declined`, tone };
}

function participationInsight({ metrics, breadth }: MarketRows): Insight {
  const exposure = metrics?.market_exposure ?? null;
  const advance = advanceOf(breadth);
  if (exposure !== null) {
    const dot = DOT_OF_TONE[metricBand(exposure).tone];
    const takesPart = `${figureOf('score', exposure, { suffix: '%' }).text} of the market takes part`;
    return insight('participation', dot, `${takesPart}${advance === null ? '' : `; ${advance.text}`}.`);
  }
  if (advance === null) return insight('participation', null, 'Participation has not been measured.');
  return insight('participation', DOT_OF_TONE[advance.tone], `${advance.text}.`);
}

/** Bullish when strong sectors outnumber weak ones, bearish when weak ones outnumber strong ones. */
function leadershipDot(items: readonly SectorItem[]): InsightDot {
  const count = (status: SectorItem['status']) => items.filter((item) => item.status === status).length;
  const lead = count('strong') - count('weak');
  if (lead === 0) return 'neutral';
  return lead > 0 ? 'bullish' : 'bearish';
}

function sectorInsight(rows: MarketRows): Insight {
  const items = sectorItems(rows.sectors).filter((item) => item.value !== null);
  const [leader] = items;
  const last = items.at(-1);
  if (leader === undefined || last === undefined) {
    return insight('sectors', null, 'Sector strength has not been measured.');
  }
  const strong = items.filter((item) => item.status === 'strong').length;
  const count = `${strong} of ${items.length} sectors ${strong === 1 ? 'is' : 'are'} strong`;
  const leads =
    leader === last
      ? `${leader.name} stands at ${leader.percentText}`
      : `${leader.name} leads at ${leader.percentText}, ${last.name} is last at ${last.percentText}`;
  return insight('sectors', leadershipDot(items), `${leads}; ${count}.`);
}

/** Reading 13: Fear & Greed, participation, sector leadership; null when none of them is measured. */
export function insightsView(rows: DashboardRows): InsightsView | null {
  const items = [fearGreedInsight(rows.fearGreed), participationInsight(rows), sectorInsight(rows)];
  return items.every(({ dot }) => dot === null) ? null : { title: 'Market Insights', items };
}
