/** The own property `name` of a JSON object; undefined if `value` is not an object or has no such property. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** A JSON array; null if `value` is not an array. */
export function listIn(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}
