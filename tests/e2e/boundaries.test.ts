import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import { BELL, changed, fearGreedRow, MIDDLING, sentimentRow } from '../support/market-tables.ts';
import { type MarketTables, type PageOverRows, pageOverRows } from '../support/page-over-rows.ts';
import {
  type Hue,
  readingsIn,
  type Shown,
  section,
  shownIn,
  shownInEach,
  texts,
  wordsOf,
} from '../support/shown.ts';

/* Writes values at the edges of the bands of section 9 into the tables and reads the page. One case per band, which
   rounds into the band if possible (reading 7 of docs/maintainers/spec-coverage.md). `src/domain/bands/bands.test.ts` covers all
   edges. Reading the page is slow, so one set of rows carries a case of every table below. */

type Case = readonly [value: number | null, text: string, word: string, hue?: Hue];

const GAUGE: readonly (readonly [
  value: number,
  text: string,
  word: string,
  hue: Hue,
  degrees: number,
  dot: string,
])[] = [
  [0, '0.0', 'Extreme Fear', 'red', 0, 'Bearish'],
  [24.95, '25.0', 'Fear', 'orange', 45, 'Bearish'],
  [44.95, '45.0', 'Neutral', 'yellow', 81, 'Neutral'],
  [54.95, '55.0', 'Greed', 'lime', 99, 'Bullish'],
  [74.9, '74.9', 'Greed', 'lime', 134.82, 'Bullish'],
  [75, '75.0', 'Extreme Greed', 'green', 135, 'Bullish'],
  [100, '100.0', 'Extreme Greed', 'green', 180, 'Bullish'],
];

const FEAR_GREED_WORDS = ['Extreme Fear', 'Fear', 'Neutral', 'Greed', 'Extreme Greed', 'Not measured'];

const COMPONENTS = [
  ['market_momentum', 'Market momentum'],
  ['stock_price_strength', 'Price strength'],
  ['stock_price_breadth', 'Price breadth'],
  ['put_call_options', 'Put and call options'],
  ['junk_bond_demand', 'Junk bond demand'],
  ['market_volatility', 'Volatility'],
  ['safe_haven_demand', 'Safe haven demand'],
] as const;

/** Two sets of values for the seven components. */
const COMPONENT_CASES: readonly (readonly Case[])[] = [
  [
    [0, '0.0', 'Extreme Fear', 'red'],
    [24.9, '24.9', 'Extreme Fear', 'red'],
    [24.94, '24.9', 'Extreme Fear', 'red'],
    [24.95, '25.0', 'Fear', 'orange'],
    [25, '25.0', 'Fear', 'orange'],
    [44.9, '44.9', 'Fear', 'orange'],
    [45, '45.0', 'Neutral', 'yellow'],
  ],
  [
    [54.9, '54.9', 'Neutral', 'yellow'],
    [55, '55.0', 'Greed', 'lime'],
    [74.94, '74.9', 'Greed', 'lime'],
    [74.95, '75.0', 'Extreme Greed', 'green'],
    [75, '75.0', 'Extreme Greed', 'green'],
    [100, '100.0', 'Extreme Greed', 'green'],
    [null, '—', 'Not measured'],
  ],
];

const METRIC_WORDS = ['Low', 'Moderate', 'High'];
const METRICS: readonly Case[] = [
  [0, '0.0', 'Low', 'red'],
  [34.95, '35.0', 'Moderate', 'yellow'],
  [54.94, '54.9', 'Moderate', 'yellow'],
  [54.95, '55.0', 'High', 'green'],
  [100, '100.0', 'High', 'green'],
];

