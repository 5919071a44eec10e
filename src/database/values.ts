/** Converts Postgres' text in UTC to ISO text with milliseconds. Returns values without an ISO form (infinity, BC) unchanged. */
export function isoInstant(text: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d) ([\d:.]+)\+00$/.exec(text) ?? [];
  const instant = new Date(`${day}T${time}Z`);
  return Number.isNaN(instant.getTime()) ? text : instant.toISOString();
}

type Parse = (text: string) => unknown;

const asText: Parse = (text) => text;

/** Functions that convert Postgres' text to a value of a `Row`, by the oid of the type. */
const PARSERS = new Map<number, Parse>([
  [16, (text) => text === 't'], // bool
  ...[20, 21, 23, 26, 700, 701, 1700].map((oid): [number, Parse] => [oid, Number]), // int8, …, float4, float8, numeric
  [114, (text) => JSON.parse(text)], // json
  [3802, (text) => JSON.parse(text)], // jsonb
  [1184, isoInstant], // timestamptz
]);

/** The types of the driver. */
export const VALUE_TYPES = { getTypeParser: (oid: number): Parse => PARSERS.get(oid) ?? asText };
