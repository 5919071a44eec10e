import type { DemoView } from './model.ts';

const BESIDE_WIDGETS: Readonly<Record<DemoView['kind'], string>> = {
  simulated: 'These charts show the real market. The other numbers on this page are invented.',
  replay: 'These charts show the market of today. The other numbers on this page are past ones.',
};

/** The sentence beside the charting provider's widgets; null on a page without demonstration data. */
export function widgetsDemoNote(demo: DemoView | null): string | null {
  return demo && BESIDE_WIDGETS[demo.kind];
}
