import { html, type Markup } from './markup.ts';
import { type Colour, type Hue, paint } from './paint.ts';

// Bars are table cells, which all mail clients draw in the same way. Screen readers skip them, because their values are
// also present as text.

/** Minimum distance of the mark from the edges of its zone, in units of the scale. */
const MARK_MARGIN = 2;
/** Width of the mark as a percentage of the scale: 3 px on a phone, 5 px at full width. */
const MARK_WIDTH = 1;

interface Cell {
  /** Width as a percentage of the whole width. A cell with the width 0 is left out. */
  readonly width: number;
  readonly fill?: Colour;
  readonly edge?: { readonly colour: Colour; readonly style: string };
  /** Number of columns that the cell spans. */
  readonly span?: number;
}

const percent = (width: number) => `${Number(width.toFixed(2))}%`;

function rowOf(cells: readonly Cell[], height: number): Markup {
  const drawn = cells
    .filter(({ width }) => width > 0)
    .map(({ width, fill, edge, span = 1 }) => {
      const colours = { ...(fill && { fill }), ...(edge && { edge: edge.colour }) };
      const style = `font-size:0;line-height:0${edge === undefined || edge.style === '' ? '' : `;${edge.style}`}`;
      const across = span === 1 ? null : html` colspan="${span}"`;
      return html`<td${across} width="${percent(width)}" height="${height}"${paint(colours, style)}>&nbsp;</td>`;
    });
  return html`<tr>${drawn}</tr>`;
}

function drawing(rows: Markup | readonly Markup[], columns: readonly Markup[] = []): Markup {
  return html`<table role="presentation" aria-hidden="true" width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed">${columns}${rows}</table>`;
}

export interface Zone {
  readonly from: number;
  readonly to: number;
  readonly hue: Hue;
}

/** A value as a mark on 0–100. The zone of the value has its full colour; the others are pale. */
export function scale(zones: readonly Zone[], value: number, height: number): Markup {
  const own = zones.findLast(({ from }) => value >= from) ?? zones[0];
  if (own === undefined) return html``;
  const at = Math.min(Math.max(value, own.from + MARK_MARGIN), own.to - MARK_MARGIN);
  const mark = { width: MARK_WIDTH, fill: 'text' } as const;
  const start = at - MARK_WIDTH / 2;
  const end = at + MARK_WIDTH / 2;
  // The gaps between zones, and those beside the mark, are borders with the colour of the card.
  const margin = (style: string) => ({ colour: 'card', style }) as const;
  const bar = zones.flatMap((zone): Cell[] => {
    const { from, to, hue } = zone;
    const gap = to === 100 ? '' : 'border-right:2px solid';
    if (zone !== own) return [{ width: to - from, fill: `${hue}-pale`, edge: margin(gap) }];
    return [
      { width: start - from, fill: hue, edge: margin('border-right:2px solid') },
      mark,
      { width: to - end, fill: hue, edge: margin(`border-left:2px solid;${gap}`) },
    ];
  });
  // The three parts of the mark are in one table, so that they are aligned.
  const before = zones.indexOf(own) + 1;
  const tip = rowOf(
    [{ width: start, span: before }, mark, { width: 100 - end, span: bar.length - before - 1 }],
    4,
  );
  const columns = bar.map(({ width }) => html`<col width="${percent(width)}">`);
  return drawing([tip, rowOf(bar, height), tip], columns);
}

/** Draws a range, to be placed under a scale. */
export function bracket(low: number, high: number): Markup {
  const from = Math.min(low, 98);
  const to = Math.max(high, from + 2);
  const edge = { colour: 'text', style: 'border:2px solid;border-top:0' } as const;
  return drawing(rowOf([{ width: from }, { width: to - from, edge }, { width: 100 - to }], 5));
}

/** Draws a percentage as a bar; null for an empty bar. */
export function shareBar(share: number | null): Markup {
  const filled = share ?? 0;
  return drawing(
    rowOf(
      [
        { width: filled, fill: 'accent' },
        { width: 100 - filled, fill: 'line' },
      ],
      4,
    ),
  );
}

/** A change as a bar left or right of zero, on a scale that fits all changes. */
export function changeBar(change: number, { down, up }: { down: number; up: number }): Markup {
  const one = 100 / (down + up || 1);
  const middle = down * one;
  const length = Math.abs(change) * one;
  const cells: Cell[] =
    change < 0
      ? [{ width: middle - length }, { width: length, fill: 'fall' }, { width: 100 - middle }]
      : [{ width: middle }, { width: length, fill: 'growth' }, { width: 100 - middle - length }];
  return drawing(rowOf(cells, 8));
}
