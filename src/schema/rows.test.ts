import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as market from './columns.ts';
import * as record from './record-rows.ts';

const created_at = '2026-11-13T21:00:00+00:00';
const BELL = '2026-11-13T21:00:00.000Z';

/** Valid values of the columns that a list marks with `!`. */
const VALID: Readonly<Record<string, unknown>> = {
  ...{ symbol: 'SPX', name: 'S&P 500', index_value: 62, session: '2026-11-13', sector: 'Energy' },
  ...{ timeframe: 'short', input: 'vix_close', price: 6734.11, week: '2026-11-09', id: 3, horizon_weeks: 4 },
  ...{ status: 'issued', formula_version: '2', from_verdict: 'BUY', to_verdict: 'SELL' },
  ...{ created_at: BELL, decided_at: BELL, graded_at: BELL, at: BELL },
};
const { parseRow, parseRows, ...MARKET_LISTS } = market;
const LISTS = Object.entries({ ...MARKET_LISTS, ...record });

const HOSTILE = [
  undefined,
  null,
  '',
  '   ',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  {},
  [],
  [5],
  '\u202e\u0000\ue000',
];

describe.each(LISTS)('a row of %s', (_, list) => {
  const names = list.replaceAll('!', '').split(',');
  const required = list.split(',').flatMap((item) => (item.endsWith('!') ? item.slice(0, -1) : []));
  const needed = Object.fromEntries(required.map((name) => [name, VALID[name]]));

  it('has each column of the list, null if it is missing or hostile', () => {
    const expected = Object.fromEntries(names.map((name) => [name, needed[name] ?? null]));
    expect(parseRow(list, needed)).toEqual(expected);
    for (const hostile of HOSTILE) {
      const fields = Object.fromEntries(names.map((name) => [name, hostile]));
      const row = parseRow(list, { ...fields, ...needed, more: 1 });
      // `reason` may be any text.
      expect({ ...row, ...('reason' in expected && { reason: null }) }, String(hostile)).toEqual(expected);
    }
  });

  it('is null without its required columns, or if it is not an object', () => {
    for (const name of required) {
      expect(parseRow(list, { ...needed, [name]: null })).toBeNull();
      expect(parseRow(list, { ...needed, [name]: undefined })).toBeNull();
    }
    for (const value of HOSTILE.filter((hostile) => typeof hostile !== 'object' || Array.isArray(hostile)))
      expect(parseRow(list, value)).toBeNull();
  });
});

it('rows are the valid rows of a list', () => {
  const [row] = parseRows(market.MARKET_METRICS, [{ created_at }, null, { created_at: 'yesterday' }, 5]);
  expect(row).toEqual({ market_exposure: null, overall_strength: null, source: null, created_at: BELL });
  expect(parseRows(market.MARKET_METRICS, { length: 1 })).toEqual([]);
});

const parsed = (name: string, value: unknown) =>
  (parseRow(name, { [name]: value }) as Record<string, unknown> | null)?.[name];

describe('fields', () => {
  it.each<[promise: string, column: string, cases: readonly (readonly [given: unknown, parsed: unknown])[]]>([
    [
      'reject text that is not a number',
      'change',
      ['NaN', 'Infinity', '1e999', '12abc', '0x10', '1,234', '1e9'].map((text) => [text, null]),
    ],
    [
      'accept a number as text, as backends with exact `numeric` send it [S3.1]',
      'price',
      [['6734.11', 6734.11]],
    ],
    [
      'accept a percentage from 0 to 100 only [S3.2]',
      'market_exposure',
      [
        ...[0, 100].map((value) => [value, value] as const),
        ...[-0.1, 100.1].map((value) => [value, null] as const),
      ],
    ],
    [
      'accept only whole numbers as counts',
      'advancing_stocks',
      [
        [12, 12],
        ['12', 12],
        [1.5, null],
        [-1, null],
      ],
    ],
    [
      'reject numbers that no table can hold',
      'vix',
      [
        [999_999_999, 999_999_999],
        [1e9, null],
        [1e308, null],
        [-1, null],
        [true, null],
      ],
    ],
    [
      'reject a price that is not above zero',
      'price',
      [
        [0.01, 0.01],
        [0, null],
        [-5, null],
      ],
    ],
    [
      'remove invisible and bidirectional characters from a text',
      'sector',
      [
        ['\u202eEnergy\u202c', 'Energy'],
        ['\u2066En\u200b\u061cer\u0000gy\u2069\ufeff', 'Energy'],
        ['Consumer\n\t \u2028Staples', 'Consumer Staples'],
        ['Energy\ud800', 'Energy'],
        [`E${'\u0301'.repeat(500)}nergy`, `E${'\u0301'.repeat(4)}nergy`],
        ['\u202e\u200b', null],
        ['טכנולוגיה', 'טכנולוגיה'],
        ['<b>Energy</b>', '<b>Energy</b>'],
      ],
    ],
    [
      'mark a text that was cut',
      'sector',
      [
        ['x'.repeat(60), 'x'.repeat(60)],
        ['x'.repeat(10_000), `${'x'.repeat(59)}…`],
        [`${'x'.repeat(58)}😀😀`, `${'x'.repeat(58)}…`],
        [`E${'\u0301'.repeat(10_000)}nergy`, `E${'\u0301'.repeat(4)}…`],
      ],
    ],
    [
      'cut a long text after 200 characters',
      'description',
      [['word '.repeat(2000), `${'word '.repeat(39)}word…`]],
    ],
    [
      'accept existing days only',
      'session',
      [
        ['2026-11-13', '2026-11-13'],
        ...['2026-02-30', '2026-11-13T21:00:00Z', '20261113', '', '2026-11', 20261113].map(
          (day) => [day, null] as const,
        ),
      ],
    ],
    [
      'accept known words and numbers only',
      'source',
      [
        ['simulated', 'simulated'],
        ['live', 'live'],
        ['invented', null],
      ],
    ],
    [
      'accept known words and numbers only',
      'horizon_weeks',
      [
        [13, 13],
        [2, null],
        ['4', null],
      ],
    ],
  ])('%s: %s', (_, column, cases) => {
    expect(cases.map(([given]) => parsed(column, given))).toEqual(cases.map(([, value]) => value));
  });

  it('accept each backend’s format of a time, in UTC by default [R1]', () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(Date.parse('2026-11-13T21:00:00')).toBe(Date.parse('2026-11-13T12:00:00Z'));
    for (const form of [
      '2026-11-13T21:00:00+00:00',
      '2026-11-13 21:00:00+00',
      '2026-11-13T16:00:00.000000-0500',
      '2026-11-13T21:00:00',
      '2026-11-13T21:00Z',
    ]) {
      expect(parsed('created_at', form), form).toBe(BELL);
    }
    for (const none of ['2026-11-13', '13.11.2026 21:00', '2026-13-01T00:00:00Z', '1969-12-31T23:59:59Z', 0])
      expect(parsed('created_at', none), String(none)).toBeNull();
  });
});