const INDICATORS: readonly {
  name: string;
  /** The title of the test. */
  holds: string;
  column: string;
  words: readonly string[];
  cases: readonly Case[];
}[] = [
  {
    name: 'VIX',
    holds: 'VIX is Low Volatility under 15, Moderate under 25 and High Volatility from there [S9.11]',
    column: 'vix',
    words: ['Low Volatility', 'Moderate', 'High Volatility'],
    cases: [
      [14.994, '14.99', 'Low Volatility'],
      [24.99, '24.99', 'Moderate'],
      [24.995, '25.00', 'High Volatility'],
    ],
  },
  {
    name: 'VIX Change',
    holds: 'a rising, a falling and an unchanged VIX have different signs and words',
    column: 'vix_change',
    words: ['Rising', 'Unchanged', 'Falling'],
    cases: [
      [0, '0.00', 'Unchanged'],
      [0.01, '+0.01', 'Rising'],
      [-0.01, '−0.01', 'Falling'],
    ],
  },
  {
    name: 'Put/Call Ratio',
    holds:
      'Put/Call is Very Bullish under 0.8, Bullish under 1, Bearish under 1.2 and Very Bearish from there [S9.12]',
    column: 'put_call_ratio',
    words: ['Very Bullish', 'Bullish', 'Bearish', 'Very Bearish'],
    cases: [
      [0.79, '0.79', 'Very Bullish'],
      [0.795, '0.80', 'Bullish'],
      [0.995, '1.00', 'Bearish'],
      [1.195, '1.20', 'Very Bearish'],
    ],
  },
  {
    name: 'TRIN',
    holds: 'TRIN is Strong Buying under 0.8, Neutral under 1.2 and Strong Selling from there [S9.13]',
    column: 'trin',
    words: ['Strong Buying', 'Neutral', 'Strong Selling'],
    cases: [
      [0.79, '0.79', 'Strong Buying'],
      [0.795, '0.80', 'Neutral'],
      [1.195, '1.20', 'Strong Selling'],
    ],
  },
  {
    name: 'McClellan Oscillator',
    holds:
      'McClellan is Overbought over 50, Positive over 0, Negative over −50 and Oversold from there down [S9.14]',
    column: 'mcclellan_oscillator',
    words: ['Overbought', 'Positive', 'Negative', 'Oversold'],
    cases: [
      [50.04, '+50.0', 'Positive'],
      [50.05, '+50.1', 'Overbought'],
      [0.04, '0.0', 'Negative'],
      [-49.95, '−50.0', 'Oversold'],
    ],
  },
  {
    name: 'High/Low Index',
    holds: 'the High/Low index is Strong over 60, Moderate over 40 and Weak from there down [S9.15]',
    column: 'high_low_index',
    words: ['Strong', 'Moderate', 'Weak'],
    cases: [
      [40.04, '40.0%', 'Weak'],
      [60.04, '60.0%', 'Moderate'],
      [60.05, '60.1%', 'Strong'],
    ],
  },
  {
    name: 'TICK Index',
    holds: 'TICK is Extreme over 600 and Strong over 300 in either direction, else Moderate [S9.16]',
    column: 'tick_index',
    words: ['Extreme', 'Strong', 'Moderate'],
    cases: [
      [0, '0', 'Moderate'],
      [301, '+301', 'Strong'],
      [600.5, '+601', 'Extreme'],
      [-301, '−301', 'Strong'],
      [-1601, '−1,601', 'Extreme'],
    ],
  },
];

const RATIO_WORDS = ['More advancing', 'Even', 'More declining', 'None rose or fell', 'No stocks counted'];
const BREADTHS: readonly {
  counts: readonly [advancing: number | null, unchanged: number | null, declining: number | null];
  ratio: string;
  word: string | null;
  status: string | null;
  shares: readonly [string, string, string];
  texts?: readonly [string, string, string];
}[] = [
  {
    counts: [1005, 0, 1000],
    texts: ['1,005', '0', '1,000'],
    ratio: '1.01',
    word: 'More advancing',
    status: '(positive)',
    shares: ['50.1%', '0.0%', '49.9%'],
  },
  {
    counts: [5, 0, 0],
    ratio: '5.00',
    word: 'More advancing',
    status: '(positive)',
    shares: ['100.0%', '0.0%', '0.0%'],
  },
  {
    counts: [0, 0, 5],
    ratio: '0.00',
    word: 'More declining',
    status: '(negative)',
    shares: ['0.0%', '0.0%', '100.0%'],
  },
  {
    counts: [1, 1, 1],
    ratio: '1.00',
    word: 'Even',
    status: '(neutral)',
    shares: ['33.3%', '33.3%', '33.3%'],
  },
  {
    counts: [0, 0, 0],
    ratio: '—',
    word: 'No stocks counted',
    status: null,
    shares: ['0.0%', '0.0%', '0.0%'],
  },
  {
    counts: [0, 4, 0],
    ratio: '—',
    word: 'None rose or fell',
    status: null,
    shares: ['0.0%', '100.0%', '0.0%'],
  },
  {
    counts: [3, null, 2],
    texts: ['3', '—', '2'],
    ratio: '1.50',
    word: 'More advancing',
    status: '(positive)',
    shares: ['—', '—', '—'],
  },
];

