/** A JSON object's value of a name; undefined when `value` is no object or has none of its own. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** A JSON list; null when `value` is something else. */
export function listIn(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}
