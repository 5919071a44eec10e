import { pointsTotal } from '#views/signal-view.ts';
import { webAddress } from './mail-text.ts';
import { COLUMNS, type PlainRow, plainTable, underlined, wrapped } from './plain.ts';
import { type WeeklySignalWords, WORDS } from './weekly-signal-words.ts';

/** Signs a zone is drawn with: its own, and the others. */
const DRAWN = { own: '+', other: '-', cut: '|', mark: '#' } as const;
const SCALE_COLUMNS = 60;

const columnOf = (value: number) => Math.min(SCALE_COLUMNS - 1, Math.floor((value / 100) * SCALE_COLUMNS));

/** '[-------|++#++|------]': the score among the zones. */
function drawnScale({ view }: WeeklySignalWords): string {
  const signs: string[] = view.zones.flatMap(({ verdict, from, to }) =>
    Array.from({ length: columnOf(to) - columnOf(from) + (to === 100 ? 1 : 0) }, (_, at) => {
      if (at === 0 && from > 0) return DRAWN.cut;
      return verdict === view.verdict ? DRAWN.own : DRAWN.other;
    }),
  );
  signs.splice(columnOf(view.score.value ?? 0), 1, DRAWN.mark);
  return `[${signs.join('')}]`;
}

function since({ view, sinceText }: WeeklySignalWords): string[] {
  const { sinceLastWeek } = view;
  if (sinceLastWeek === null || sinceText === null) {
    return [...underlined(WORDS.since), ...wrapped(WORDS.noWeekBefore)];
  }
  const { title, dateText, change, parts } = sinceLastWeek;
  const rows = (parts ?? []).map(
    ({ name, change: part }): PlainRow => ({ name: [name], figures: [part.text] }),
  );
  const sum: PlainRow = { name: [WORDS.together], figures: [change.text] };
  return [
    ...underlined(`${title} (${dateText})`),
    ...wrapped(`${change.text} ${sinceText}`),
    ...(parts === null ? [] : ['', ...plainTable([...rows, null, sum])]),
  ];
}

function breakdown({ view, inputsText }: WeeklySignalWords): string[] {
  const { input, score, weight, points } = WORDS.columns;
  return [
    ...underlined(WORDS.breakdown),
    ...plainTable([
      { name: [input], figures: [score, weight, points] },
      null,
      ...view.rows.map((row) => ({
        name: row.note === null ? [row.name] : [row.name, `(${row.note})`],
        figures: [row.score.text, row.weightText, row.points.text],
      })),
      null,
      { name: [WORDS.sum], figures: ['', WORDS.sumOfWeights, pointsTotal(view)] },
    ]),
    '',
    ...wrapped(inputsText),
  ];
}

function market({ view }: WeeklySignalWords): string[] {
  const { fearGreed, next, sp500 } = view;
  const lines: string[] = [];
  if (fearGreed !== null) {
    const { current, lastWeek } = fearGreed;
    lines.push(...underlined(WORDS.fearGreed), ...wrapped(`${current.text} ${current.label}`));
    if (lastWeek !== null) {
      lines.push(...wrapped(`${WORDS.lastWeek}, ${lastWeek.dateText}: ${lastWeek.text} ${lastWeek.label}`));
    }
    lines.push('');
  }
  if (next !== null) lines.push(...underlined(next.title), ...wrapped(next.text), '');
  if (sp500 !== null)
    lines.push(...underlined(sp500.name), ...wrapped(`${sp500.price.text} ${WORDS.close}`), '');
  return lines;
}

/** The plain part of the weekly signal: lines of at most 72 columns, save for links, which stand on their own. */
export function weeklySignalText(words: WeeklySignalWords): string {
  const { view, productName, notice, zones, why, postalAddress } = words;
  const lines = [
    ...(notice === null ? [] : [...wrapped(`*** ${notice.title} ***`), ...wrapped(notice.text), '']),
    ...wrapped(`${productName} - ${WORDS.kind}`),
    ...wrapped(`${WORDS.asOf} ${view.asOf.text}`),
    '',
    `${view.verdict}  ${view.score.text} ${WORDS.ofScale}`,
    '',
    ...wrapped(view.headline),
    '',
    ...wrapped(zones.map(({ verdict, span }) => `${verdict} ${span}`).join(' | ')),
    drawnScale(words),
    ...(view.range === null ? [] : ['', ...wrapped(view.range.text)]),
    '',
    ...since(words),
    '',
    ...breakdown(words),
    '',
    ...market(words),
    `${WORDS.open}:`,
    webAddress(words.dashboardUrl),
    '',
    '-'.repeat(COLUMNS),
    ...wrapped(view.disclaimer),
    '',
    ...wrapped(why),
    ...(postalAddress === null ? [] : ['', ...wrapped(postalAddress)]),
    '',
    `${WORDS.unsubscribe}:`,
    webAddress(words.unsubscribeUrl),
  ];
  return `${lines.join('\n')}\n`;
}
