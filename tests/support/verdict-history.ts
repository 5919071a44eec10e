import { PUBLISHED_TABLES, toRows } from '#collector/publish/row-sets.ts';
import type { Verdict } from '#domain/bands/score-bands.ts';
import { sessionClose } from '#domain/calendar/sessions.ts';
import type { MarketHistory } from '#domain/market-history.ts';
import { readMarket } from '#domain/market-readings.ts';
import { decideSignal } from '#domain/signal/decide-signal.ts';
import { type ClosingVerdict, stableVerdict } from '#domain/signal/stable-verdict.ts';
import { snapshotAt } from '#domain/snapshot.ts';
import type { FearGreedPoint, MarketRows } from '#schema/dashboard.ts';
import { signalInputs } from '#views/signal-inputs.ts';

/** The verdict of each session's close; sessions without one are left out. */
export function closingVerdicts(history: MarketHistory, sectors: readonly string[]): ClosingVerdict[] {
  const readings = readMarket(history, { lastSessionOpen: false, sectors });
  return history.bars.sessions.flatMap((session) => {
    const snapshot = snapshotAt(readings, session);
    if (snapshot === null) return [];
    const rows = toRows(snapshot, 'csv');
    const created_at = new Date(sessionClose(session)).toISOString();
    const rowsOf = (table: string) => {
      const columns = PUBLISHED_TABLES.find(({ name }) => name === table)?.columns ?? [];
      return (rows.get(table) ?? []).map((cells) => ({
        ...Object.fromEntries(columns.map((column, at) => [column, cells[at]])),
        created_at,
      }));
    };
    const market = {
      metrics: rowsOf('market_metrics')[0] ?? null,
      sectors: rowsOf('sector_strength'),
      indicators: rowsOf('advanced_indicators')[0] ?? null,
      sentiment: rowsOf('market_sentiment'),
      breadth: rowsOf('market_breadth')[0] ?? null,
    } as unknown as MarketRows;
    const fearGreed = (rowsOf('fear_greed_index')[0] ?? null) as FearGreedPoint | null;
    const { verdict } = decideSignal(signalInputs(market, fearGreed));
    return [{ session, verdict: verdict === 'insufficient' ? null : verdict }];
  });
}

/** The changes of the verdict over closing runs, as the alerts would have sent them. */
export function changesOver(closes: readonly ClosingVerdict[]): ClosingVerdict[] {
  let last: Verdict | null = null;
  const changes: ClosingVerdict[] = [];
  for (const [at, newest] of closes.entries()) {
    const previous = closes[at - 1];
    const verdict = previous === undefined ? null : stableVerdict(previous, newest);
    if (verdict === null || verdict === last) continue;
    if (last !== null) changes.push(newest);
    last = verdict;
  }
  return changes;
}

/** Verdict changes per year, counted in two ways: from close to close, and as the alerts count them. */
export function changesPerYear(closes: readonly ClosingVerdict[]) {
  const known = closes.filter(({ verdict }) => verdict !== null);
  const years = known.length / 252;
  const daily = known.filter(({ verdict }, at) => at > 0 && verdict !== known[at - 1]?.verdict).length;
  return { years, daily: daily / years, stable: changesOver(closes).length / years };
}
