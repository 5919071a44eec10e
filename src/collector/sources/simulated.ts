import {
  marketDay,
  marketState,
  newestClosedSession,
  sessionClose,
  sessionOpen,
  sessionsBetween,
} from '#domain/calendar/sessions.ts';
import type { BarMatrix, MarketHistory, SeriesName } from '#domain/market-history.ts';
import { BAR_FIELDS, emptyMatrix } from '../history/bar-table.ts';
import { SourceError } from '../problems.ts';
import { COMPANIES } from '../simulated/companies.ts';
import { createIndices } from '../simulated/indices.ts';
import { advance, createModel } from '../simulated/market-state.ts';
import { type SessionBars, sessionBars } from '../simulated/session-bars.ts';
import { sessionSeries } from '../simulated/session-series.ts';
import { sessionTick } from '../simulated/session-tick.ts';
import type { Source } from './source.ts';

/** The invented market's first day. It is walked from here every time, so the past never changes. */
const BEGINNING = '2015-01-02';
/** A full index needs 624 sessions, its year of history 252 more. */
const DEFAULT_YEARS = 4;
/** Chosen for the years it makes: each one up to the end of 2027 is within the ranges of real ones. */
const DEFAULT_SEED = 'barometer 519';

export interface SimulatedSourceOptions {
  /** Another seed is another market. */
  seed?: string | undefined;
  /** How many whole years before the current one it knows. */
  years?: number | undefined;
}

/**
 * An invented market for demonstration: the same seed gives the same past whenever it is asked, new sessions
 * as time passes, and readings of the session that is open.
 */
export function createSimulatedSource({
  seed = DEFAULT_SEED,
  years = DEFAULT_YEARS,
}: SimulatedSourceOptions = {}): Source {
  return {
    word: 'simulated',
    async read({ now }) {
      const closed = newestClosedSession(now);
      const { open, session: current } = marketState(now);
      const last = open && current !== null ? current : closed;
      const firstShown = `${Number(marketDay(now).slice(0, 4)) - years}-01-01`;
      const sessions = sessionsBetween(BEGINNING, last);
      const shown = sessions.filter((session) => session >= firstShown);
      if (shown.length === 0)
        throw new SourceError(`The simulated market begins on ${BEGINNING}; check the clock.`);
      const elapsed = open ? (now - sessionOpen(last)) / (sessionClose(last) - sessionOpen(last)) : 1;
      const history = simulate(seed, sessions, shown, elapsed);
      return { history, members: COMPANIES, observedAt: open ? now : null };
    },
  };
}

/** Walks `sessions` and keeps the `shown` ones, the last of them only as far as `elapsed` of it. */
function simulate(
  seed: string,
  sessions: readonly string[],
  shown: readonly string[],
  elapsed: number,
): MarketHistory {
  const { model, start } = createModel(seed);
  const levelsOf = createIndices(model, start);
  const order = COMPANIES.map((member, index) => ({ member, index })).sort((a, b) =>
    a.member.symbol < b.member.symbol ? -1 : 1,
  );
  const bars = emptyMatrix(
    shown,
    order.map(({ member }) => member),
  );
  const rows = order.map(({ index }) => index);
  const series: Partial<Record<SeriesName, Float64Array>> = {};
  let state = start;
  for (const [number, session] of sessions.entries()) {
    const before = state;
    state = advance(model, before, seed, session);
    const column = number - (sessions.length - shown.length);
    if (column < 0) continue;
    const part = number === sessions.length - 1 ? elapsed : 1;
    const ofSession = sessionBars(model, before, state, seed, session, part);
    for (const [row, company] of rows.entries())
      placeBar(bars, row * shown.length + column, ofSession, company);
    const values = {
      ...sessionSeries(levelsOf(ofSession.close), before, state, part, `${seed} ${session}`),
      tick_proxy: sessionTick(model, before, state, ofSession.close, { seed, session, elapsed: part }),
    };
    for (const [name, value] of Object.entries(values) as [SeriesName, number][]) {
      series[name] ??= new Float64Array(shown.length).fill(Number.NaN);
      series[name][column] = value;
    }
  }
  return { sessions: shown, series, bars, universe: `${COMPANIES.length} simulated stocks` };
}

function placeBar(bars: BarMatrix, cell: number, from: SessionBars, company: number): void {
  for (const field of BAR_FIELDS) bars[field][cell] = from[field][company] as number;
}