const TIMEFRAMES = ['short', 'medium', 'long'] as const;
const TITLES = { short: 'Short Term', medium: 'Medium Term', long: 'Long Term' } as const;
const LEVELS = ['Very Bullish', 'Bullish', 'Neutral', 'Bearish', 'Very Bearish'];
/** Three cases per set of rows, because the page has three cards. */
const SENTIMENTS: readonly Case[] = [
  [0, '0.0', 'Very Bearish', 'red'],
  [29.95, '30.0', 'Bearish', 'orange'],
  [44.95, '45.0', 'Neutral', 'yellow'],
  [54.95, '55.0', 'Bullish', 'lime'],
  [69.95, '70.0', 'Very Bullish', 'green'],
];

/** The indicators of the sentiment cards, three per set like the scores. */
const SENTIMENT_INDICATORS: readonly {
  name: string;
  holds: string;
  column: string;
  cases: readonly (readonly [value: number | string, text: string, status: string])[];
}[] = [
  {
    name: 'RSI',
    holds:
      'RSI is positive above 60, negative below 40 and neutral between, and has one decimal [S4.8] [S9.20]',
    column: 'rsi',
    cases: [
      [60.04, '60.0', '(neutral)'],
      [60.05, '60.1', '(positive)'],
      [39.94, '39.9', '(negative)'],
    ],
  },
  {
    name: 'MACD',
    holds: 'MACD is positive above 0 and negative from there down, and has two decimals [S4.9] [S9.20]',
    column: 'macd',
    cases: [
      [0.004, '0.00', '(negative)'],
      [0.005, '0.01', '(positive)'],
      [-0.01, '−0.01', '(negative)'],
    ],
  },
  {
    name: 'MA Trend',
    holds: 'a bullish moving-average trend is positive, a bearish one negative, any other neutral [S4.10]',
    column: 'moving_avg_trend',
    cases: [
      ['bullish', 'Bullish', '(positive)'],
      ['bearish', 'Bearish', '(negative)'],
      ['neutral', 'Neutral', '(neutral)'],
      ['sideways', 'Sideways', '(neutral)'],
    ],
  },
  {
    name: 'Volume',
    holds: 'increasing volume is positive, decreasing volume negative, any other neutral [S4.11]',
    column: 'volume_trend',
    cases: [
      ['increasing', 'Increasing', '(positive)'],
      ['decreasing', 'Decreasing', '(negative)'],
      ['neutral', 'Stable', '(neutral)'],
      ['thin', 'Thin', '(neutral)'],
    ],
  },
];

const SETS = GAUGE.length;
const caseOf = <T>(cases: readonly T[], set: number): T => cases[set % cases.length] as T;

