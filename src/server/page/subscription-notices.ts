import { DAYS_TO_CONFIRM } from '#mailer/subscribers/subscription.ts';
import type { TokenPurpose } from '#mailer/subscribers/token.ts';
import type { Notice } from './notice-page.ts';

const COME_BACK =
  'To come back at any time, open the dashboard, choose “Get the Weekly Signal” and subscribe with the same address.';

/** The question on the first page of a link, by the purpose of the link. Nothing has been changed yet. */
export const QUESTIONS: Readonly<Record<TokenPurpose, Notice>> = {
  unsubscribe: {
    title: 'Unsubscribe from the weekly signal?',
    paragraphs: ['Press the button to end this subscription. No further mail is sent to you.'],
    button: 'Unsubscribe',
  },
  confirm: {
    title: 'Confirm your subscription',
    paragraphs: [
      'Press the button to receive the market signal in your inbox every week.',
      'If you did not ask for it, close this page. Without a press of the button nothing is sent.',
    ],
    button: 'Confirm',
  },
  alerts: {
    title: 'Mails about changes of the verdict',
    paragraphs: ['The verdict counts as changed when two closes in a row have it.'],
  },
};

export const ALERTS_OPTION = {
  lead: 'To keep your subscription and change its mails, tick or clear the box. Then press “Save”.',
  label: 'Also tell me when the verdict changes',
} as const;

export const RESULTS: Readonly<
  Record<'left' | 'left before' | 'confirmed' | 'confirmed before' | 'alerts on' | 'alerts off', Notice>
> = {
  left: {
    title: 'You have been unsubscribed',
    paragraphs: [
      'No further weekly signal is sent to you; one that was sent before may still arrive.',
      COME_BACK,
    ],
  },
  'left before': {
    title: 'You have already been unsubscribed',
    paragraphs: ['Your address has no active subscription, so no weekly signal is sent to you.', COME_BACK],
  },
  confirmed: {
    title: "You're subscribed!",
    paragraphs: [
      "You'll receive the market signal in your inbox every week.",
      'Every mail ends with a link to unsubscribe.',
    ],
  },
  'confirmed before': {
    title: "You're subscribed already",
    paragraphs: [
      "This subscription has been confirmed before. You'll receive the market signal in your inbox every week.",
    ],
  },
  'alerts on': {
    title: 'Saved',
    paragraphs: ['You get a mail when the verdict changes, in addition to the weekly signal.'],
  },
  'alerts off': {
    title: 'Saved',
    paragraphs: ['You get the weekly signal only.'],
  },
};

const invalidLink = (advice: string): Notice => ({
  title: 'This link is not valid',
  paragraphs: [
    'The link may be incomplete, or its subscription no longer exists. Nothing was changed.',
    advice,
  ],
});

export const INVALID_LINKS: Readonly<Record<TokenPurpose, Notice>> = {
  alerts: invalidLink(
    'Every mail has a link at its end to unsubscribe, which leads to this choice too: open the one in the newest mail.',
  ),
  unsubscribe: invalidLink(
    'Every weekly signal ends with a link to unsubscribe. Open the link in the newest mail.',
  ),
  confirm: invalidLink(
    `A link to confirm is valid for ${DAYS_TO_CONFIRM} days, and only the link of the newest mail works. To get another mail, subscribe again on the dashboard; at most one is sent a day.`,
  ),
};

/** The page while the database is unavailable. It has the same button as the first page, for a retry. */
export const unavailableNotice = (purpose: TokenPurpose): Notice => ({
  ...QUESTIONS[purpose],
  title: 'That did not work just now',
  paragraphs: ['The server cannot reach its database at the moment. Please try again in a minute.'],
});
