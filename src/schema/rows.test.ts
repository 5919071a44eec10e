import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseAdvancedIndicators } from './advanced-indicators.ts';
import { parseFearGreed } from './fear-greed-index.ts';
import { parseInputOrigin } from './input-origins.ts';
import { parseMarketBreadth } from './market-breadth.ts';
import { parseMarketIndex } from './market-indices.ts';
import { parseMarketMetrics } from './market-metrics.ts';
import { parseMarketSentiment } from './market-sentiment.ts';
import { parseSectorStrength } from './sector-strength.ts';

const created_at = '2026-11-13T21:00:00+00:00';

/** The required columns of each table's row. The tests below apply to all of them. */
const TABLES = [
  { name: 'market_indices', parse: parseMarketIndex, needed: { symbol: 'SPX', name: 'S&P 500' } },
  { name: 'market_metrics', parse: parseMarketMetrics, needed: {} },
  { name: 'fear_greed_index', parse: parseFearGreed, needed: { index_value: 62 } },
  { name: 'sector_strength', parse: parseSectorStrength, needed: { sector: 'Energy' } },
  { name: 'advanced_indicators', parse: parseAdvancedIndicators, needed: {} },
  { name: 'market_sentiment', parse: parseMarketSentiment, needed: { timeframe: 'short' } },
  { name: 'market_breadth', parse: parseMarketBreadth, needed: {} },
  { name: 'input_origins', parse: parseInputOrigin, needed: { input: 'vix_close' } },
] as const;

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

describe.each(TABLES)('a row of $name', ({ parse, needed }) => {
  it('has its time as ISO text in UTC [R1]', () => {
    expect(parse({ ...needed, created_at })?.created_at).toBe('2026-11-13T21:00:00.000Z');
  });

  it('has null for a missing column', () => {
    const { created_at: instant, ...fields } = parse({ ...needed, created_at }) ?? {};
    expect(instant).toBeDefined();
    expect(fields).toMatchObject(needed);
    for (const [name, value] of Object.entries(fields)) {
      if (!(name in needed)) expect(value, name).toBeNull();
    }
  });

  it('is null without its required columns', () => {
    expect(parse({ ...needed, created_at: 'yesterday' })).toBeNull();
    expect(parse(needed)).toBeNull();
    for (const field of Object.keys(needed))
      expect(parse({ ...needed, created_at, [field]: null })).toBeNull();
  });

  it('is null if it is not an object', () => {
    for (const value of HOSTILE.filter((hostile) => typeof hostile !== 'object' || Array.isArray(hostile))) {
      expect(parse(value)).toBeNull();
    }
  });

  it('accepts no hostile value as a number or a word', () => {
    const sample = parse({ ...needed, created_at }) ?? {};
    for (const hostile of HOSTILE) {
      const fields = Object.fromEntries(Object.keys(sample).map((name) => [name, hostile]));
      const row = parse({ ...fields, ...needed, created_at });
      for (const [name, value] of Object.entries(row ?? {})) {
        if (!(name in needed) && name !== 'created_at') expect(value, `${name} from ${hostile}`).toBeNull();
      }
    }
  });
});

