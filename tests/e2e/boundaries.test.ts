import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { BELL, changed, fearGreedRow, MIDDLING, sentimentRow } from '../support/market-tables.ts';
import { type MarketTables, pageOverRows } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';
import { type Hue, readingsIn, type Shown, section, shownIn, texts, wordsOf } from '../support/shown.ts';

/* The browser shows the number, the word and the colour of each band, from a value that rounds into the band if possible
   (reading 7 of docs/maintainers/spec-coverage.md). `src/domain/bands/bands.test.ts` proves every edge. One set of rows
   carries a case of every table below, because reading the page is slow. */

type Case = readonly [value: number | null, text: string, word: string, hue?: Hue];

const GAUGE: readonly (readonly [...Required<Case>, degrees: number, dot: string])[] = [
  [24.9, '24.9', 'Extreme Fear', 'red', 44.82, 'Bearish'],
  [24.95, '25.0', 'Fear', 'orange', 45, 'Bearish'],
  [44.95, '45.0', 'Neutral', 'yellow', 81, 'Neutral'],
  [54.95, '55.0', 'Greed', 'lime', 99, 'Bullish'],
  [100, '100.0', 'Extreme Greed', 'green', 180, 'Bullish'],
];

const FEAR_GREED_WORDS = ['Extreme Fear', 'Fear', 'Neutral', 'Greed', 'Extreme Greed', 'Not measured'];
const COMPONENTS: readonly (readonly [column: string, name: string, expected: Case])[] = [
  ['market_momentum', 'Market momentum', [0, '0.0', 'Extreme Fear', 'red']],
  ['stock_price_strength', 'Price strength', [24.95, '25.0', 'Fear', 'orange']],
  ['stock_price_breadth', 'Price breadth', [45, '45.0', 'Neutral', 'yellow']],
  ['put_call_options', 'Put and call options', [54.9, '54.9', 'Neutral', 'yellow']],
  ['junk_bond_demand', 'Junk bond demand', [74.94, '74.9', 'Greed', 'lime']],
  ['market_volatility', 'Volatility', [74.95, '75.0', 'Extreme Greed', 'green']],
  ['safe_haven_demand', 'Safe haven demand', [null, '—', 'Not measured']],
];

const METRIC_WORDS = ['Low', 'Moderate', 'High'];
const METRICS: readonly Case[] = [
  [34.94, '34.9', 'Low', 'red'],
  [34.95, '35.0', 'Moderate', 'yellow'],
  [54.95, '55.0', 'High', 'green'],
];

const LEVELS = ['Very Bullish', 'Bullish', 'Neutral', 'Bearish', 'Very Bearish'];
const SENTIMENTS: readonly Case[] = [
  [29.94, '29.9', 'Very Bearish', 'red'],
  [29.95, '30.0', 'Bearish', 'orange'],
  [44.95, '45.0', 'Neutral', 'yellow'],
  [54.95, '55.0', 'Bullish', 'lime'],
  [69.95, '70.0', 'Very Bullish', 'green'],
];

const SETS = GAUGE.length;
const caseOf = <T>(cases: readonly T[], set: number): T => cases[set % cases.length] as T;
const valuesOf = (cases: readonly (readonly [column: string, name: string, expected: Case])[]) =>
  Object.fromEntries(cases.map(([column, , [value]]) => [column, value]));

/** A set of rows with one case of every table above. */
function rowsOf(set: number): MarketTables {
  return {
    ...MIDDLING,
    fear_greed_index: [fearGreedRow(caseOf(GAUGE, set)[0], BELL, valuesOf(COMPONENTS))],
    ...changed('market_metrics', {
      market_exposure: caseOf(METRICS, set)[0],
      overall_strength: caseOf(METRICS, set + 1)[0],
    }),
    market_sentiment: [sentimentRow('short', { score: caseOf(SENTIMENTS, set)[0] })],
  };
}

/** Angle of the NOW needle, in degrees from the left end of the gauge: once from the needle and once from its mark. */
async function needleDegrees(page: Page): Promise<number[]> {
  return page.locator('.gauge-now').evaluate((needle) => {
    const degrees = (x: number, y: number) => (Math.atan2(-y, -x) * 180) / Math.PI;
    const [tipX = 0, tipY = 0, aX = 0, aY = 0, bX = 0, bY = 0] = (
      needle
        .querySelector('path')
        ?.getAttribute('d')
        ?.match(/-?[\d.]+/g) ?? []
    ).map(Number);
    const mark = needle.querySelector('line');
    const of = (name: string) => Number(mark?.getAttribute(name));
    return [
      degrees(tipX - (aX + bX) / 2, tipY - (aY + bY) / 2),
      degrees(of('x2') - of('x1'), of('y2') - of('y1')),
    ];
  });
}

