import type { Colour } from './mail-colours.ts';
import { webAddress } from './mail-text.ts';
import { html, type Markup } from './markup.ts';
import { paint } from './paint.ts';

/** Font sizes with their line heights, px. */
const SIZES = { 12: 18, 14: 21, 16: 24, 20: 28, 28: 34, 44: 50 } as const;
export type Size = keyof typeof SIZES;

/** Text style. Set on each cell: in some clients a table inherits only the font. */
export function writing(size: Size, more = ''): string {
  return `font-size:${size}px;line-height:${SIZES[size]}px${more === '' ? '' : `;${more}`}`;
}

/** Vertical space in px. */
export function space(height: number): Markup {
  return html`<div style="height:${height}px;font-size:0;line-height:${height}px">&nbsp;</div>`;
}

/** Style of figures in a column. */
export const FIGURES = 'font-variant-numeric:tabular-nums;white-space:nowrap';

/** A table for layout, not for data. */
export function layout(row: Markup): Markup {
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed">
    ${row}
    </table>`;
}

/** A box as wide as the column, painted so, and the gap that follows. */
export function boxRow(look: Markup, content: Markup): Markup {
  return html`<tr><td${look}>
    ${content}
    </td></tr>
    <tr><td height="16" style="font-size:0;line-height:0">&nbsp;</td></tr>`;
}

export function cardRow(content: Markup): Markup {
  const edges = 'border:1px solid;border-radius:16px;padding:22px 20px';
  return boxRow(paint({ fill: 'card', edge: 'line' }, edges, 'roomy'), content);
}

/** A row without a card. */
export function plainRow(content: Markup): Markup {
  return html`<tr><td style="padding:0 12px 16px">
    ${content}
    </td></tr>`;
}

/** A heading within a card, and what belongs to it at the right. */
export function heading(title: string, beside: string | null = null): Markup {
  const name = html`<h2${paint({ ink: 'text' }, writing(16, 'margin:0;font-weight:700'))}>${title}</h2>`;
  if (beside === null) return name;
  const note = html`<td align="right" valign="bottom"${paint({ ink: 'secondary' }, writing(14))}>${beside}</td>`;
  return layout(html`<tr><td valign="bottom">${name}</td>${note}</tr>`);
}

/** A paragraph, `above` px below what comes before. */
export function paragraph(text: string | Markup, size: Size, ink: Colour, above = 0): Markup {
  return html`<p${paint({ ink }, writing(size, `margin:${above}px 0 0`))}>${text}</p>`;
}

/** A button that Outlook draws as well, as a cell of that colour. */
export function button(label: string, address: string): Markup {
  const link = 'display:inline-block;padding:13px 26px;font-weight:700;text-decoration:none';
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" align="center">
    <tr><td align="center"${paint({ fill: 'accent' }, 'border-radius:10px;mso-padding-alt:13px 26px')}>
    <a href="${webAddress(address)}"${paint({ ink: 'on-accent' }, writing(16, link))}>${label}</a>
    </td></tr>
    </table>`;
}

/** A link within text, underlined: never known by its colour alone. */
export function link(label: string, address: string, ink: Colour = 'accent'): Markup {
  return html`<a href="${webAddress(address)}"${paint({ ink }, 'text-decoration:underline')}>${label}</a>`;
}
