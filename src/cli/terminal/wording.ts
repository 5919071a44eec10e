import type { InputOrigin } from '#collector/history/source.ts';
import type { ProviderCalls } from '#collector/providers/provider.ts';
import { nameInputs, PROVIDER_WORDS } from '#views/origins-view.ts';

/** Returns for example '1,200'. */
export const writeNumber = (number: number): string => number.toLocaleString('en-US');

/** Returns for example '1,200 mails' or '1 mail'. */
export const writeCount = (number: number, thing: string, things = `${thing}s`): string =>
  `${writeNumber(number)} ${number === 1 ? thing : things}`;

/** Returns for example '3 sent, 1 expired'. Leaves out counts of zero. */
export const writeCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${writeNumber(count)} ${word}`)
    .join(', ');

const MOST_NAMED = 5;

/** Returns the first names and the number of the others, such as 'a, b, c, d, e and 2 more'. */
export function nameSome(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}

export const nameProvider = (provider: string): string => PROVIDER_WORDS[provider] ?? provider;

/** Returns lines such as 'FRED: 4 of 5 requests failed (3 timeout, 1 server error)'. */
export function nameFailures(calls: readonly ProviderCalls[]): string[] {
  return calls.flatMap(({ provider, requests, failures }) => {
    const kinds = Object.entries(failures);
    const failed = kinds.reduce((sum, [, count]) => sum + count, 0);
    if (failed === 0) return [];
    const reasons = kinds.map(([kind, count]) => `${count} ${kind}`).join(', ');
    return [`${nameProvider(provider)}: ${failed} of ${writeCount(requests, 'request')} failed (${reasons})`];
  });
}

/** Returns for example 'Alpaca 28 times, FRED once'. */
export function nameCalls(calls: readonly ProviderCalls[]): string {
  return calls
    .map(({ provider, requests }) => {
      const times = requests === 1 ? 'once' : `${writeNumber(requests)} times`;
      return `${nameProvider(provider)} ${times}`;
    })
    .join(', ');
}

/** Returns a line about the inputs without any value, such as ['Without VIX, TICK']. */
export function nameMissing(origins: readonly InputOrigin[]): string[] {
  const missing = origins.flatMap(({ input, session }) => (session === null ? [input] : []));
  return missing.length === 0 ? [] : [`Without ${nameInputs(missing).join(', ')}`];
}
