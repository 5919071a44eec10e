import { REST_LIMITS } from './dialect.ts';
import { Refusal } from './refusal.ts';

/** What a `Prefer` header asks for, as far as the gate knows it. */
export interface Preferences {
  readonly resolution: boolean;
  readonly missing: 'default' | 'null' | undefined;
  readonly returned: 'minimal' | 'headers-only' | 'representation' | undefined;
  readonly count: 'exact' | undefined;
  readonly handling: 'strict' | 'lenient' | undefined;
}

/** What PostgREST knows by name, and leaves aside where it means nothing. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['resolution=merge-duplicates', 'resolution=ignore-duplicates', 'params=single-object'],
  ...['return=representation', 'return=headers-only', 'return=minimal', 'tx=commit', 'tx=rollback'],
  ...['count=exact', 'missing=default', 'missing=null', 'handling=strict', 'handling=lenient'],
]);
/** What PostgREST heeds and the gate does not: another answer than the one asked for would be a wrong one. */
const NOT_OURS = /^(count=(planned|estimated)$|timezone=)/;

const invalid = (message: string, items: readonly string[]) =>
  new Refusal({
    status: 400,
    code: 'PGRST122',
    message,
    details: `Invalid preferences: ${items.join(', ')}`,
  });

/** The first of some words that is asked for. */
function firstOf<Word extends string>(name: string, words: readonly Word[], items: readonly string[]) {
  const asked = items.map((item) => words.find((word) => item === `${name}=${word}`));
  return asked.find((word) => word !== undefined);
}

/** Reads a `Prefer` header. What is not known is left aside, or refused under `handling=strict`. Throws `Refusal`. */
export function readPreferences(header: string | undefined): Preferences {
  const items = header?.split(',', REST_LIMITS.listItems).map((item) => item.trim()) ?? [];
  const notOurs = items.filter((item) => NOT_OURS.test(item));
  if (notOurs.length > 0) throw invalid('These preferences are not supported', notOurs);
  const handling = firstOf('handling', ['strict', 'lenient'], items);
  const unknown = items.filter((item) => !KNOWN.has(item));
  if (handling === 'strict' && unknown.length > 0) {
    throw invalid('Invalid preferences given with handling=strict', unknown);
  }
  return {
    resolution: firstOf('resolution', ['merge-duplicates', 'ignore-duplicates'], items) !== undefined,
    missing: firstOf('missing', ['default', 'null'], items),
    returned: firstOf('return', ['minimal', 'headers-only', 'representation'], items),
    count: firstOf('count', ['exact'], items),
    handling,
  };
}

/** The `Preference-Applied` header, or nothing when no preference was. */
export function preferenceApplied(parts: Partial<Preferences>): Record<string, string> {
  const applied = [
    parts.missing && `missing=${parts.missing}`,
    parts.returned && `return=${parts.returned}`,
    parts.count && `count=${parts.count}`,
    parts.handling && `handling=${parts.handling}`,
  ].filter((item) => item !== undefined);
  return applied.length > 0 ? { 'Preference-Applied': applied.join(', ') } : {};
}
