import { marketDay } from '#domain/calendar/sessions.ts';
import { BAR_FIELDS } from '../bar-table.ts';
import type { Bar, BarRequest } from './provider.ts';
import { dayRefusal, type Refusal } from './series-validator.ts';

/** Bounds of a share price: Berkshire Hathaway is below 1e6, and no exchange quotes less than 1e-4. */
const PRICE = { from: 1e-4, below: 1e7 } as const;
const VOLUME = { from: 0, below: 1e12 } as const;
const PRICES = ['open', 'high', 'low', 'close'] as const;
const TOLERANCE = 1e-6;

/** Rejects invalid and contradicting bars into the request's problems. Ignores days outside the requested range. */
export function createBarValidator(
  label: string,
  { from, to, now, problems }: Pick<BarRequest, 'from' | 'to' | 'now' | 'problems'>,
) {
  const today = marketDay(now);
  const bars = new Map<string, Map<string, Bar>>();

  return {
    accepted: (): Bar[] => [...bars.values()].flatMap((ofSymbol) => [...ofSymbol.values()]),
    /** `values`: open, high, low, close, volume. */
    add(symbol: string, session: string, values: readonly unknown[]) {
      const refuse = ([kind, why]: Refusal) =>
        problems.refuse(kind, { provider: label, item: symbol, session }, why);
      const dayRefused = dayRefusal(session, today);
      if (dayRefused !== null) return refuse(dayRefused);
      if (session < from || session > to) return;
      for (const [at, name] of BAR_FIELDS.entries()) {
        const refusal = valueRefusal(name, values[at]);
        if (refusal !== null) return refuse(refusal);
      }
      const [open = 0, high = 0, low = 0, close = 0, volume = 0] = values as readonly number[];
      if (high < low) return refuse(['high below low', 'the high is below the low']);
      const ofSymbol = bars.get(symbol) ?? new Map<string, Bar>();
      bars.set(symbol, ofSymbol);
      const bar = { symbol, session, open, high, low, close, volume };
      const first = ofSymbol.get(session);
      if (first === undefined) ofSymbol.set(session, bar);
      else if (!PRICES.every((name) => isSamePrice(first[name], bar[name])))
        refuse(['duplicate', 'two different bars for one day']);
    },
  };
}

function valueRefusal(name: (typeof BAR_FIELDS)[number], value: unknown): Refusal | null {
  const { from, below } = name === 'volume' ? VOLUME : PRICE;
  if (value === null || value === undefined) return ['missing value', `no ${name}`];
  if (typeof value !== 'number' || !Number.isFinite(value)) return ['number', `the ${name} is not a number`];
  if (value < 0) return ['price', `the ${name} is negative`];
  if (value === 0 && from > 0) return ['price', `the ${name} is zero`];
  return value < from || value >= below ? ['price', `the ${name} of ${value} is out of bounds`] : null;
}

export function isSamePrice(a: number, b: number): boolean {
  return Math.abs(a - b) <= TOLERANCE * a;
}
