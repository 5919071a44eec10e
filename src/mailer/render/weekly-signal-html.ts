import { mailPage } from './mail-page.ts';
import { breakdownCard } from './sections/breakdown.ts';
import { closing } from './sections/closing.ts';
import { fearGreedCard, nextCard } from './sections/market.ts';
import { sinceLastWeekCard } from './sections/since-last-week.ts';
import { demoNotice, masthead, verdictCard } from './sections/verdict.ts';
import type { WeeklySignalWords } from './weekly-signal-words.ts';

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

/** The HTML part of the weekly signal. */
export function weeklySignalHtml(words: WeeklySignalWords): string {
  const { subject, headline } = words.view;
  return mailPage({ title: subject, preheader: headline, rows: SECTIONS.map((section) => section(words)) });
}
