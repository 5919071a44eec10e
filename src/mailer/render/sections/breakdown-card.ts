import type { SignalRow } from '#views/model.ts';
import { pointsTotal } from '#views/signal-view.ts';
import { cardRow, heading, paragraph, space, writing } from '../blocks.ts';
import { columnHead, dataTable, figureCell, rowHead } from '../data-table.ts';
import { shareBar } from '../mail-bars.ts';
import { html, type Markup } from '../markup.ts';
import { paint } from '../paint.ts';
import { type WeeklySignalWords, WORDS } from '../weekly-signal-words.ts';

/** Percent of the table, at 320 px just enough for '22.22%' and '13.865'. */
const WIDTHS = { input: 40, score: 15, weight: 22, points: 23 } as const;
const PADDING = 8;

function inputRow({ name, note, score, weightText, points }: SignalRow): Markup {
  const noted = html`<br><span${paint({ ink: 'secondary' }, writing(12))}>${note}</span>`;
  const head = html`${name}${note === null ? null : noted}${space(5)}${shareBar(score.value)}`;
  return html`<tr valign="top">
    ${rowHead(head, PADDING)}
    ${figureCell(score.text, PADDING)}
    ${figureCell(weightText, PADDING, { quiet: true })}
    ${figureCell(points.text, PADDING, { bold: true })}
    </tr>`;
}

/** The seven inputs: own score, times weight, gives points, which add up to the score. */
export function breakdownCard({ view, inputsText }: WeeklySignalWords): Markup {
  const { columns } = WORDS;
  const head = html`<tr>
    ${columnHead(columns.input, WIDTHS.input, 'left')}
    ${columnHead(columns.score, WIDTHS.score, 'right')}
    ${columnHead(columns.weight, WIDTHS.weight, 'right')}
    ${columnHead(columns.points, WIDTHS.points, 'right')}
    </tr>`;
  const sum = html`<tr>
    ${rowHead(WORDS.sum, PADDING, { bold: true })}
    ${figureCell('', PADDING)}
    ${figureCell(WORDS.sumOfWeights, PADDING, { quiet: true })}
    ${figureCell(pointsTotal(view), PADDING, { bold: true })}
    </tr>`;
  return cardRow(html`
    ${heading(WORDS.breakdown)}
    ${space(10)}
    ${dataTable([head, ...view.rows.map(inputRow), sum])}
    ${paragraph(inputsText, 12, 'secondary', 6)}`);
}
