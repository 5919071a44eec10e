import { describe, expect, it } from 'vitest';
import { bracket, changeBar, scale, shareBar } from './mail-bars.ts';
import type { Markup } from './markup.ts';

const ZONES = [
  { from: 0, to: 41, hue: 'extreme-fear' },
  { from: 41, to: 61, hue: 'neutral' },
  { from: 61, to: 100, hue: 'extreme-greed' },
] as const;

interface DrawnCell {
  width: number;
  fill: string | null;
  span: number;
}

/** Returns the cells of each row, with their widths in percent. */
function rowsOf({ markup }: Markup): DrawnCell[][] {
  return [...markup.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>/g)].map(([cell]) => ({
      width: Number(/ width="([\d.]+)%"/.exec(cell)?.[1]),
      fill: /fill_([\w-]+)/.exec(cell)?.[1] ?? null,
      span: Number(/ colspan="(\d+)"/.exec(cell)?.[1] ?? 1),
    })),
  );
}

const sum = (numbers: number[]) => Math.round(numbers.reduce((all, one) => all + one, 0));
const fillsOf = (drawn: Markup) => rowsOf(drawn).map((row) => row.map(({ width, fill }) => [fill, width]));

describe('the scale in a mail', () => {
  it.each([0, 0.4, 40.9, 41, 50, 60.9, 61, 99.9, 100])('marks %d within its own zone', (value) => {
    const drawn = scale(ZONES, value, 14);
    const rows = rowsOf(drawn);
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      expect(sum(row.map(({ width }) => width))).toBe(100);
      expect(sum(row.map(({ span }) => span))).toBe(5);
    }
    const own = value < 41 ? 'extreme-fear' : value < 61 ? 'neutral' : 'extreme-greed';
    const bar = rows[1] ?? [];
    const mark = bar.findIndex(({ fill }) => fill === 'text');
    expect([bar[mark - 1]?.fill, bar[mark + 1]?.fill]).toEqual([own, own]);
    expect(bar.filter(({ fill }) => fill?.endsWith('-pale'))).toHaveLength(2);
  });

  it('marks a value at its position', () => {
    const [tip] = rowsOf(scale(ZONES, 50, 14));
    expect(tip?.map(({ width }) => width)).toEqual([49.5, 1, 49.5]);
  });
});

describe('other bars in a mail', () => {
  it('show even a narrow range at an end of the scale', () => {
    expect(fillsOf(bracket(48, 63))[0]?.map(([, width]) => width)).toEqual([48, 15, 37]);
    for (const [low, high] of [
      [0, 0.1],
      [99.9, 100],
      [0, 100],
    ] as const) {
      expect(sum((rowsOf(bracket(low, high))[0] ?? []).map(({ width }) => width))).toBe(100);
    }
  });

  it('fill a share from 0 to 100', () => {
    expect(fillsOf(shareBar(62.4))).toEqual([
      [
        ['accent', 62.4],
        ['line', 37.6],
      ],
    ]);
    expect(fillsOf(shareBar(0))).toEqual([[['line', 100]]]);
    expect(fillsOf(shareBar(null))).toEqual([[['line', 100]]]);
    expect(fillsOf(shareBar(100))).toEqual([[['accent', 100]]]);
  });

  it('draw falls left of zero and rises right of it', () => {
    const reach = { down: 1, up: 3 };
    expect(fillsOf(changeBar(-1, reach))).toEqual([
      [
        ['fall', 25],
        [null, 75],
      ],
    ]);
    expect(fillsOf(changeBar(1.5, reach))).toEqual([
      [
        [null, 25],
        ['growth', 37.5],
        [null, 37.5],
      ],
    ]);
    expect(fillsOf(changeBar(0, { down: 0, up: 0 }))).toEqual([[[null, 100]]]);
  });
});
