import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { FigureChart } from './figure-chart.tsx';

test('is one sentence before the first close', () => {
  expect(renderToString(<FigureChart rows={[]} of="vix" name="VIX" />)).toBe(
    '<p class="quiet">No close of VIX is stored yet. The history grows with each session.</p>',
  );
});
