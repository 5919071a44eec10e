const OID = {
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  oid: 26,
  json: 114,
  float4: 700,
  float8: 701,
  timestamptz: 1184,
  numeric: 1700,
  jsonb: 3802,
} as const;

type Parse = (text: string) => unknown;

const toNumber: Parse = (text) => Number(text);

/** Converts to ISO text in UTC with milliseconds. Returns values without an ISO form (infinity, BC) unchanged. */
export function isoInstant(text: string): string {
  const parts = /^(\d{4,6}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(?::?(\d\d))?$/.exec(text);
  if (!parts) return text;
  const [, day, time, hours, minutes = '00'] = parts;
  const instant = new Date(`${day}T${time}${hours}:${minutes}`);
  return Number.isNaN(instant.getTime()) ? text : instant.toISOString();
}

const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [OID.bool, (text) => text === 't'],
  ...[OID.int8, OID.int2, OID.int4, OID.oid, OID.float4, OID.float8, OID.numeric].map(
    (oid): [number, Parse] => [oid, toNumber],
  ),
  [OID.json, (text) => JSON.parse(text)],
  [OID.jsonb, (text) => JSON.parse(text)],
  [OID.timestamptz, isoInstant],
]);

const asText: Parse = (text) => text;

/** Returns the function that converts Postgres' text for a value of this type to a value of a `Row`. */
export function parserFor(oid: number): Parse {
  return PARSERS.get(oid) ?? asText;
}
