import type { AdvanceDecline } from '../breadth/advance-decline.ts';
import type { NewHighsLows } from '../breadth/new-highs-lows.ts';
import { firstPresent } from '../breadth/universe.ts';
import type { SeriesName } from '../market-history.ts';
import { havenGreed, junkBondGreed, optionsGreed, priceBreadth, priceStrength } from './raw-series.ts';
import { type FearGreedScores, fearGreedIndex, scoreComponent, scoreVolatility } from './score.ts';

/** Published counts of the exchange per session; NaN where the source has none. */
export interface ExchangeCounts {
  readonly advances: Float64Array;
  readonly declines: Float64Array;
  readonly unchanged: Float64Array;
  readonly highs: Float64Array;
  readonly lows: Float64Array;
}

/** What the index is made of, on one session axis; a series the source does not have is all NaN. */
export interface FearGreedInputs {
  readonly series: (name: SeriesName) => Float64Array;
  readonly exchange: ExchangeCounts;
  readonly members: AdvanceDecline & NewHighsLows;
}

/**
 * The index from market data. Where two sources could feed a component (exchange or members, total or
 * equity put/call), each is scored over its own history and the finished score is chosen, the first named
 * first: a window never mixes them.
 */
export function readFearGreed({ series, exchange, members }: FearGreedInputs): FearGreedScores {
  const indexClose = series('sp500_close');
  const issues = exchange.advances.map(
    (advances, at) =>
      advances + (exchange.declines[at] ?? Number.NaN) + (exchange.unchanged[at] ?? Number.NaN),
  );
  const components = {
    market_momentum: scoreComponent(indexClose),
    stock_price_strength: firstPresent(
      scoreComponent(priceStrength(exchange.highs, exchange.lows, issues)),
      scoreComponent(priceStrength(members.highs, members.lows, members.eligible)),
    ),
    stock_price_breadth: firstPresent(
      scoreComponent(priceBreadth(exchange.advances, exchange.declines)),
      scoreComponent(priceBreadth(members.advancingVolume, members.decliningVolume)),
      scoreComponent(priceBreadth(members.advancing, members.declining)),
    ),
    put_call_options: firstPresent(
      scoreComponent(optionsGreed(series('put_call_total'))),
      scoreComponent(optionsGreed(series('put_call_equity'))),
    ),
    junk_bond_demand: scoreComponent(junkBondGreed(series('high_yield_oas'), series('investment_grade_oas'))),
    market_volatility: scoreVolatility(series('vix_close')),
    safe_haven_demand: scoreComponent(havenGreed(indexClose, series('treasury_10y_yield'))),
  };
  return { value: fearGreedIndex(components), components };
}