describe('fields', () => {
  it('reject text that is not a number', () => {
    const price = (text: string) =>
      parseMarketIndex({ symbol: 'SPX', name: 'S&P 500', price: text, created_at })?.price;
    expect(['NaN', 'Infinity', '1e999', '12abc', '0x10', '1,234', '1e9'].map(price)).toEqual(
      Array(7).fill(null),
    );
  });

  it('accept a number as text, as backends with exact `numeric` send it [S3.1]', () => {
    expect(parseMarketIndex({ symbol: 'SPX', name: 'S&P 500', price: '6734.11', created_at })?.price).toBe(
      6734.11,
    );
  });

  it('accept a percentage from 0 to 100 only [S3.2]', () => {
    const exposure = (market_exposure: unknown) =>
      parseMarketMetrics({ market_exposure, created_at })?.market_exposure;
    expect([exposure(0), exposure(100), exposure(-0.1), exposure(100.1)]).toEqual([0, 100, null, null]);
  });

  it('accept only whole numbers as counts', () => {
    const advancing = (advancing_stocks: unknown) =>
      parseMarketBreadth({ advancing_stocks, created_at })?.advancing_stocks;
    expect([advancing(12), advancing('12'), advancing(1.5), advancing(-1)]).toEqual([12, 12, null, null]);
  });

  it('reject numbers that no table can hold', () => {
    const vix = (value: unknown) => parseAdvancedIndicators({ vix: value, created_at })?.vix;
    expect([vix(999_999_999), vix(1e9), vix(1e308), vix(-1)]).toEqual([999_999_999, null, null, null]);
    const price = (value: unknown) =>
      parseMarketIndex({ symbol: 'SPX', name: 'S&P 500', price: value, created_at })?.price;
    expect([price(0.01), price(0), price(-5)]).toEqual([0.01, null, null]);
  });

  it('remove invisible and bidirectional characters from a text', () => {
    const name = (sector: unknown) => parseSectorStrength({ sector, created_at })?.sector ?? null;
    expect(name('\u202eEnergy\u202c')).toBe('Energy');
    expect(name('\u2066En\u200b\u061cer\u0000gy\u2069\ufeff')).toBe('Energy');
    expect(name('Consumer\n\t \u2028Staples')).toBe('Consumer Staples');
    expect(name('Energy\ud800')).toBe('Energy');
    expect(name(`E${'\u0301'.repeat(500)}nergy`)).toBe(`E${'\u0301'.repeat(4)}nergy`);
    expect(name('\u202e\u200b')).toBeNull();
    expect(name('טכנולוגיה')).toBe('טכנולוגיה');
  });

  it('mark a text that was cut', () => {
    const name = (sector: string) => parseSectorStrength({ sector, created_at })?.sector;
    expect(name('x'.repeat(60))).toBe('x'.repeat(60));
    expect(name('x'.repeat(10_000))).toBe(`${'x'.repeat(59)}…`);
    expect(name(`${'x'.repeat(58)}😀😀`)).toBe(`${'x'.repeat(58)}…`);
    expect(name(`E${'\u0301'.repeat(10_000)}nergy`)).toBe(`E${'\u0301'.repeat(4)}…`);
    const description = parseMarketSentiment({
      timeframe: 'short',
      description: 'word '.repeat(2000),
      created_at,
    })?.description;
    expect(description).toMatch(/^(word )+wor…$|^(word )*word…$/);
    expect(description?.length).toBeLessThanOrEqual(200);
  });

  it('accept each backend’s format of a time, in UTC by default', () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(Date.parse('2026-11-13T21:00:00')).toBe(Date.parse('2026-11-13T12:00:00Z'));
    const instant = (value: unknown) => parseMarketMetrics({ created_at: value })?.created_at ?? null;
    const close = '2026-11-13T21:00:00.000Z';
    for (const form of [
      '2026-11-13T21:00:00+00:00',
      '2026-11-13 21:00:00+00',
      '2026-11-13T16:00:00.000000-0500',
      '2026-11-13T21:00:00',
      '2026-11-13T21:00Z',
    ]) {
      expect(instant(form), form).toBe(close);
    }
    for (const none of [
      '2026-11-13',
      '13.11.2026 21:00',
      '2026-13-01T00:00:00Z',
      '1969-12-31T23:59:59Z',
      0,
    ]) {
      expect(instant(none), String(none)).toBeNull();
    }
  });

  it('accept only true and false as booleans', () => {
    const mixed = (mixed_sessions: unknown) =>
      parseFearGreed({ index_value: 62, mixed_sessions, created_at })?.mixed_sessions;
    expect([mixed(true), mixed(false), mixed(null), mixed('true'), mixed(1)]).toEqual([
      true,
      false,
      null,
      null,
      null,
    ]);
    const vix = (value: unknown) => parseAdvancedIndicators({ vix: value, created_at })?.vix;
    expect(vix(true)).toBeNull();
  });

  it('accept existing days only', () => {
    const session = (day: unknown) =>
      parseInputOrigin({ input: 'bars', session: day, created_at })?.session ?? null;
    expect(session('2026-11-13')).toBe('2026-11-13');
    for (const none of ['2026-02-30', '2026-11-13T21:00:00Z', '20261113', '', '2026-11', 20261113]) {
      expect(session(none), String(none)).toBeNull();
    }
  });

  it('keep markup as plain text, which the page escapes', () => {
    expect(parseSectorStrength({ sector: '<b>Energy</b>', created_at })?.sector).toBe('<b>Energy</b>');
  });

  it('accept known sources only', () => {
    const source = (word: unknown) => parseMarketMetrics({ source: word, created_at })?.source;
    expect([source('simulated'), source('live'), source('invented')]).toEqual(['simulated', 'live', null]);
  });
});
