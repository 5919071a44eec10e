import type { WeeklySignalView } from '#views/model.ts';
import { button, link, paragraph, plainRow } from './blocks.ts';
import { mailPage, type RenderedMail } from './mail-page.ts';
import { html, type Markup } from './markup.ts';
import { breakdownCard } from './sections/breakdown-card.ts';
import { fearGreedCard, nextCard } from './sections/market-cards.ts';
import { sinceLastWeekCard } from './sections/since-last-week-card.ts';
import { demoNotice, masthead, verdictCard } from './sections/verdict-card.ts';
import { weeklySignalText } from './weekly-signal-text.ts';
import { type SignalFrame, type WeeklySignalWords, WORDS, weeklySignalWords } from './weekly-signal-words.ts';

/** Dashboard link, disclaimer, the reason for the mail, and the unsubscribe link. */
function closing(words: WeeklySignalWords): Markup {
  const { view, why, postalAddress, dashboardUrl, unsubscribeUrl } = words;
  return html`${plainRow(html`<div style="padding:8px 0">${button(WORDS.open, dashboardUrl)}</div>`)}
    ${plainRow(html`${paragraph(view.disclaimer, 12, 'secondary')}
    ${paragraph(why, 12, 'secondary', 10)}
    ${postalAddress === null ? null : paragraph(postalAddress, 12, 'secondary', 10)}
    ${paragraph(link(WORDS.unsubscribe, unsubscribeUrl), 14, 'secondary', 10)}`)}`;
}

const SECTIONS = [
  demoNotice,
  masthead,
  verdictCard,
  sinceLastWeekCard,
  breakdownCard,
  fearGreedCard,
  nextCard,
  closing,
] as const;

/** The mail of a week for one subscriber. Throws if an address of the frame is not an http(s) URL. */
export function renderWeeklySignal(view: WeeklySignalView, frame: SignalFrame): RenderedMail {
  const words = weeklySignalWords(view, frame);
  const { subject, headline } = words.view;
  const rows = SECTIONS.map((section) => section(words));
  return {
    subject,
    html: mailPage({ title: subject, preheader: headline, rows }),
    text: weeklySignalText(words),
  };
}
