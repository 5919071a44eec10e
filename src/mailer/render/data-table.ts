import { type Block, FIGURES, textStyle } from './blocks.ts';
import { type PlainRow, plainTable } from './mail-text.ts';
import { html, type Markup } from './markup.ts';
import { paint } from './paint.ts';

interface Column {
  /** Width as a percentage of the table. */
  readonly width: number;
  readonly quiet?: boolean;
  readonly bold?: boolean;
}

interface Row {
  readonly name: string;
  /** A note below the name; null for none. */
  readonly note?: string | null;
  /** A drawing below the name and its note. */
  readonly below?: Markup;
  /** Figures are texts, drawings are markup. */
  readonly cells: readonly (string | Markup)[];
}

/** A table of data. For each cell, a screen reader also reads the heading of its column. */
interface DataTable {
  /** Vertical padding of a cell (px). */
  readonly padding: number;
  /** Titles of all columns. The first one is the title of the names. */
  readonly titles?: readonly string[];
  /** The columns, the first of which has the names. */
  readonly columns: readonly [Column, ...Column[]];
  readonly rows: readonly Row[];
  /** The last row, in bold type. */
  readonly sum: Row;
}

const isFigure = (cell: string | Markup) => typeof cell === 'string';

export function dataTable({ padding, titles, columns: [names, ...columns], rows, sum }: DataTable): Block {
  const look = ({ quiet = false, bold = false }: Partial<Column>, more = '') => {
    const weight = `border-top:1px solid;padding:${padding}px 0;font-weight:${bold ? 700 : 400}`;
    return paint({ ink: quiet ? 'secondary' : 'text', edge: 'line' }, textStyle(14, `${weight}${more}`));
  };
  const drawRow = (row: Row): Markup => {
    const isSum = row === sum;
    const noted = html`<br><span${paint({ ink: 'secondary' }, textStyle(12))}>${row.note ?? ''}</span>`;
    const drawing = paint({ edge: 'line' }, 'border-top:1px solid;padding:0 10px');
    const cells = columns.map((column, at) => {
      const cell = row.cells[at] ?? '';
      if (!isFigure(cell)) return html`<td width="${column.width}%" valign="middle"${drawing}>${cell}</td>\n`;
      const own = look({ ...column, bold: column.bold ?? (isSum && !column.quiet) }, `;${FIGURES}`);
      return html`<td width="${column.width}%" align="right"${own}>${cell}</td>\n`;
    });
    return html`<tr valign="top">
      <th scope="row" width="${names.width}%" align="left"${look({ bold: isSum })}>${row.name}${row.note == null ? null : noted}${row.below ?? null}</th>
      ${cells}</tr>`;
  };
  const head = titles?.map((title, at) => {
    const own = paint({ ink: 'secondary' }, textStyle(12, 'font-weight:400;padding:0 0 6px'));
    const { width } = columns[at - 1] ?? names;
    return html`<th scope="col" width="${width}%" align="${at === 0 ? 'left' : 'right'}"${own}>${title}</th>\n`;
  });
  const plain = ({ name, note = null, cells }: Row): PlainRow => ({
    name: note === null ? [name] : [name, `(${note})`],
    figures: cells.filter(isFigure),
  });
  const [first = '', ...others] = titles ?? [];
  return {
    html: html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed">
      ${head === undefined ? null : html`<tr>${head}</tr>\n`}${[...rows, sum].map(drawRow)}
      </table>`,
    text: plainTable([
      ...(titles === undefined ? [] : [{ name: [first], figures: others }, null]),
      ...rows.map(plain),
      null,
      plain(sum),
    ]),
  };
}