async function readPage(page: Page) {
  const fearGreed = section(page, 'Fear & Greed Index');
  const short = section(page, 'Market Sentiment Analysis')
    .getByRole('article')
    .filter({ hasText: 'Short Term' });
  const namesOf = (cases: typeof COMPONENTS) => cases.map(([, name]) => name);
  return {
    gauge: await shownIn(fearGreed.getByRole('img', { name: /^Fear & Greed stands/ })),
    degrees: await needleDegrees(page),
    components: await readingsIn(fearGreed, namesOf(COMPONENTS)),
    exposure: await shownIn(section(page, 'Market Exposure')),
    strength: await shownIn(section(page, 'Overall Strength')),
    sentiment: await shownIn(short),
    insights: await section(page, 'Market Insights').getByRole('listitem').allInnerTexts(),
  };
}

const host = shared(pageOverRows);
const pages: Awaited<ReturnType<typeof readPage>>[] = [];

beforeAll(async () => {
  for (let set = 0; set < SETS; set += 1) pages.push(await readPage(await host.show(rowsOf(set))));
});

/** The page over the set of rows with case `at` of a table. */
const pageOf = (at: number) => caseOf(pages, at);

function expectReading(shown: readonly Shown[] | undefined, expected: Case, words: readonly string[]): void {
  const [value, text, word, hue] = expected;
  expect(texts(shown ?? []), String(value)).toContain(text);
  expect(wordsOf(shown ?? [], words), String(value)).toEqual([word]);
  if (hue !== undefined) expect(shown?.find((piece) => piece.text === word)?.hue, String(value)).toBe(hue);
}

describe('Fear & Greed at its boundaries', () => {
  it('the number, its word and its colour change at 25, 45, 55 and 75 [S2.19] [S9.5] [R7]', () => {
    GAUGE.forEach(([value, text, word, hue], set) => {
      const shown = pageOf(set).gauge;
      expect(texts(shown).slice(-2), String(value)).toEqual([text, word]);
      expect(shown.at(-1)?.hue, String(value)).toBe(hue);
    });
  });

  it('the NOW needle points to the shown value on a half circle of 180 degrees [S2.19]', () => {
    GAUGE.forEach(([value, , , , degrees], set) => {
      // A tenth of a point is 0.18 degrees. The mark is drawn to hundredths of a pixel.
      for (const measured of pageOf(set).degrees)
        expect(Math.abs(Math.abs(measured) - degrees), String(value)).toBeLessThan(0.09);
    });
  });

  it('the zones of the gauge meet exactly at 25, 45, 55 and 75 [S2.18]', async () => {
    const page = await host.show(MIDDLING);
    const edges = await page.locator('.gauge-zone > path:first-child').evaluateAll((bands) =>
      bands.map((band) => {
        const numbers = (band.getAttribute('d')?.match(/-?[\d.]+/g) ?? []).map(Number);
        const [outerX = 0, outerY = 0] = numbers;
        const [innerX = 0, innerY = 0] = numbers.slice(-2);
        return (Math.atan2(innerY - outerY, innerX - outerX) * 180) / Math.PI;
      }),
    );
    expect(edges.map((degrees) => Math.round(degrees * 10) / 10)).toEqual([0, 45, 81, 99, 135]);
  });

  it.each(COMPONENTS)('%s has the word and colour of its own score [S3.3] [S9.5]', (_, name, expected) => {
    expectReading(pageOf(0).components[name], expected, FEAR_GREED_WORDS);
  });

  it('the dot of its insight is bullish from 55, neutral from 45 and bearish below [S4.12]', () => {
    GAUGE.forEach(([value, text, word, , , dot], set) => {
      const insight = pageOf(set).insights[0] ?? '';
      expect(insight, String(value)).toMatch(new RegExp(`^${dot}`));
      expect(insight, String(value)).toContain(`Fear & Greed stands at ${text} (${word})`);
    });
  });
});

describe('the panels at their boundaries', () => {
  it.each([
    ['Market Exposure', 'exposure', 0],
    ['Overall Strength', 'strength', 1],
  ] as const)('%s is red below 35, yellow below 55 and green from there [S9.6]', (_, card, first) => {
    METRICS.forEach((each, set) => {
      const expected = caseOf(METRICS, set + first);
      const shown = pageOf(set)[card];
      expectReading(shown, expected, METRIC_WORDS);
      expect(shown.find(({ text }) => text === expected[1])?.hue, String(each[0])).toBe(expected[3]);
    });
  });

  it('the level and the colour of a sentiment score change at 30, 45, 55 and 70 [S4.6] [S9.17]', () => {
    SENTIMENTS.forEach(([value, text, word, hue], set) => {
      const shown = pageOf(set).sentiment.filter((piece) => !piece.text.startsWith('A score'));
      expect(texts(shown), String(value)).toContain(text);
      const level = shown.find((piece) => LEVELS.includes(piece.text));
      expect([level?.text, level?.hue], String(value)).toEqual([word, hue]);
    });
  });
});
