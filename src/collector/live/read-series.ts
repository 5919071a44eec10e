import type { SeriesName } from '#domain/market-history.ts';
import type { Provider, SeriesReading } from '../providers/provider.ts';
import type { LiveRun, Span } from './run.ts';

/** One value of a series. */
export interface SeriesValue {
  readonly series: SeriesName;
  readonly session: string;
  readonly value: number;
}

/** Asks a provider for series over a span; null where it gave no answer. */
export async function readSeries(
  { ask, http, request: { now, problems } }: LiveRun,
  provider: Provider,
  series: readonly SeriesName[],
  span: Span,
): Promise<SeriesValue[] | null> {
  const topic = series.join(', ').replaceAll('_', ' ');
  const what = span.from === span.to ? `${topic} of ${span.to}` : topic;
  const reading = await ask(
    provider,
    { topic, what },
    async (): Promise<SeriesReading> =>
      provider.readSeries === undefined
        ? new Map()
        : provider.readSeries({ ...span, series, now, http, problems }),
  );
  if (reading === null) return null;
  return [...reading].flatMap(([name, values]) =>
    [...values].map(([session, value]) => ({ series: name, session, value })),
  );
}
