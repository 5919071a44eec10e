import { DAYS_TO_CONFIRM } from '#mailer/subscribers/subscription.ts';
import type { TokenPurpose } from '#mailer/subscribers/token.ts';
import type { Notice } from './notice-page.ts';

const COME_BACK =
  'To come back at any time, open the dashboard, choose “Get the Weekly Signal” and subscribe with the same address.';

/** Question before any change, by the purpose of the link. */
export const QUESTIONS: Readonly<Record<TokenPurpose, Notice>> = {
  unsubscribe: {
    title: 'Unsubscribe from the weekly signal?',
    paragraphs: ['Press the button and no further mail is sent to you.'],
    button: 'Unsubscribe',
  },
  confirm: {
    title: 'Confirm your subscription',
    paragraphs: [
      'Press the button to receive the market signal in your inbox every week.',
      'If you did not ask for it, close this page: without the button nothing is sent.',
    ],
    button: 'Confirm',
  },
};

/** Result of a change. */
export const RESULTS: Readonly<Record<'left' | 'left before' | 'confirmed' | 'confirmed before', Notice>> = {
  left: {
    title: 'You have been unsubscribed',
    paragraphs: [
      'No further weekly signal is sent to you; one that is on its way may still arrive.',
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
      'Every mail has a link at its end to unsubscribe.',
    ],
  },
  'confirmed before': {
    title: "You're subscribed already",
    paragraphs: [
      "This subscription has been confirmed before. You'll receive the market signal in your inbox every week.",
    ],
  },
};

const invalidLink = (advice: string): Notice => ({
  title: 'This link is not valid',
  paragraphs: [
    'It may be incomplete, or its subscription no longer exists. Nothing has been changed.',
    advice,
  ],
});

/** Notice for an invalid link. */
export const INVALID_LINKS: Readonly<Record<TokenPurpose, Notice>> = {
  unsubscribe: invalidLink(
    'Every weekly signal has a link at its end to unsubscribe: open the one in the newest mail.',
  ),
  confirm: invalidLink(
    `The link to confirm is valid for ${DAYS_TO_CONFIRM} days, and only that of the newest mail. To get another mail, subscribe again on the dashboard a day after the last one.`,
  ),
};

/** Notice while the database is away, with the question's button to retry. */
export const AWAY = (purpose: TokenPurpose): Notice => ({
  ...QUESTIONS[purpose],
  title: 'That did not work just now',
  paragraphs: ['The server cannot reach its database at the moment. Please try again in a minute.'],
});
