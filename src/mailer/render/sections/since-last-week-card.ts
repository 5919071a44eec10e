import { cardRow, FIGURES, heading, paragraph, space, writing } from '../blocks.ts';
import { dataTable, drawnCell, figureCell, rowHead } from '../data-table.ts';
import { changeBar, type Reach } from '../mail-bars.ts';
import { TONE_HUES } from '../mail-colours.ts';
import { html, type Markup } from '../markup.ts';
import { paint } from '../paint.ts';
import { type WeeklySignalWords, WORDS } from '../weekly-signal-words.ts';

type SinceLastWeek = NonNullable<WeeklySignalWords['view']['sinceLastWeek']>;

const WIDTHS = { name: 54, bar: 30, change: 16 } as const;
const PADDING = 6;

function reachOf(changes: readonly number[]): Reach {
  return { down: -Math.min(0, ...changes), up: Math.max(0, ...changes) };
}

/** The change of each input's points, and the sum. */
function partsTable(parts: NonNullable<SinceLastWeek['parts']>, sum: string): Markup {
  const reach = reachOf(parts.map(({ change }) => change.value ?? 0));
  const rows = parts.map(
    ({ name, change }) => html`<tr>
      ${rowHead(name, PADDING, {}, WIDTHS.name)}
      ${drawnCell(changeBar(change.value ?? 0, reach), WIDTHS.bar)}
      ${figureCell(change.text, PADDING, {}, WIDTHS.change)}
      </tr>`,
  );
  const last = html`<tr>
    ${rowHead(WORDS.together, PADDING, { bold: true })}
    ${drawnCell(null)}
    ${figureCell(sum, PADDING, { bold: true })}
    </tr>`;
  return dataTable([...rows, last]);
}

/** The change since last week with all its parts, or why there is none. */
export function sinceLastWeekCard({ view, sinceText }: WeeklySignalWords): Markup {
  const { sinceLastWeek } = view;
  if (sinceLastWeek === null || sinceText === null) {
    return cardRow(html`${heading(WORDS.since)}${paragraph(WORDS.noWeekBefore, 14, 'secondary', 6)}`);
  }
  const { title, dateText, change, tone, parts } = sinceLastWeek;
  const figure = paint({ ink: `${TONE_HUES[tone]}-word` }, writing(28, `font-weight:700;${FIGURES}`));
  return cardRow(html`
    ${heading(title, dateText)}
    <p${paint({ ink: 'text' }, writing(16, 'margin:4px 0 0'))}><span${figure}>${change.text}</span> ${sinceText}</p>
    ${parts === null ? null : html`${space(12)}${partsTable(parts, change.text)}`}`);
}
