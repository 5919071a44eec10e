import type { InputOrigin } from '#collector/origins.ts';
import type { ProviderCalls } from '#collector/providers/http-client.ts';
import { INPUT_WORDS, PROVIDER_WORDS } from '#views/input-words.ts';
import { writeCount } from './write-count.ts';

/** 'VIX', 'NYSE counts (advances, declines)' …: those of a group that has several in one. */
export function nameInputs(inputs: readonly string[]): string[] {
  const parts = new Map<string, string[]>();
  for (const input of inputs) {
    const { group, part } = INPUT_WORDS[input] ?? { group: input, part: null };
    parts.set(group, [...(parts.get(group) ?? []), ...(part === null ? [] : [part])]);
  }
  return [...parts].map(([group, named]) => (named.length === 0 ? group : `${group} (${named.join(', ')})`));
}

export const nameProvider = (provider: string): string => PROVIDER_WORDS[provider] ?? provider;

/** 'FRED: 4 of 5 requests failed (3 timeout, 1 server error)', a line for each provider that failed. */
export function nameFailures(calls: readonly ProviderCalls[]): string[] {
  return calls.flatMap(({ provider, requests, failures }) => {
    const kinds = Object.entries(failures);
    const failed = kinds.reduce((sum, [, count]) => sum + count, 0);
    if (failed === 0) return [];
    const why = kinds.map(([kind, count]) => `${count} ${kind}`).join(', ');
    return [`${nameProvider(provider)}: ${failed} of ${writeCount(requests, 'request')} failed (${why})`];
  });
}

/** 'Alpaca 28 times, FRED once'. */
export function nameCalls(calls: readonly ProviderCalls[]): string {
  return calls
    .map(({ provider, requests }) => {
      const times = requests === 1 ? 'once' : `${requests.toLocaleString('en-US')} times`;
      return `${nameProvider(provider)} ${times}`;
    })
    .join(', ');
}

/** 'Without VIX, TICK (…)': the inputs of which there is no value at all; nothing when all are there. */
export function nameMissing(origins: readonly InputOrigin[]): string[] {
  const missing = origins.flatMap(({ input, session }) => (session === null ? [input] : []));
  return missing.length === 0 ? [] : [`Without ${nameInputs(missing).join(', ')}`];
}
