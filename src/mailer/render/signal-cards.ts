import type { Verdict } from '#domain/bands/score-bands.ts';
import { nextText, pointsTotal } from '#views/signal-view.ts';
import type { WeeklySignalView } from '#views/weekly-signal-view.ts';
import { FEAR_GREED_ZONES, VERDICT_HUES } from '#views/zones.ts';
import {
  type Block,
  box,
  card,
  drawing,
  FIGURES,
  heading,
  layout,
  paragraph,
  space,
  stacked,
  textBlock,
  textStyle,
} from './blocks.ts';
import { dataTable } from './data-table.ts';
import { bracket, changeBar, scale, shareBar } from './mail-bars.ts';
import { wrapped } from './mail-text.ts';
import { html, type Markup } from './markup.ts';
import { paint } from './paint.ts';

/** The notice about demonstration data; null for real data. */
export function demoNotice({ demo }: WeeklySignalView): Block | null {
  if (demo === null) return null;
  const edges = textStyle(14, 'border:1px solid;border-radius:10px;padding:10px 11px');
  return box(paint({ ink: 'text', fill: 'raised', edge: 'notice' }, edges), {
    html: html`<strong${paint({ ink: 'notice' })}>${demo.text}</strong><br>${demo.title}`,
    text: [...wrapped(`*** ${demo.text} ***`), ...wrapped(demo.title)],
  });
}

const SCALE_CHARACTERS = { own: '+', other: '-', cut: '|', mark: '#' } as const;
const SCALE_COLUMNS = 60;

const columnOf = (value: number) => Math.min(SCALE_COLUMNS - 1, Math.floor((value / 100) * SCALE_COLUMNS));

/** Returns the score among the zones as text, for example '[-------|++#++|------]'. */
function plainScale(view: WeeklySignalView): string {
  const characters: string[] = view.zones.flatMap(({ verdict, from, to }) =>
    Array.from({ length: columnOf(to) - columnOf(from) + (to === 100 ? 1 : 0) }, (_, at) => {
      if (at === 0 && from > 0) return SCALE_CHARACTERS.cut;
      return verdict === view.verdict ? SCALE_CHARACTERS.own : SCALE_CHARACTERS.other;
    }),
  );
  characters.splice(columnOf(view.score.value ?? 0), 1, SCALE_CHARACTERS.mark);
  return `[${characters.join('')}]`;
}

/** Draws the scale with the names of its zones. The name of the zone that contains the score is bold and coloured. */
function zoneScale(view: WeeklySignalView): Block {
  const { verdict: own, score, range, zones } = view;
  const names = zones.map(({ verdict, from, to }) => {
    const look =
      verdict === own
        ? paint({ ink: `${VERDICT_HUES[verdict]}-word` }, textStyle(12, 'font-weight:700'))
        : paint({ ink: 'secondary' }, textStyle(12));
    return html`<td width="${to - from}%" align="center"${look}>${verdict}<br>${from}–${to}</td>`;
  });
  const hues = zones.map(({ verdict, from, to }) => ({ from, to, hue: VERDICT_HUES[verdict] }));
  const spans = zones.map(({ verdict, from, to }) => `${verdict} ${from}–${to}`);
  return {
    html: html`${layout(html`<tr>${names}</tr>`)}
      ${scale(hues, score.value ?? 0, 14)}
      ${range && bracket(range.low, range.high)}`,
    text: [...wrapped(spans.join(' | ')), plainScale(view)],
  };
}

export function verdictTitle(verdict: Verdict, score: string): Block {
  const word = paint({ ink: `${VERDICT_HUES[verdict]}-word` }, textStyle(44, 'font-weight:800'));
  const figure = paint({ ink: 'text' }, textStyle(28, `font-weight:400;${FIGURES}`));
  const unit = paint({ ink: 'secondary' }, textStyle(14));
  return {
    html: html`<h1 style="margin:0"><span${word}>${verdict}</span>&nbsp;
      <span${figure}>${score} <span${unit}>of 100</span></span></h1>`,
    text: [`${verdict}  ${score} of 100`],
  };
}

/** The verdict with its score, headline and position on the scale; the range of the score if data are incomplete. */
export function verdictCard(view: WeeklySignalView): Block {
  const { verdict, score, headline, effectsNote, range } = view;
  return card(
    verdictTitle(verdict, score.text),
    paragraph(headline, 20, 'text', 6),
    effectsNote === null ? null : paragraph(effectsNote, 14, 'secondary', 4),
    drawing(space(18)),
    zoneScale(view),
    range && paragraph(range.text, 14, 'secondary', 8),
  );
}

type SinceLastWeek = NonNullable<WeeklySignalView['sinceLastWeek']>;

