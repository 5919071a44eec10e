import {
  marketDay,
  marketState,
  newestClosedSession,
  sessionClose,
  sessionOpen,
  sessionsBetween,
} from '#domain/calendar/sessions.ts';
import type { MarketHistory, SeriesName } from '#domain/market-history.ts';
import { BAR_FIELDS, emptyMatrix } from '../bar-table.ts';
import type { Source, SourceReading } from '../history/source.ts';
import { SourceError } from '../problems.ts';
import { COMPANIES } from '../simulated/companies.ts';
import { advance, createModel, earlierMarket } from '../simulated/market-state.ts';
import { hundredths } from '../simulated/random.ts';
import { cents, createIndices, createSessionSeries, START, sessionBars } from '../simulated/session.ts';

/** The first day. Each read simulates from this day, so that the past never changes. */
const BEGINNING = '2015-01-02';
/** The first day of the S&P 500 and the VIX, which the risk outlook needs for ten years before its first week. */
const INDEX_BEGINNING = '2005-01-03';
/** A full index needs 624 sessions, its year of history 252 more. */
const DEFAULT_YEARS = 4;
/** With this seed each year up to the end of 2027 is within the ranges of real ones. */
const DEFAULT_SEED = 'barometer 519';

export interface SimulatedSourceOptions {
  /** Another seed is another market. */
  seed?: string | undefined;
  /** Whole years before the current one. */
  years?: number | undefined;
}

/** An invented market for demonstration: the same seed always returns the same past, and new sessions each day. */
export function createSimulatedSource({
  seed = DEFAULT_SEED,
  years = DEFAULT_YEARS,
}: SimulatedSourceOptions = {}): Source {
  return {
    name: 'simulated',
    axisFrom: (now) => firstShown(years, now),
    plan: async ({ now, job }) => ({
      // A later run stores new sessions only.
      ...(job === 'backfill' ? { missing: earlierHistory({ seed, years }, now) } : {}),
      read: async () => readSimulated({ seed, years }, now),
    }),
  };
}

function readSimulated({ seed, years }: { seed: string; years: number }, now: number): SourceReading {
  const closed = newestClosedSession(now);
  const { open, session: current } = marketState(now);
  const last = open && current !== null ? current : closed;
  const from = firstShown(years, now);
  const sessions = sessionsBetween(BEGINNING, last);
  const shown = sessions.filter((session) => session >= from);
  if (shown.length === 0)
    throw new SourceError(
      `The simulated market begins on ${BEGINNING}, after the time of this computer. Check the clock.`,
    );
  const elapsed = open ? (now - sessionOpen(last)) / (sessionClose(last) - sessionOpen(last)) : 1;
  const history = simulate(seed, sessions, shown, elapsed);
  return { history, members: COMPANIES, observedAt: open ? now : null };
}

const firstShown = (years: number, now: number) => `${Number(marketDay(now).slice(0, 4)) - years}-01-01`;

/** The S&P 500 and the VIX before the first session with bars. */
async function* earlierHistory(
  { seed, years }: { seed: string; years: number },
  now: number,
): AsyncGenerator<MarketHistory> {
  const axisFrom = firstShown(years, now);
  const before = sessionsBetween(INDEX_BEGINNING, BEGINNING).slice(0, -1);
  const sessions = sessionsBetween(BEGINNING, axisFrom).filter((session) => session < axisFrom);
  const earlier = earlierMarket(seed, before, START.sp500);
  const { model, start } = createModel(seed);
  const levelsOf = createIndices(model, start);
  const [closes, vix] = [[...earlier.sp500], [...earlier.vix]];
  let state = start;
  for (const session of sessions) {
    state = advance(model, state, seed, session);
    closes.push(hundredths(levelsOf(state.logPrices.map((log) => cents(Math.exp(log)))).sp500));
    vix.push(hundredths(state.vix));
  }
  const series = { sp500_close: Float64Array.from(closes), vix_close: Float64Array.from(vix) };
  const universe = `${COMPANIES.length} simulated stocks`;
  yield { sessions: [...before, ...sessions], series, bars: emptyMatrix([], []), universe };
}

/** Simulates `sessions` and returns the `shown` ones, the last of them up to `elapsed` of it. */
function simulate(
  seed: string,
  sessions: readonly string[],
  shown: readonly string[],
  elapsed: number,
): MarketHistory {
  const { model, start } = createModel(seed);
  const seriesOf = createSessionSeries(model, start);
  const order = [...COMPANIES.entries()].sort(([, a], [, b]) => (a.symbol < b.symbol ? -1 : 1));
  const bars = emptyMatrix(
    shown,
    order.map(([, member]) => member),
  );
  const series: Partial<Record<SeriesName, Float64Array>> = {};
  let after = start;
  for (const [number, session] of sessions.entries()) {
    const before = after;
    after = advance(model, before, seed, session);
    const column = number - (sessions.length - shown.length);
    if (column < 0) continue;
    const part = number === sessions.length - 1 ? elapsed : 1;
    const simulated = { seed: `${seed} ${session}`, before, after, elapsed: part };
    const itsBars = sessionBars(model, simulated);
    for (const [row, [company]] of order.entries()) {
      for (const field of BAR_FIELDS)
        bars[field][row * shown.length + column] = itsBars[field][company] as number;
    }
    for (const [name, value] of Object.entries(seriesOf(simulated, itsBars.close)) as [
      SeriesName,
      number,
    ][]) {
      series[name] ??= new Float64Array(shown.length).fill(Number.NaN);
      series[name][column] = value;
    }
  }
  return { sessions: shown, series, bars, universe: `${COMPANIES.length} simulated stocks` };
}
