import { Refusal } from './refusal.ts';

/** What a `Prefer` header asks for, as far as the gate knows it. */
export interface Preferences {
  readonly resolution: boolean;
  readonly missing: 'default' | 'null' | undefined;
  readonly returned: 'minimal' | 'headers-only' | 'representation' | undefined;
  readonly count: 'exact' | undefined;
  readonly handling: 'strict' | 'lenient' | undefined;
}

function oneOf<Word extends string>(name: string, words: readonly Word[], asked: ReadonlySet<string>) {
  return words.find((word) => asked.has(`${name}=${word}`));
}

/** Reads a `Prefer` header. What is not known is left aside, or refused under `handling=strict`. */
export function readPreferences(header: string | undefined): Preferences {
  const items = (header ?? '').split(',').map((item) => item.trim());
  const asked = new Set(items.filter((item) => item !== ''));
  const preferences = {
    resolution: oneOf('resolution', ['merge-duplicates', 'ignore-duplicates'], asked) !== undefined,
    missing: oneOf('missing', ['default', 'null'], asked),
    returned: oneOf('return', ['minimal', 'headers-only', 'representation'], asked),
    count: oneOf('count', ['exact'], asked),
    handling: oneOf('handling', ['strict', 'lenient'], asked),
  };
  if (preferences.handling === 'strict') {
    const known = /^(resolution=|missing=(default|null)$|return=|count=exact$|handling=)/;
    const invalid = [...asked].filter((item) => !known.test(item));
    if (invalid.length > 0) {
      throw new Refusal({
        status: 400,
        code: 'PGRST122',
        message: 'Invalid preferences given with handling=strict',
        details: `Invalid preferences: ${invalid.join(', ')}`,
      });
    }
  }
  return preferences;
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
