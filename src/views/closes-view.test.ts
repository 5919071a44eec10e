import { describe, expect, it } from 'vitest';
import { closesView, valueAxis } from './closes-view.ts';

const close = (price: number, created_at = '2026-11-13T21:00:00.000Z') => ({
  ...({ price, source: 'csv', created_at } as const),
});
const MONTH = [
  close(6612.3, '2026-10-14T20:00:00.000Z'),
  close(6590.2, '2026-10-16T20:00:00.000Z'),
  close(6650, '2026-10-19T20:00:00.000Z'),
  close(6701.456, '2026-11-12T21:00:00.000Z'),
  close(6734.11, '2026-11-13T19:05:00.000Z'),
];

describe('the chart of closes', () => {
  const view = closesView(MONTH);

  it('states its range, its change and the age of its newest point', () => {
    expect(view).toMatchObject({
      title: 'S&P 500 closes, 14 Oct to 13 Nov 2026',
      asOfText: 'Our own chart, as of Fri 13 Nov 2026, 14:05 New York time',
      change: { text: '+121.81 (+1.84%)', tone: 'positive' },
      summary:
        'S&P 500 from Wed 14 Oct 2026 to Fri 13 Nov 2026: lowest 6,590.20 on Fri 16 Oct 2026, highest 6,734.11 on Fri 13 Nov 2026, last 6,734.11 (Fri 13 Nov 2026, 14:05 New York time), +121.81 (+1.84%) over the range.',
    });
  });

  it('distinguishes a close from a quote within the session', () => {
    expect([view.running, closesView(MONTH.slice(0, -1)).running]).toEqual([true, false]);
    expect(view.points.slice(-2)).toMatchObject([
      { value: 6701.46, text: '6,701.46', dateText: 'Thu 12 Nov 2026', note: 'close' },
      { value: 6734.11, text: '6,734.11', dateText: 'Fri 13 Nov 2026', note: 'at 14:05' },
    ]);
  });

  it('has the change of each point, at equal distances also over a weekend', () => {
    expect(view.points.map(({ at, changeText }) => `${at}: ${changeText}`)).toEqual([
      '0: null',
      '1: −22.10 (−0.33%) since Wed 14 Oct',
      '2: +59.80 (+0.91%) since Fri 16 Oct',
      '3: +51.46 (+0.77%) since Mon 19 Oct',
      '4: +32.65 (+0.49%) since Thu 12 Nov',
    ]);
    expect([view.from, view.to]).toEqual([0, 4]);
  });

  it('has axes with round prices and the first session of each week', () => {
    expect([view.low, view.high]).toEqual([6550, 6750]);
    expect(view.levels.map(({ text }) => text)).toEqual(['6,550', '6,600', '6,650', '6,700', '6,750']);
    expect(view.ticks.map(({ at, text }) => `${at}: ${text}`)).toEqual([
      '0: 14 Oct',
      '2: 19 Oct',
      '3: 12 Nov',
    ]);
  });

  it('marks demonstration data', () => {
    expect(view.demo).toBeNull();
    expect(closesView([{ ...close(5), source: 'simulated' }]).demo?.text).toBe('Demo data: invented numbers');
  });

  it.each([[[]], [[close(1e300)]]])(
    'has a sentence instead of a chart if no close can be drawn: %j',
    (closes) => {
      expect(closesView(closes)).toMatchObject({
        ...{ points: [], asOfText: null, emptyText: expect.stringMatching(/^No closes of the S&P 500/) },
      });
    },
  );

  it('has no change with a single close', () => {
    expect(closesView([close(6700)]).change).toBeNull();
  });
});

describe('an axis', () => {
  it('has round steps and covers every value', () => {
    const ticks = [6600, 6650, 6700, 6750];
    expect(valueAxis([6612.3, 6734.1], 4)).toEqual({ low: 6600, high: 6750, step: 50, ticks, decimals: 0 });
    expect(valueAxis([6500, 6502], 4).ticks).toEqual([6500, 6500.5, 6501, 6501.5, 6502]);
    expect(valueAxis([0.9, 1.0], 4)).toMatchObject({ decimals: 3 });
  });

  it.each([
    [6700, 6700],
    [1e-6, 2e-6],
    [1, 9.99e14],
    [4999.99, 5000.01],
    [3, 17],
  ])('has few ticks and ends outside the values: %d to %d', (least, greatest) => {
    const { low, high, ticks } = valueAxis([least, greatest], 4);
    expect([low <= least, high >= greatest, low < high]).toEqual([true, true, true]);
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    expect(ticks.length).toBeLessThanOrEqual(7);
  });
});
