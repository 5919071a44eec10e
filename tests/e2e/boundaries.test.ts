import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
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

const INDICATORS: readonly (readonly [column: string, name: string, expected: Case])[] = [
  ['vix', 'VIX', [24.995, '25.00', 'High Volatility']],
  ['vix_change', 'VIX Change', [-0.01, '−0.01', 'Falling']],
  ['put_call_ratio', 'Put/Call Ratio', [0.995, '1.00', 'Bearish']],
  ['trin', 'TRIN', [0.795, '0.80', 'Neutral']],
  ['mcclellan_oscillator', 'McClellan Oscillator', [50.05, '+50.1', 'Overbought']],
  ['high_low_index', 'High/Low Index', [40.04, '40.0%', 'Weak']],
  ['tick_index', 'TICK Index', [-1601, '−1,601', 'Extreme']],
];

const SECTORS: readonly Case[] = [
  [49.94, '49.9%', 'Weak'],
  [49.95, '50.0%', 'Neutral'],
  [69.95, '70.0%', 'Strong'],
  [70, '70.0%', 'Strong'],
  [null, '—', 'Not measured'],
];

const STATUSES = ['(positive)', '(neutral)', '(negative)'];
const BREADTHS: readonly {
  counts: readonly [advancing: number, unchanged: number | null, declining: number];
  ratio: readonly [text: string, word: string, status: string | null];
  shares: readonly [string, string, string];
}[] = [
  {
    counts: [1005, 0, 1000],
    ratio: ['1.01', 'More advancing', '(positive)'],
    shares: ['50.1%', '0.0%', '49.9%'],
  },
  { counts: [0, 0, 5], ratio: ['0.00', 'More declining', '(negative)'], shares: ['0.0%', '0.0%', '100.0%'] },
  { counts: [1, 1, 1], ratio: ['1.00', 'Even', '(neutral)'], shares: ['33.3%', '33.3%', '33.3%'] },
  { counts: [0, 0, 0], ratio: ['—', 'No stocks counted', null], shares: ['0.0%', '0.0%', '0.0%'] },
  { counts: [3, null, 2], ratio: ['1.50', 'More advancing', '(positive)'], shares: ['—', '—', '—'] },
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
  const [advancing_stocks, unchanged_stocks, declining_stocks] = caseOf(BREADTHS, set).counts;
  return {
    ...MIDDLING,
    fear_greed_index: [fearGreedRow(caseOf(GAUGE, set)[0], BELL, valuesOf(COMPONENTS))],
    ...changed('market_metrics', {
      market_exposure: caseOf(METRICS, set)[0],
      overall_strength: caseOf(METRICS, set + 1)[0],
    }),
    ...changed('advanced_indicators', valuesOf(INDICATORS)),
    ...changed('market_breadth', { advancing_stocks, unchanged_stocks, declining_stocks }),
    market_sentiment: [sentimentRow('short', { score: caseOf(SENTIMENTS, set)[0] })],
    sector_strength: SECTORS.map(([strength], at) => ({
      ...MIDDLING.sector_strength[at],
      sector: GICS_SECTORS[at],
      strength,
    })),
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

/** Opens the advanced section, which stays open during a refresh. */
async function openAdvanced(page: Page): Promise<void> {
  const header = page.getByRole('button', { name: 'Advanced Market Indicators, Sectors & Breadth' });
  if ((await header.getAttribute('aria-expanded')) === 'false') await header.click();
}

async function readPage(page: Page) {
  await openAdvanced(page);
  const fearGreed = section(page, 'Fear & Greed Index');
  const advanced = section(page, 'Advanced Market Indicators');
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
    indicators: await readingsIn(advanced, namesOf(INDICATORS)),
    sectors: await readingsIn<string>(advanced, GICS_SECTORS.slice(0, SECTORS.length)),
    breadth: await readingsIn<string>(section(page, 'Market Breadth'), [
      'Advance/decline ratio',
      'Advancing',
      'Unchanged',
      'Declining',
    ]),
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

  it.each(INDICATORS)('%s has its number and the word of its band', (_, name, expected) => {
    expectReading(pageOf(0).indicators[name], expected, [expected[2]]);
  });

  it('a sector is Strong from 70, Weak below 50, otherwise Neutral [S2.27] [S3.4] [S9.7]', () => {
    SECTORS.forEach((expected, at) => {
      const shown = pageOf(0).sectors[GICS_SECTORS[at] ?? ''] ?? [];
      expectReading(shown, expected, ['Strong', 'Neutral', 'Weak', 'Not measured']);
      if (expected[0] !== null) expect(texts(shown)).toContain(`${expected[1].replace('%', '')} / 100`);
    });
  });

  it('colours the shown ratio green above 1 [S2.28] [S3.2] [S9.8] [S9.9]', () => {
    BREADTHS.forEach(({ counts, ratio: [text, word, status] }, set) => {
      const shown = pageOf(set).breadth['Advance/decline ratio'];
      expectReading(shown, [null, text, word], [word]);
      expect(wordsOf(shown ?? [], STATUSES), String(counts)).toEqual(status === null ? [] : [status]);
      const isGreen = status === '(positive)';
      expect(shown?.find((piece) => piece.text === word)?.mark === 'green', String(counts)).toBe(isGreen);
      expect(shown?.find((piece) => piece.text === text)?.hue === 'green', String(counts)).toBe(isGreen);
    });
  });

  it('shows shares with one decimal, and omits them if a count is missing [S2.28] [S9.10]', () => {
    BREADTHS.forEach(({ counts, shares }, set) => {
      ['Advancing', 'Unchanged', 'Declining'].forEach((name, at) => {
        const shown = texts(pageOf(set).breadth[name] ?? []);
        const count = counts[at]?.toLocaleString('en-US') ?? '—';
        expect(shown, `${name} of ${counts}`).toEqual(expect.arrayContaining([shares[at], count]));
      });
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
