import { type Figure, isMet, timesPeer } from './figure.ts';
import type { Result } from './results.ts';

const written = (value: number) =>
  Number.isNaN(value)
    ? 'not measured'
    : value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 100 ? 3 : 0 });

const amount = (value: number, unit: string) => `${written(value)} ${unit}`.trim();

function peerText(figure: Figure): string {
  if (figure.peer === undefined) return '';
  const { name, value } = figure.peer;
  const times = timesPeer(figure);
  return `${name} ${amount(value, figure.unit)} (${times.toFixed(times < 10 ? 2 : 1)} times)`;
}

function boundText({ bound }: Figure): string {
  if (bound === undefined) return '';
  const { atLeast, atMost, exactly, timesPeer: times } = bound;
  return [
    atLeast === undefined ? [] : [`≥ ${written(atLeast)}`],
    atMost === undefined ? [] : [`≤ ${written(atMost)}`],
    exactly === undefined ? [] : [`= ${written(exactly)}`],
    times === undefined ? [] : [`≥ ${written(times)} times`],
  ]
    .flat()
    .join(', ');
}

const verdictOf = (figure: Figure) =>
  figure.bound === undefined ? '' : `${boundText(figure)}: ${isMet(figure) ? 'met' : 'NOT MET'}`;

/** One line per measurement: name, value, the peer's value, and whether the value is within its bound. */
export function textTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.what,
    amount(figure.value, figure.unit),
    peerText(figure),
    verdictOf(figure),
  ]);
  const widest = (column: number) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0));
  const widths = [widest(0), Math.max(14, widest(1)), widest(2)] as const;
  return rows
    .map(([what = '', value = '', peer = '', verdict = '']) =>
      `  ${what.padEnd(widths[0])}  ${value.padStart(widths[1])}   ${peer.padEnd(widths[2])}  ${verdict}`.trimEnd(),
    )
    .join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|');

/** Selects results for a document: those whose bound is a multiple of a peer's value, and those that miss their bound. */
const isListed = (figure: Figure) => figure.bound?.timesPeer !== undefined || !isMet(figure);

/** The results of a benchmark that `isListed` selects, as a section of a Markdown document. */
export function markdownTable({ bench, takenAt, machine, figures }: Result): string {
  const rows = figures.filter(isListed).map((figure) => {
    const value = [amount(figure.value, figure.unit), peerText(figure)].filter((text) => text !== '');
    return [figure.what, value.join('; '), verdictOf(figure)].map(cell).join(' | ');
  });
  const source = `\`npm run bench -- ${bench}\`, ${takenAt.slice(0, 10)}, ${machine.cores} cores, Node ${machine.node}, ${machine.platform}.`;
  if (rows.length === 0) return [`### ${bench}`, '', `${source} All bounds are met.`].join('\n');
  return [
    `### ${bench}`,
    '',
    `${source} All other bounds are met.`,
    '',
    '| what | figure | bound |',
    '|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}
