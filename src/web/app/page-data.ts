import type { DashboardView, TrailView } from '#views/model.ts';
import type { Loaded } from './dependencies.ts';

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Checks only the parts that every view has: the view comes from the same server as the markup. */
const isView = (value: unknown): value is DashboardView =>
  isObject(value) && isObject(value.signal) && isObject(value.hours);

/**
 * Parses the data in the page, from the text of its element. Null if there is no element or the data cannot be read;
 * the page then loads them.
 */
export function readPageData(json: string | null): Loaded | null {
  if (json === null) return null;
  try {
    const data: unknown = JSON.parse(json);
    if (!isObject(data) || !isView(data.view)) return null;
    const { view, at, record, risk, trail, isStale } = data;
    if (typeof at !== 'number' || at <= 0) return null;
    return {
      ...{ view, at },
      ...(typeof record === 'string' && { record }),
      ...(typeof risk === 'string' && { risk }),
      ...(isObject(trail) && { trail: trail as unknown as TrailView }),
      ...(isStale === true && { isStale }),
    };
  } catch {
    return null;
  }
}
