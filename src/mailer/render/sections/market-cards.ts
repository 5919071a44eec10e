import { cardRow, FIGURES, heading, layout, paragraph, space, writing } from '../blocks.ts';
import { scale } from '../mail-bars.ts';
import { FEAR_GREED_ZONES } from '../mail-colours.ts';
import { html, type Markup } from '../markup.ts';
import { paint } from '../paint.ts';
import { type WeeklySignalWords, WORDS } from '../weekly-signal-words.ts';

/** Fear & Greed on its scale, and where it stood a week before. */
export function fearGreedCard({ view }: WeeklySignalWords): Markup {
  if (view.fearGreed === null) return html``;
  const { current, lastWeek } = view.fearGreed;
  const figure = paint({ ink: 'text' }, writing(28, FIGURES));
  const label = paint({ ink: `${current.zone}-word` }, writing(16));
  const then =
    lastWeek === null
      ? null
      : paragraph(
          html`${WORDS.lastWeek}, ${lastWeek.dateText}: <strong${paint({ ink: 'text' }, FIGURES)}>${lastWeek.text}</strong> ${lastWeek.label}`,
          14,
          'secondary',
          8,
        );
  return cardRow(html`
    ${heading(WORDS.fearGreed)}
    <p style="margin:2px 0 6px"><span${figure}>${current.text}</span>&nbsp; <strong${label}>${current.label}</strong></p>
    ${scale(FEAR_GREED_ZONES, current.value, 10)}
    ${then}`);
}

function entry(title: string, said: string | Markup): Markup {
  const look = paint({ ink: 'text' }, writing(14, 'padding-top:2px'));
  return layout(html`<tr>
    <td width="32%" valign="top" style="padding-right:10px">${heading(title)}</td>
    <td width="68%" valign="top"${look}>${said}</td>
    </tr>`);
}

/** The way to the next verdict, and where the index closed. */
export function nextCard({ view: { next, sp500 } }: WeeklySignalWords): Markup {
  const price = (text: string) =>
    html`<strong${paint({ ink: 'text' }, writing(16, FIGURES))}>${text}</strong> ${WORDS.close}`;
  const entries = [
    ...(next === null ? [] : [entry(next.title, next.text)]),
    ...(sp500 === null ? [] : [entry(sp500.name, price(sp500.price.text))]),
  ];
  if (entries.length === 0) return html``;
  return cardRow(html`${entries.map((one, at) => (at === 0 ? one : html`${space(14)}${one}`))}`);
}
