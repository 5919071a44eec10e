import type { SeriesName } from '#domain/market-history.ts';
import { readPutCall } from './cboe-put-call.ts';
import { readVixHistory } from './cboe-vix.ts';
import { fetchParts } from './fetch-parts.ts';
import { PROVIDER_LABELS } from './names.ts';
import type { Provider } from './provider.ts';

const PUT_CALL = ['put_call_total', 'put_call_equity'] as const;

/** Cboe's files of closed sessions: one file with the VIX since 1990, and one file per day with put/call ratios. */
export function createCboe({ baseUrl }: { baseUrl: string }): Provider {
  const base = baseUrl.replace(/\/$/, '');
  return {
    name: 'cboe',
    label: PROVIDER_LABELS.cboe,
    gives: ['vix_close', ...PUT_CALL],
    givesOpenSession: [],
    async readSeries(request) {
      const reading = new Map<SeriesName, ReadonlyMap<string, number>>();
      const putCall = PUT_CALL.filter((name) => request.series.includes(name));
      const files = [
        ...(request.series.includes('vix_close') ? ['VIX'] : []),
        ...(putCall.length > 0 ? ['put/call'] : []),
      ];
      await fetchParts(files, request.problems, async (file) => {
        if (file === 'VIX') reading.set('vix_close', await readVixHistory(base, request));
        else
          for (const [name, values] of await readPutCall(base, putCall, request)) reading.set(name, values);
      });
      return reading;
    },
  };
}
