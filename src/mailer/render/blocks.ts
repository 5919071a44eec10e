import { webAddress } from '../safe-text.ts';
import { underlined, wrapped } from './mail-text.ts';
import { html, type Markup, plainOf } from './markup.ts';
import { type Colour, paint } from './paint.ts';

/** A part of a mail, as HTML and as plain text. Both have the same words. */
export interface Block {
  readonly html: Markup;
  /** Lines of the plain text; empty for a drawing. */
  readonly text: readonly string[];
}

function joined(blocks: readonly (Block | null)[], between: readonly string[]): Block {
  const present = blocks.filter((block) => block !== null);
  const texts = present.map(({ text }) => text).filter(({ length }) => length > 0);
  return {
    html: { markup: present.map((block) => block.html.markup).join('\n') },
    text: texts.flatMap((lines, at) => (at === 0 ? lines : [...between, ...lines])),
  };
}

/** Puts blocks below each other. */
export const stacked = (...blocks: readonly (Block | null)[]): Block => joined(blocks, []);

/** Puts blocks below each other, with an empty line between them in the plain text. */
export const spaced = (...blocks: readonly (Block | null)[]): Block => joined(blocks, ['']);

/** A block that has no plain text, for a drawing. */
export const drawing = (markup: Markup): Block => ({ html: markup, text: [] });

/** A block whose plain text is the text of its markup. */
export const textBlock = (markup: Markup): Block => ({ html: markup, text: wrapped(plainOf(markup)) });

/** Font sizes and their line heights (px). */
const SIZES = { 12: 18, 14: 21, 16: 24, 20: 28, 28: 34, 44: 50 } as const;
export type Size = keyof typeof SIZES;

/** Returns the style of text. Each cell needs it, because in some mail clients a table inherits only the font. */
export function textStyle(size: Size, more = ''): string {
  return `font-size:${size}px;line-height:${SIZES[size]}px${more === '' ? '' : `;${more}`}`;
}

export function space(height: number): Markup {
  return html`<div style="height:${height}px;font-size:0;line-height:${height}px">&nbsp;</div>`;
}

/** Style of numbers that are below each other. */
export const FIGURES = 'font-variant-numeric:tabular-nums;white-space:nowrap';

/** A table that arranges content and is not a table of data. */
export function layout(row: Markup): Markup {
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed">
    ${row}
    </table>`;
}

/** A box over the whole width, with a gap below it. `look` has its attributes. */
export const box = (look: Markup, content: Block): Block => ({
  html: html`<tr><td${look}>
    ${content.html}
    </td></tr>
    <tr><td height="16" style="font-size:0;line-height:0">&nbsp;</td></tr>`,
  text: content.text,
});

/** A card whose blocks have gaps between them. */
export function card(...blocks: readonly (Block | null)[]): Block {
  const edges = 'border:1px solid;border-radius:16px;padding:22px 20px';
  return box(paint({ fill: 'card', edge: 'line' }, edges, 'roomy'), spaced(...blocks));
}

/** Blocks with gaps between them, outside a card. */
export function plainRow(...blocks: readonly (Block | null)[]): Block {
  const content = spaced(...blocks);
  const row = html`<tr><td style="padding:0 12px 16px">
    ${content.html}
    </td></tr>`;
  return { html: row, text: content.text };
}

/** The heading of a card. A note may be at its right. */
export function heading(title: string, note: string | null = null): Block {
  const name = html`<h2${paint({ ink: 'text' }, textStyle(16, 'margin:0;font-weight:700'))}>${title}</h2>`;
  if (note === null) return { html: name, text: underlined(title) };
  const beside = html`<td align="right" valign="bottom"${paint({ ink: 'secondary' }, textStyle(14))}>${note}</td>`;
  const row = layout(html`<tr><td valign="bottom">${name}</td>${beside}</tr>`);
  return { html: row, text: underlined(`${title} (${note})`) };
}

/** A paragraph. `above` is its distance from the previous block (px). */
export function paragraph(text: string | Markup, size: Size, ink: Colour, above = 0): Block {
  return textBlock(html`<p${paint({ ink }, textStyle(size, `margin:${above}px 0 0`))}>${text}</p>`);
}

const linkLines = (label: string, address: string) => [`${label}:`, webAddress(address)];

/** A button. `around` is the space above and below it (px). It is a coloured cell, which Outlook can also draw. */
export function button(label: string, address: string, around: number): Block {
  const link = 'display:inline-block;padding:13px 26px;font-weight:700;text-decoration:none';
  const markup = html`<div style="padding:${around}px 0"><table role="presentation" cellpadding="0" cellspacing="0" border="0" align="center">
    <tr><td align="center"${paint({ fill: 'accent' }, 'border-radius:10px;mso-padding-alt:13px 26px')}>
    <a href="${webAddress(address)}"${paint({ ink: 'on-accent' }, textStyle(16, link))}>${label}</a>
    </td></tr>
    </table></div>`;
  return { html: markup, text: linkLines(label, address) };
}

/** A link within text. It is underlined, because colour alone is not a sufficient sign. */
export function link(label: string, address: string, ink: Colour = 'accent'): Markup {
  return html`<a href="${webAddress(address)}"${paint({ ink }, 'text-decoration:underline')}>${label}</a>`;
}

export function linkParagraph(label: string, address: string, above: number): Block {
  const { html: markup } = paragraph(link(label, address), 14, 'secondary', above);
  return { html: markup, text: linkLines(label, address) };
}