/** A set of rows with one case of every table above. */
function rowsOf(set: number): MarketTables {
  const components = caseOf(COMPONENT_CASES, set);
  const [advancing_stocks, unchanged_stocks, declining_stocks] = caseOf(BREADTHS, set).counts;
  return {
    ...MIDDLING,
    fear_greed_index: [
      fearGreedRow(
        caseOf(GAUGE, set)[0],
        BELL,
        Object.fromEntries(COMPONENTS.map(([column], at) => [column, components[at]?.[0]])),
      ),
    ],
    ...changed('market_metrics', {
      market_exposure: caseOf(METRICS, set)[0],
      overall_strength: caseOf(METRICS, set + 5)[0],
    }),
    ...changed(
      'advanced_indicators',
      Object.fromEntries(INDICATORS.map(({ column, cases }) => [column, caseOf(cases, set)[0]])),
    ),
    ...changed('market_breadth', { advancing_stocks, unchanged_stocks, declining_stocks }),
    market_sentiment: TIMEFRAMES.map((timeframe, at) =>
      sentimentRow(timeframe, {
        score: caseOf(SENTIMENTS, set * 3 + at)[0],
        ...Object.fromEntries(
          SENTIMENT_INDICATORS.map(({ column, cases }) => [column, caseOf(cases, set * 3 + at)[0]]),
        ),
      }),
    ),
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
  const cardsOf = section(page, 'Market Sentiment Analysis').getByRole('article');
  const [gauge, degrees, components, exposure, strength, indicators, breadth, shownCards, items, insights] =
    await Promise.all([
      shownIn(fearGreed.getByRole('img', { name: /^Fear & Greed stands/ })),
      needleDegrees(page),
      readingsIn(
        fearGreed,
        COMPONENTS.map(([, name]) => name),
      ),
      shownIn(section(page, 'Market Exposure')),
      shownIn(section(page, 'Overall Strength')),
      readingsIn(
        advanced,
        INDICATORS.map(({ name }) => name),
      ),
      readingsIn(section(page, 'Market Breadth'), [
        'Advance/decline ratio',
        'Advancing',
        'Unchanged',
        'Declining',
      ]),
      shownInEach(cardsOf),
      cardsOf.evaluateAll((all) =>
        all.map((card) => [...card.querySelectorAll('dl > div')].map((item) => item.textContent ?? '')),
      ),
      section(page, 'Market Insights').getByRole('listitem').allInnerTexts(),
    ]);
  const cards = TIMEFRAMES.map((timeframe) => {
    const at = shownCards.findIndex((shown) => texts(shown).includes(TITLES[timeframe]));
    return { own: shownCards[at], items: items[at] };
  });
  return { gauge, degrees, components, exposure, strength, indicators, breadth, cards, insights };
}

let host: PageOverRows;
const pages: Awaited<ReturnType<typeof readPage>>[] = [];
let sectors: Record<string, Shown[]> = {};
let sectorOrder: string[] = [];

const SECTOR_CASES: readonly (readonly [
  value: number | null,
  percent: string,
  count: string,
  word: string,
])[] = [
  [49.9, '49.9%', '49.9 / 100', 'Weak'],
  [49.94, '49.9%', '49.9 / 100', 'Weak'],
  [49.95, '50.0%', '50.0 / 100', 'Neutral'],
  [50, '50.0%', '50.0 / 100', 'Neutral'],
  [69.9, '69.9%', '69.9 / 100', 'Neutral'],
  [69.94, '69.9%', '69.9 / 100', 'Neutral'],
  [69.95, '70.0%', '70.0 / 100', 'Strong'],
  [70, '70.0%', '70.0 / 100', 'Strong'],
  [0, '0.0%', '0.0 / 100', 'Weak'],
  [100, '100.0%', '100.0 / 100', 'Strong'],
  [null, '—', '—', 'Not measured'],
];

beforeAll(async () => {
  host = await pageOverRows();
  for (let set = 0; set < SETS; set += 1) {
    pages.push(await readPage(await host.show(rowsOf(set))));
  }
  const page = await host.show({
    ...MIDDLING,
    sector_strength: GICS_SECTORS.map((sector, at) => ({
      ...MIDDLING.sector_strength[at],
      sector,
      strength: SECTOR_CASES[at]?.[0],
    })),
  });
  await openAdvanced(page);
  const panel = section(page, 'Advanced Market Indicators');
  sectors = await readingsIn(panel, GICS_SECTORS);
  const shown = texts(await shownIn(panel));
  sectorOrder = shown.filter((text) => GICS_SECTORS.some((sector) => sector === text));
});

afterAll(() => host?.close());

/** Opens the page over the set of rows with case `at` of a table. */
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

  it('each component has the word and colour of its own score [S3.3] [S9.5]', () => {
    COMPONENT_CASES.forEach((cases, set) => {
      COMPONENTS.forEach(([, name], at) => {
        const expected = cases[at];
        if (expected === undefined) throw new Error(`${name} has no case.`);
        expectReading(pageOf(set).components[name], expected, FEAR_GREED_WORDS);
      });
    });
  });

  it('the dot of its insight is bullish from 55, neutral from 45 and bearish below [S4.12]', () => {
    GAUGE.forEach(([value, text, word, , , dot], set) => {
      const insight = pageOf(set).insights[0] ?? '';
      expect(insight, String(value)).toMatch(new RegExp(`^${dot}`));
      expect(insight, String(value)).toContain(`Fear & Greed stands at ${text} (${word})`);
    });
  });
});

