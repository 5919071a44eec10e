import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { acrossPlot, downPlot, Plot, plotPath } from './plot.tsx';

const DAY = 86_400_000;
const marks = (count: number) => Array.from({ length: count }, (_, at) => ({ at: at * DAY, text: `t${at}` }));

const drawn = (count: number) =>
  renderToStaticMarkup(
    <Plot
      summary="Words."
      span={{ from: 0, to: (count - 1) * DAY }}
      scale={{ low: 0, high: 100 }}
      levels={[{ value: 50, text: '50' }]}
      ticks={marks(count)}
      box={{ width: 100, height: 100 }}
      shapes={<path d="M0 0" />}
    />,
  );

describe('a plot', () => {
  it('places values in percent of its box, and a single instant in the middle', () => {
    const day = { from: 0, to: 4 * DAY };
    expect([acrossPlot(DAY, day), acrossPlot(4 * DAY, day), acrossPlot(0, { from: 0, to: 0 })]).toEqual([
      '25%',
      '100%',
      '50%',
    ]);
    expect([0, 25, 100].map((value) => downPlot(value, { low: 0, high: 100 }))).toEqual([
      '100%',
      '75%',
      '0%',
    ]);
  });

  it('joins points by steps in whole units that do not drift', () => {
    const values = [0, 33.4, 66.7, 100, 100, 0];
    const points = values.map((value, at) => ({ at, value }));
    const box = { width: 5, height: 1_000 };
    expect(plotPath(points, { from: 0, to: 5 }, { low: 0, high: 100 }, box)).toBe(
      'M0 1000l1-334l1-333l1-333l1 0l1 1000',
    );
  });

  it.each([1, 2, 5, 300, 1_300])('has at most five texts of %i marks, none beside the plot', (count) => {
    const html = drawn(count);
    const texts = [...html.matchAll(/<text x="([\d.]+)%" y="100%" dy="1.5em" text-anchor="(\w+)">/g)];
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.length).toBeLessThanOrEqual(5);
    for (const [, x, anchor] of texts) {
      expect(anchor).toBe(Number(x) > 90 ? 'end' : 'middle');
    }
    expect(html).not.toMatch(/NaN|Infinity|undefined/);
  });

  it.each([5, 13, 25, 300])('has texts at even steps of %i marks, and more on a wide page', (count) => {
    const html = drawn(count);
    const stepsOf = (texts: RegExp) => {
      const places = [...html.matchAll(texts)].map(([, text]) => Number(text));
      return places.slice(1).map((place, at) => place - (places[at] ?? 0));
    };
    const narrow = stepsOf(/<text x[^>]*>t(\d+)</g);
    const all = stepsOf(/<text [^>]*>t(\d+)</g);
    expect([new Set(narrow).size, new Set(all).size]).toEqual([1, 1]);
    expect(all.length).toBeGreaterThan(narrow.length);
  });
});
