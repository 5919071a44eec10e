import type { ProviderCalls } from '#collector/providers/http-client.ts';
import type { InputOrigin } from '#collector/sources/source.ts';
import { INPUT_WORDS, PROVIDER_WORDS } from '#views/input-words.ts';

/** '1,200 mails', '1 mail'. */
export const writeCount = (number: number, thing: string): string =>
  `${number.toLocaleString('en-US')} ${thing}${number === 1 ? '' : 's'}`;

/** ['VIX', 'NYSE counts (advances, declines)']: joins the inputs of a group. */
export function nameInputs(inputs: readonly string[]): string[] {
  const parts = new Map<string, string[]>();
  for (const input of inputs) {
    const { group, part } = INPUT_WORDS[input] ?? { group: input, part: null };
    parts.set(group, [...(parts.get(group) ?? []), ...(part === null ? [] : [part])]);
  }
  return [...parts].map(([group, named]) => (named.length === 0 ? group : `${group} (${named.join(', ')})`));
}

export const nameProvider = (provider: string): string => PROVIDER_WORDS[provider] ?? provider;

/** ['FRED: 4 of 5 requests failed (3 timeout, 1 server error)'], a line for each provider with failures. */
export function nameFailures(calls: readonly ProviderCalls[]): string[] {
  return calls.flatMap(({ provider, requests, failures }) => {
    const kinds = Object.entries(failures);
    const failed = kinds.reduce((sum, [, count]) => sum + count, 0);
    if (failed === 0) return [];
    const reasons = kinds.map(([kind, count]) => `${count} ${kind}`).join(', ');
    return [`${nameProvider(provider)}: ${failed} of ${writeCount(requests, 'request')} failed (${reasons})`];
  });
}

/** For example 'Alpaca 28 times, FRED once'. */
export function nameCalls(calls: readonly ProviderCalls[]): string {
  return calls
    .map(({ provider, requests }) => {
      const times = requests === 1 ? 'once' : `${requests.toLocaleString('en-US')} times`;
      return `${nameProvider(provider)} ${times}`;
    })
    .join(', ');
}

/** ['Without VIX, TICK']: the inputs without any value; empty if all have one. */
export function nameMissing(origins: readonly InputOrigin[]): string[] {
  const missing = origins.flatMap(({ input, session }) => (session === null ? [input] : []));
  return missing.length === 0 ? [] : [`Without ${nameInputs(missing).join(', ')}`];
}
