import { boxRow, cardRow, FIGURES, layout, paragraph, plainRow, space, writing } from '../blocks.ts';
import { bracket, scale } from '../mail-bars.ts';
import { VERDICT_HUES } from '../mail-colours.ts';
import { html, type Markup } from '../markup.ts';
import { paint } from '../paint.ts';
import { type WeeklySignalWords, WORDS } from '../weekly-signal-words.ts';

/** Notice of a demonstration, above everything else. */
export function demoNotice({ notice }: WeeklySignalWords): Markup {
  if (notice === null) return html``;
  const box = writing(14, 'border:1px solid;border-radius:10px;padding:10px 11px');
  return boxRow(
    paint({ ink: 'text', fill: 'raised', edge: 'notice' }, box),
    html`<strong${paint({ ink: 'notice' })}>${notice.title}</strong><br>${notice.text}`,
  );
}

export function masthead({ productName, view }: WeeklySignalWords): Markup {
  const name = html`<strong${paint({ ink: 'text' }, writing(20))}>${productName}</strong>`;
  return plainRow(html`<p${paint({ ink: 'secondary' }, writing(14, 'margin:0'))}>${name}&nbsp; ${WORDS.kind}<br>
    ${WORDS.asOf} ${view.asOf.text}</p>`);
}

/** The zones' names over the scale, the score's own in its colour and bold. */
function zoneNames({ view, zones }: WeeklySignalWords): Markup {
  const names = view.zones.map(({ verdict, from, to }, at) => {
    const isOwn = verdict === view.verdict;
    const look = isOwn
      ? paint({ ink: `${VERDICT_HUES[verdict]}-word` }, writing(12, 'font-weight:700'))
      : paint({ ink: 'secondary' }, writing(12));
    return html`<td width="${to - from}%" align="center"${look}>${verdict}<br>${zones[at]?.span ?? ''}</td>`;
  });
  return layout(html`<tr>${names}</tr>`);
}

/** The hero: the verdict and its score, why, where on the scale, and what is left open. */
export function verdictCard(words: WeeklySignalWords): Markup {
  const { verdict, score, headline, range, zones } = words.view;
  const word = paint({ ink: `${VERDICT_HUES[verdict]}-word` }, writing(44, 'font-weight:800'));
  const figure = paint({ ink: 'text' }, writing(28, `font-weight:400;${FIGURES}`));
  const unit = paint({ ink: 'secondary' }, writing(14));
  const drawn = zones.map(({ verdict: of, from, to }) => ({ from, to, hue: VERDICT_HUES[of] }));
  return cardRow(html`
    <h1 style="margin:0"><span${word}>${verdict}</span>&nbsp;
    <span${figure}>${score.text} <span${unit}>${WORDS.ofScale}</span></span></h1>
    ${paragraph(headline, 20, 'text', 6)}
    ${space(18)}
    ${zoneNames(words)}
    ${scale(drawn, score.value ?? 0, 14)}
    ${range === null ? null : html`${bracket(range.low, range.high)}${paragraph(range.text, 14, 'secondary', 8)}`}`);
}
