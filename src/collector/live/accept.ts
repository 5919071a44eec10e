import { isSession } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import type { ProblemKind, Problems } from '../problems.ts';
import { PLAUSIBLE } from '../providers/plausible-series.ts';
import type { Bar, Provider, SeriesReading } from '../providers/provider.ts';

/** What was asked for; sessions, both included. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

const LONGEST_SHOWN = 20;

/** The bars that answer the question and can be right; of two of one symbol and session the first. */
export function acceptBars(
  bars: readonly Bar[],
  {
    provider,
    symbols,
    span,
    problems,
  }: { provider: Provider; symbols: readonly string[]; span: Span; problems: Problems },
): Bar[] {
  const asked = new Set(symbols);
  const wrongDay = createDayCheck(span);
  const seen = new Set<string>();
  return bars.filter((bar) => {
    const wrong = asked.has(bar.symbol)
      ? (wrongDay(bar.session) ?? wrongBar(bar))
      : (['unknown symbol', 'was not asked for'] as const);
    const key = `${bar.symbol} ${bar.session}`;
    const refusal = wrong ?? (seen.has(key) ? (['duplicate', 'is there twice'] as const) : null);
    if (refusal === null) seen.add(key);
    else refuse(problems, provider, bar.symbol, bar.session, refusal);
    return refusal === null;
  });
}

/** The values that answer the question and can be right. */
export function acceptSeries(
  reading: SeriesReading,
  {
    provider,
    series,
    span,
    problems,
  }: { provider: Provider; series: readonly SeriesName[]; span: Span; problems: Problems },
): { series: SeriesName; session: string; value: number }[] {
  const wrongDay = createDayCheck(span);
  return [...reading].flatMap(([name, values]) =>
    [...values].flatMap(([session, value]) => {
      const refusal = series.includes(name)
        ? (wrongDay(session) ?? wrongValue(name, value))
        : (['unknown symbol', 'was not asked for'] as const);
      if (refusal === null) return [{ series: name, session, value }];
      refuse(problems, provider, name, session, refusal);
      return [];
    }),
  );
}

type Refusal = readonly [kind: ProblemKind, why: string];

function refuse(
  problems: Problems,
  { label }: Provider,
  of: string,
  session: string,
  [kind, why]: Refusal,
): void {
  problems.refuse(
    kind,
    { provider: label, of: of.slice(0, LONGEST_SHOWN), session: session.slice(0, LONGEST_SHOWN) },
    why,
  );
}

/** Looks at each day once: a thousand bars share it. */
function createDayCheck({ from, to }: Span): (session: string) => Refusal | null {
  const known = new Map<string, Refusal | null>();
  const check = (session: string): Refusal | null => {
    if (session > to) return ['future date', `is after ${to}, the last session asked for`];
    if (session < from) return ['date', `is before ${from}, the first session asked for`];
    return isSession(session) ? null : ['date', 'is not a session of the exchange'];
  };
  return (session) => {
    const found = known.get(session);
    if (found !== undefined) return found;
    const refusal = check(session);
    known.set(session, refusal);
    return refusal;
  };
}

function wrongBar({ open, high, low, close, volume }: Bar): Refusal | null {
  const wrong = [open, high, low, close].find((price) => !(Number.isFinite(price) && price > 0));
  if (wrong !== undefined) return ['price', `a price of ${wrong}`];
  if (!(Number.isFinite(volume) && volume >= 0)) return ['number', `a volume of ${volume}`];
  return high < low ? ['high below low', `the high of ${high} is below the low of ${low}`] : null;
}

function wrongValue(series: SeriesName, value: number): Refusal | null {
  const { low, high } = PLAUSIBLE[series];
  return value >= low && value <= high ? null : ['price', `${value} is not between ${low} and ${high}`];
}
