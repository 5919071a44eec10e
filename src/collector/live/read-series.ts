import type { SeriesName } from '#domain/market-history.ts';
import type { Provider } from '../providers/provider.ts';
import { acceptSeries, type Span } from './accept.ts';
import type { LiveRun } from './run.ts';

/** A value of a series that was accepted. */
export interface AcceptedValue {
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
): Promise<AcceptedValue[] | null> {
  const topic = series.join(', ').replaceAll('_', ' ');
  const what = span.from === span.to ? `${topic} of ${span.to}` : topic;
  const reading = await ask(provider, { topic, what }, async () =>
    provider.readSeries === undefined
      ? new Map()
      : provider.readSeries({ ...span, series, now, http, problems }),
  );
  return reading === null ? null : acceptSeries(reading, { provider, series, span, problems });
}