/** A table of the change of each input's points, and of the sum of these changes. */
function partsTable(parts: NonNullable<SinceLastWeek['parts']>, sum: string): Block {
  const changes = parts.map(({ change }) => change.value ?? 0);
  const reach = { down: -Math.min(0, ...changes), up: Math.max(0, ...changes) };
  return dataTable({
    padding: 6,
    columns: [{ width: 54 }, { width: 30 }, { width: 16 }],
    rows: parts.map(({ name, change }) => ({
      name,
      cells: [changeBar(change.value ?? 0, reach), change.text],
    })),
    sum: { name: 'Together', cells: [html``, sum] },
  });
}

const TONE_HUES = { positive: 'growth', negative: 'fall', neutral: 'flat' } as const;

/** A card with the change since last week by input, or with the reason why no change is known. */
export function sinceLastWeekCard({ sinceLastWeek, verdict }: WeeklySignalView): Block {
  if (sinceLastWeek === null) {
    const none = 'There was no signal a week before to compare with.';
    return card(stacked(heading('Since last week'), paragraph(none, 14, 'secondary', 6)));
  }
  const { title, dateText, change, tone, parts, text, verdict: before } = sinceLastWeek;
  const figure = paint({ ink: `${TONE_HUES[tone]}-word` }, textStyle(28, `font-weight:700;${FIGURES}`));
  const then = `The verdict was ${before} then${before === verdict ? ' as well' : ''}.`;
  // The page's sentence names only the largest changes. The mail lists all changes instead, if they are known.
  const rest = `points. ${then}${parts === null ? ` ${text}.` : ''}`;
  const line = html`<p${paint({ ink: 'text' }, textStyle(16, 'margin:4px 0 0'))}><span${figure}>${change.text}</span> ${rest}</p>`;
  return card(
    stacked(heading(title, dateText), textBlock(line)),
    parts && stacked(drawing(space(12)), partsTable(parts, change.text)),
  );
}

/** A card with the score, weight and points of the seven inputs. The points add up to the score of the signal. */
export function breakdownCard(view: WeeklySignalView): Block {
  const table = dataTable({
    padding: 8,
    titles: ['Input', 'Score', 'Weight', 'Points'],
    // In a window of 320 px, the texts '22.22%' and '13.865' just fit into these widths.
    columns: [{ width: 40 }, { width: 15 }, { width: 22, quiet: true }, { width: 23, bold: true }],
    rows: view.rows.map(({ name, note, score, weightText, points }) => ({
      name,
      note,
      below: html`${space(5)}${shareBar(score.value)}`,
      cells: [score.text, weightText, points.text],
    })),
    sum: { name: 'Weighted score', cells: ['', '100%', pointsTotal(view)] },
  });
  return card(
    stacked(heading('Signal Breakdown'), drawing(space(10)), table),
    paragraph(view.measuredText, 12, 'secondary', 6),
  );
}

/** The name of a zone of Fear & Greed is also the name of its hue. */
const ZONES = FEAR_GREED_ZONES.map(({ from, to, zone }) => ({ from, to, hue: zone }));

/** A card with Fear & Greed on its scale, and with its value a week ago. */
export function fearGreedCard({ fearGreed }: WeeklySignalView): Block | null {
  if (fearGreed === null) return null;
  const { current, lastWeek } = fearGreed;
  const figure = paint({ ink: 'text' }, textStyle(28, FIGURES));
  const label = paint({ ink: `${current.zone}-word` }, textStyle(16));
  const now = html`<p style="margin:2px 0 6px"><span${figure}>${current.text}</span>&nbsp; <strong${label}>${current.label}</strong></p>`;
  const before =
    lastWeek &&
    html`A week before, ${lastWeek.dateText}: <strong${paint({ ink: 'text' }, FIGURES)}>${lastWeek.text}</strong> ${lastWeek.label}`;
  return card(
    stacked(
      heading('Fear & Greed'),
      textBlock(now),
      drawing(scale(ZONES, current.value, 10)),
      before && paragraph(before, 14, 'secondary', 8),
    ),
  );
}

function entry(title: string, content: Markup): Block {
  const name = heading(title);
  const look = paint({ ink: 'text' }, textStyle(14, 'padding-top:2px'));
  const row = layout(html`<tr>
    <td width="32%" valign="top" style="padding-right:10px">${name.html}</td>
    <td width="68%" valign="top"${look}>${content}</td>
    </tr>`);
  return { html: row, text: [...name.text, ...textBlock(content).text] };
}

/** A card with the distance to the next verdict, and the close of the S&P 500. */
export function nextAndPriceCard({ next, sp500 }: WeeklySignalView): Block | null {
  if (next === null && sp500 === null) return null;
  const look = paint({ ink: 'text' }, textStyle(16, FIGURES));
  return card(
    next && entry(next.title, html`${nextText(next)}`),
    next && sp500 && drawing(space(14)),
    sp500 && entry(sp500.name, html`<strong${look}>${sp500.price.text}</strong> ${sp500.atText}`),
  );
}
