import type { Bar, Provider } from '../providers/provider.ts';
import type { LiveRun, Span } from './run.ts';

/** What one provider gave of some symbols. */
export interface BarsGiven {
  readonly bars: readonly Bar[];
  /** Those it gave no answer about. */
  readonly unanswered: readonly string[];
  /** Of each bar of the last session asked for, up to when it reaches (epoch ms). */
  readonly reaches: readonly number[];
}

/** Asks a provider for the bars of symbols, as many a request as it takes. `onAnswer` is told how many are done. */
export async function readBars(
  { ask, http, request: { now, problems } }: LiveRun,
  provider: Provider,
  symbols: readonly string[],
  span: Span,
  onAnswer: (symbols: number) => void = () => undefined,
): Promise<BarsGiven> {
  const bars: Bar[] = [];
  const unanswered: string[] = [];
  const reaches: number[] = [];
  const step = provider.symbolsARequest ?? symbols.length;
  for (let from = 0; from < symbols.length; from += step) {
    const part = symbols.slice(from, from + step);
    const what = part.length === 1 ? `Bars of ${part[0]}` : `Bars of ${part.length} symbols`;
    const reading = await ask(provider, { topic: 'bars', what }, async () => {
      if (provider.readBars === undefined) return { bars: [], observedAt: now };
      return provider.readBars({ ...span, symbols: part, now, http, problems });
    });
    onAnswer(part.length);
    if (reading === null) {
      unanswered.push(...part);
      continue;
    }
    for (const bar of reading.bars) {
      bars.push(bar);
      if (bar.session === span.to) reaches.push(reading.observedAt);
    }
  }
  return { bars, unanswered, reaches };
}
