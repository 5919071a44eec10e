import type { WidgetId } from './embed.ts';

const rows = (count: number, height: number) =>
  Array.from({ length: count }, (_, row) => `M0 ${row * height}h46v6h-46zm78 0h22v6h-22z`).join('');

/** Outlines of the widgets, in a box of 100 by 100. */
const SHAPES: Record<WidgetId, string> = {
  'market-overview': 'M0 24h100v.4H0zm0 22h100v.4H0zm0 22h100v.4H0zm0 22h100v.4H0zM0 0h60v8H0z',
  hotlists: rows(9, 11.6),
  'stock-heatmap':
    'M0 0h38v58H0zM39 0h24v36H39zM64 0h36v36H64zM39 37.5h34V70H39zM74 37.5h26V70H74zM0 59.5h38V100H0zM39 71.5h28V100H39zM68 71.5h18V100H68zM87 71.5h13V100H87z',
};

/** The placeholder of a widget that is not loaded. */
export function Ghost({ id }: { id: WidgetId }) {
  return (
    <svg className="widget-ghost" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path d={SHAPES[id]} />
    </svg>
  );
}
