import type { WeeklySignalView } from '#views/model.ts';
import type { MailFrame } from './mail-page.ts';
import { printable, printableText, spokenAddress } from './mail-text.ts';

/** Texts of both parts of the mail. */
export const WORDS = {
  kind: 'Weekly signal',
  asOf: 'As of',
  ofScale: 'of 100',
  since: 'Since last week',
  together: 'Together',
  noWeekBefore: 'There was no signal a week before to compare with.',
  breakdown: 'Signal Breakdown',
  columns: { input: 'Input', score: 'Score', weight: 'Weight', points: 'Points' },
  sum: 'Weighted score',
  sumOfWeights: '100%',
  fearGreed: 'Fear & Greed',
  lastWeek: 'A week before',
  close: 'at the close',
  open: 'Open the dashboard',
  unsubscribe: 'Unsubscribe',
} as const;

/** The demonstration notice; the page's own mentions frames, which a mail does not have. */
const DEMO = {
  simulated: 'These numbers come from a simulated market with invented companies.',
  replay: 'These numbers are past market data, moved to today for demonstration.',
} as const;

export interface SignalFrame extends MailFrame {
  readonly unsubscribeUrl: string;
}

/** The view and the further texts of both parts of the mail. */
export interface WeeklySignalWords {
  readonly view: WeeklySignalView;
  readonly productName: string;
  readonly notice: { readonly title: string; readonly text: string } | null;
  /** 'SELL', '0–41'. */
  readonly zones: readonly { readonly verdict: string; readonly span: string }[];
  /** Text after the change: 'points. The verdict was SELL then.'; null without a change. */
  readonly sinceText: string | null;
  /** '7 of 7 inputs, all from the session of Fri 13 Nov 2026.' */
  readonly inputsText: string;
  readonly why: string;
  readonly postalAddress: string | null;
  /** Unchecked addresses. */
  readonly dashboardUrl: string;
  readonly unsubscribeUrl: string;
}

function sinceTextOf({ sinceLastWeek, verdict }: WeeklySignalView): string | null {
  if (sinceLastWeek === null) return null;
  const then = `The verdict was ${sinceLastWeek.verdict} then${sinceLastWeek.verdict === verdict ? ' as well' : ''}.`;
  // The sentence of the page names the largest parts; here all of them follow, if they compare.
  return sinceLastWeek.parts === null ? `points. ${then} ${sinceLastWeek.text}.` : `points. ${then}`;
}

/** The texts of a weekly signal, all printable. */
export function weeklySignalWords(given: WeeklySignalView, frame: SignalFrame): WeeklySignalWords {
  const view = printable(given);
  const productName = printableText(frame.productName);
  const { inputsText, sessionsText, demo, zones } = view;
  return {
    view,
    productName,
    notice: demo === null ? null : { title: demo.text, text: DEMO[demo.kind] },
    zones: zones.map(({ verdict, from, to }) => ({ verdict, span: `${from}–${to}` })),
    sinceText: sinceTextOf(view),
    inputsText: `${inputsText}${sessionsText === null ? '' : `, ${sessionsText}`}.`,
    why: `You get this because this address was subscribed to the weekly signal of ${productName} at ${spokenAddress(frame.dashboardUrl)}.`,
    postalAddress: frame.postalAddress === null ? null : printableText(frame.postalAddress),
    dashboardUrl: frame.dashboardUrl,
    unsubscribeUrl: frame.unsubscribeUrl,
  };
}
