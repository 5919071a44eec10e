import type { DashboardView } from '#views/model.ts';
import type { Loaded } from './dependencies.ts';

type Fields = Record<string, unknown>;
type Kind = 'object' | 'object or null';

/**
 * Fields that the page needs to render a view. Their contents are not checked: they come from the same server as the
 * markup.
 */
const FIELDS: Readonly<Record<keyof DashboardView, Kind>> = {
  age: 'object or null',
  hours: 'object',
  demo: 'object or null',
  sources: 'object or null',
  indices: 'object or null',
  signal: 'object',
  sentiment: 'object or null',
  fearGreed: 'object or null',
  metrics: 'object or null',
  advanced: 'object or null',
  insights: 'object or null',
};

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

function isView(value: unknown): value is DashboardView {
  return (
    isObject(value) &&
    Object.entries(FIELDS).every(
      ([name, kind]) => isObject(value[name]) || (kind === 'object or null' && value[name] === null),
    )
  );
}

/**
 * Parses the data in the page, from the text of its element. Null if there is no element or the data cannot be read;
 * the page then loads them.
 */
export function readPageData(json: string | null): Loaded | null {
  if (json === null) return null;
  try {
    const data: unknown = JSON.parse(json);
    if (!isObject(data) || !isView(data.view)) return null;
    const { view, at, record, isStale } = data;
    if (typeof at !== 'number' || at <= 0) return null;
    return { view, at, ...(typeof record === 'string' && { record }), ...(isStale === true && { isStale }) };
  } catch {
    return null;
  }
}