describe('the metric cards at their boundaries', () => {
  it('Market Exposure is red below 35, yellow below 55 and green from there [S9.6]', () => {
    METRICS.forEach((expected, set) => {
      const { exposure } = pageOf(set);
      expectReading(exposure, expected, METRIC_WORDS);
      expect(exposure.find(({ text }) => text === expected[1])?.hue, String(expected[0])).toBe(expected[3]);
    });
  });

  it('Overall Strength is red below 35, yellow below 55 and green from there [S9.6]', () => {
    METRICS.forEach((_, set) => {
      const expected = caseOf(METRICS, set + 5);
      const { strength } = pageOf(set);
      expectReading(strength, expected, METRIC_WORDS);
      expect(strength.find(({ text }) => text === expected[1])?.hue, String(expected[0])).toBe(expected[3]);
    });
  });
});

describe('the advanced indicators at their boundaries', () => {
  for (const { holds, name, words, cases } of INDICATORS) {
    it(holds, () => {
      for (const [set, expected] of cases.entries()) {
        expectReading(pageOf(set).indicators[name], expected, words);
      }
    });
  }
});

describe('sector strength at its boundaries', () => {
  it('a sector is Strong from 70, Weak below 50, otherwise Neutral [S2.27] [S3.4] [S9.7]', () => {
    SECTOR_CASES.forEach(([value, percent, count, word], at) => {
      const shown = sectors[GICS_SECTORS[at] ?? ''] ?? [];
      expect(texts(shown), String(value)).toEqual(expect.arrayContaining([percent, count]));
      expect(wordsOf(shown, ['Strong', 'Neutral', 'Weak', 'Not measured']), String(value)).toEqual([word]);
    });
  });

  it('sorts sectors by strength, equal sectors by name, unmeasured sectors last', () => {
    expect(sectorOrder).toEqual([
      'Real Estate',
      'Industrials',
      'Information Technology',
      'Financials',
      'Health Care',
      'Consumer Staples',
      'Energy',
      'Communication Services',
      'Consumer Discretionary',
      'Materials',
      'Utilities',
    ]);
  });
});

describe('market breadth at its boundaries', () => {
  it('colours the shown ratio green above 1 [S2.28] [S3.2] [S9.8] [S9.9]', () => {
    BREADTHS.forEach(({ counts, ratio, word, status }, set) => {
      const shown = pageOf(set).breadth['Advance/decline ratio'];
      expect(texts(shown), String(counts)).toContain(ratio);
      expect(wordsOf(shown, RATIO_WORDS), String(counts)).toEqual(word === null ? [] : [word]);
      const statuses = ['(positive)', '(neutral)', '(negative)'];
      expect(wordsOf(shown, statuses), String(counts)).toEqual(status === null ? [] : [status]);
      const mark = shown.find(({ text }) => text === word)?.mark;
      expect(mark === 'green', String(counts)).toBe(status === '(positive)');
      const { hue } = shown.find(({ text }) => text === ratio) ?? {};
      expect(hue === 'green', String(counts)).toBe(status === '(positive)');
    });
  });

  it('shows shares with one decimal, and omits them if a count is missing [S2.28] [S9.10]', () => {
    BREADTHS.forEach(({ counts, shares, texts: written }, set) => {
      ['Advancing', 'Unchanged', 'Declining'].forEach((name, at) => {
        const shown = texts(pageOf(set).breadth[name as 'Advancing'] ?? []);
        expect(shown, `${name} of ${counts}`).toContain(shares[at]);
        expect(shown, `${name} of ${counts}`).toContain(written?.[at] ?? String(counts[at]));
      });
    });
  });
});

describe('sentiment at its boundaries', () => {
  it('the level and the colour of a score change at 30, 45, 55 and 70 [S4.6] [S9.17]', () => {
    SENTIMENTS.forEach((expected, at) => {
      const shown = pageOf(Math.floor(at / 3)).cards[at % 3]?.own?.filter(
        ({ text }) => !text.startsWith('A score'),
      );
      expect(texts(shown ?? []), String(expected[0])).toContain(expected[1]);
      const level = shown?.find(({ text }) => LEVELS.includes(text));
      expect([level?.text, level?.hue], String(expected[0])).toEqual([expected[2], expected[3]]);
    });
  });

  for (const { holds, name, cases } of SENTIMENT_INDICATORS) {
    it(holds, () =>
      cases.forEach(([value, text, status], at) => {
        const items = pageOf(Math.floor(at / 3)).cards[at % 3]?.items ?? [];
        expect(
          items.find((item) => item.startsWith(name)),
          `${name} ${value}`,
        ).toBe(`${name}${text}${status}`);
      }),
    );
  }
});
