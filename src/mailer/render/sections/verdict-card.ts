import type { WeeklySignalView } from '#views/model.ts';
import {
  type Block,
  box,
  card,
  drawing,
  FIGURES,
  layout,
  paragraph,
  plainRow,
  space,
  textStyle,
} from '../blocks.ts';
import { bracket, scale } from '../mail-bars.ts';
import { VERDICT_HUES } from '../mail-colours.ts';
import { html } from '../markup.ts';
import { paint } from '../paint.ts';
import { wrapped } from '../plain.ts';

/** Notices about demonstration data. The page's notices also mention embedded charts, which a mail does not have. */
const DEMO = {
  simulated: 'These numbers come from a simulated market with invented companies.',
  replay: 'These numbers are past market data, moved to today for demonstration.',
} as const;

/** The notice about demonstration data; null for real data. */
export function demoNotice({ demo }: WeeklySignalView): Block | null {
  if (demo === null) return null;
  const edges = textStyle(14, 'border:1px solid;border-radius:10px;padding:10px 11px');
  return box(paint({ ink: 'text', fill: 'raised', edge: 'notice' }, edges), {
    html: html`<strong${paint({ ink: 'notice' })}>${demo.text}</strong><br>${DEMO[demo.kind]}`,
    text: [...wrapped(`*** ${demo.text} ***`), ...wrapped(DEMO[demo.kind])],
  });
}

export function masthead(productName: string, { asOf }: WeeklySignalView): Block {
  const kind = 'Weekly signal';
  const name = html`<strong${paint({ ink: 'text' }, textStyle(20))}>${productName}</strong>`;
  return plainRow({
    html: html`<p${paint({ ink: 'secondary' }, textStyle(14, 'margin:0'))}>${name}&nbsp; ${kind}<br>
      As of ${asOf.text}</p>`,
    text: [...wrapped(`${productName} - ${kind}`), ...wrapped(`As of ${asOf.text}`)],
  });
}

/** Characters with which the plain text draws the scale. */
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

/**
 * A card with the verdict, its score, its headline and its position on the scale. If data are incomplete, it also has
 * the range of the score.
 */
export function verdictCard(view: WeeklySignalView): Block {
  const { verdict, score, headline, range } = view;
  const word = paint({ ink: `${VERDICT_HUES[verdict]}-word` }, textStyle(44, 'font-weight:800'));
  const figure = paint({ ink: 'text' }, textStyle(28, `font-weight:400;${FIGURES}`));
  const unit = paint({ ink: 'secondary' }, textStyle(14));
  const title: Block = {
    html: html`<h1 style="margin:0"><span${word}>${verdict}</span>&nbsp;
      <span${figure}>${score.text} <span${unit}>of 100</span></span></h1>`,
    text: [`${verdict}  ${score.text} of 100`],
  };
  return card(
    title,
    paragraph(headline, 20, 'text', 6),
    drawing(space(18)),
    zoneScale(view),
    range && paragraph(range.text, 14, 'secondary', 8),
  );
}
