import { FIGURES, writing } from './blocks.ts';
import { html, type Markup } from './markup.ts';
import { paint } from './paint.ts';

/** A table of data, not of layout: each cell has a heading that a screen reader tells with it. */

interface Look {
  readonly quiet?: boolean;
  readonly bold?: boolean;
}

const looked = ({ quiet = false, bold = false }: Look, top: number) =>
  [
    quiet ? 'secondary' : 'text',
    `border-top:1px solid;padding:${top}px 0;font-weight:${bold ? 700 : 400}`,
  ] as const;

/** The heading of a column; the first row of a table gives its columns their widths. */
export function columnHead(title: string, width: number, align: 'left' | 'right'): Markup {
  const look = paint({ ink: 'secondary' }, writing(12, 'font-weight:400;padding:0 0 6px'));
  return html`<th scope="col" width="${width}%" align="${align}"${look}>${title}</th>`;
}

/** The heading of a row, with lines `padding` px around. */
export function rowHead(
  name: string | Markup,
  padding: number,
  look: Look = {},
  width: number | null = null,
): Markup {
  const [ink, style] = looked(look, padding);
  return html`<th scope="row"${widthOf(width)} align="left"${paint({ ink, edge: 'line' }, writing(14, style))}>${name}</th>`;
}

export function figureCell(
  text: string,
  padding: number,
  look: Look = {},
  width: number | null = null,
): Markup {
  const [ink, style] = looked(look, padding);
  return html`<td${widthOf(width)} align="right"${paint({ ink, edge: 'line' }, writing(14, `${style};${FIGURES}`))}>${text}</td>`;
}

/** A cell that only shows, or shows nothing. */
export function drawnCell(drawn: Markup | null, width: number | null = null): Markup {
  return html`<td${widthOf(width)} valign="middle"${paint({ edge: 'line' }, 'border-top:1px solid;padding:0 10px')}>${drawn}</td>`;
}

export function dataTable(rows: readonly Markup[]): Markup {
  return html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed">
    ${rows}
    </table>`;
}

const widthOf = (width: number | null) => (width === null ? null : html` width="${width}%"`);
