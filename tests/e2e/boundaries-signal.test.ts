import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import { changed, fearGreedRow, MIDDLING, sentimentRow } from '../support/market-tables.ts';
import { type MarketTables, pageOverRows } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';
import { section, shownIn, shownInEach, texts } from '../support/shown.ts';

/**
 * A market near the edge to BUY. By the weights of section 9 its inputs have 16.0 + 14.0 + 6.0 + 8.1 + 9.0 + 4.0
 * points, plus a tenth of the advancing share.
 */
const NEAR_BUY: MarketTables = {
  ...MIDDLING,
  fear_greed_index: [fearGreedRow(80)],
  ...changed('market_metrics', { overall_strength: 70, market_exposure: 60 }),
  market_sentiment: [
    sentimentRow('short', { score: 49 }),
    sentimentRow('medium', { score: 54 }),
    sentimentRow('long', { score: 59 }),
  ],
  // The three indicators have the scores 100 − 2 · 20, (1.5 − 0.9) · 100 and 10 + 50: 60 each.
  ...changed('advanced_indicators', { vix: 20, put_call_ratio: 0.9, mcclellan_oscillator: 10 }),
  sector_strength: GICS_SECTORS.map((sector, at) => ({
    ...MIDDLING.sector_strength[0],
    sector,
    strength: [30, 50][at] ?? 40,
  })),
};

/**
 * A market near the edge to SELL. Its inputs have 6.0 + 8.0 + 5.0 + 6.0 + 6.0 + 5.0 points, plus a tenth of the
 * advancing share.
 */
const NEAR_SELL: MarketTables = {
  ...MIDDLING,
  fear_greed_index: [fearGreedRow(30)],
  ...changed('market_metrics', { overall_strength: 40, market_exposure: 50 }),
  market_sentiment: [
    sentimentRow('short', { score: 20 }),
    sentimentRow('medium', { score: 40 }),
    sentimentRow('long', { score: 60 }),
  ],
  ...changed('advanced_indicators', { vix: 30, put_call_ratio: 1.1, mcclellan_oscillator: -10 }),
};

/** The counts add up to 1,000 stocks. */
const advancing = (stocks: number) =>
  changed('market_breadth', {
    advancing_stocks: stocks,
    declining_stocks: 1000 - stocks,
    unchanged_stocks: 0,
  });

const host = shared(pageOverRows);

interface ShownSignal {
  page: Page;
  /** Every piece of text of the card. */
  pieces: string[];
  /** Name, score, weight and points of each row, the sum last; a note on missing inputs follows the name. */
  breakdown: string[][];
}

async function signalOf(tables: MarketTables): Promise<ShownSignal> {
  const page = await host.show(tables);
  const card = section(page, 'Market Signal');
  const [pieces, rows] = await Promise.all([shownIn(card), shownInEach(card.locator('tr'))]);
  return { page, pieces: texts(pieces), breakdown: rows.map(texts).slice(1) };
}

const VERDICTS = ['BUY', 'HOLD', 'SELL'];

/**
 * Values that round to either side of both verdict edges. `src/domain/bands/bands.test.ts` covers all edges.
 */
describe('the verdict at its boundaries', () => {
  const CASES = [
    { tables: NEAR_BUY, stocks: 385, exact: '60.95', shown: '61.0', verdict: 'BUY', next: 'HOLD' },
    { tables: NEAR_BUY, stocks: 384, exact: '60.94', shown: '60.9', verdict: 'HOLD', next: 'BUY' },
    { tables: NEAR_SELL, stocks: 494, exact: '40.94', shown: '40.9', verdict: 'SELL', next: 'HOLD' },
  ];

  for (const { tables, stocks, exact, shown, verdict, next } of CASES) {
    it(`a weighted score of ${exact} is shown as ${shown} and is ${verdict} [S2.31] [S4.13] [R7]`, async () => {
      const { page, pieces, breakdown } = await signalOf({ ...tables, ...advancing(stocks) });
      expect(pieces.find((piece) => VERDICTS.includes(piece))).toBe(verdict);
      expect(breakdown.at(-1)?.filter((_, at) => at !== 2)).toEqual([
        'Weighted score',
        '100%',
        Number(exact).toFixed(3),
      ]);
      const points = breakdown.slice(0, -1).map((row) => Number(row.at(-1)));
      expect(points.reduce((sum, value) => sum + value, 0)).toBeCloseTo(Number(exact), 9);
      expect(pieces).toContain(`Would turn to ${next}`);
      const scale = section(page, 'Market Signal').getByRole('img', {
        name: `Score ${shown} of 100: ${verdict}`,
      });
      expect(await scale.getAttribute('aria-label')).toContain('SELL 0 to 41, HOLD 41 to 61, BUY 61 to 100');
      const [zone, mark] = await Promise.all([
        scale.locator('.zone[data-active]').boundingBox(),
        scale.locator('.score-mark').boundingBox(),
      ]);
      if (zone === null || mark === null) throw new Error('The score is not drawn.');
      const middle = mark.y + mark.height / 2;
      expect(middle).toBeGreaterThanOrEqual(zone.y);
      // A score on the edge of its zone is exactly there.
      expect(middle).toBeLessThanOrEqual(zone.y + zone.height);
    });
  }
});
