import { button, link, paragraph, plainRow } from '../blocks.ts';
import { html, type Markup } from '../markup.ts';
import { type WeeklySignalWords, WORDS } from '../weekly-signal-words.ts';

/** The way to the dashboard, what the signal is not, why this mail came, and the way out. */
export function closing(words: WeeklySignalWords): Markup {
  const { view, why, postalAddress, dashboardUrl, unsubscribeUrl } = words;
  return html`${plainRow(html`<div style="padding:8px 0">${button(WORDS.open, dashboardUrl)}</div>`)}
    ${plainRow(html`${paragraph(view.disclaimer, 12, 'secondary')}
    ${paragraph(why, 12, 'secondary', 10)}
    ${postalAddress === null ? null : paragraph(postalAddress, 12, 'secondary', 10)}
    ${paragraph(link(WORDS.unsubscribe, unsubscribeUrl), 14, 'secondary', 10)}`)}`;
}
