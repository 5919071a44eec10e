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
      'If you did not ask for it, just close this page: nothing is sent without it.',
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
    button: null,
  },
  'left before': {
    title: 'You have already been unsubscribed',
    paragraphs: ['Your address has no active subscription, so no weekly signal is sent to you.', COME_BACK],
    button: null,
  },
  confirmed: {
    title: "You're subscribed!",
    paragraphs: [
      "You'll receive the market signal in your inbox every week.",
      'Every mail has a link at its end to unsubscribe.',
    ],
    button: null,
  },
  'confirmed before': {
    title: "You're subscribed already",
    paragraphs: [
      "This subscription has been confirmed before. You'll receive the market signal in your inbox every week.",
    ],
    button: null,
  },
};

const INVALID = 'This link is not valid';
const NOTHING_CHANGED =
  'It may have lost a part on its way, or its subscription is no longer there. Nothing has been changed.';

/** Notice for an invalid link. */
export const INVALID_LINKS: Readonly<Record<TokenPurpose, Notice>> = {
  unsubscribe: {
    title: INVALID,
    paragraphs: [
      NOTHING_CHANGED,
      'Every weekly signal has a link at its end to unsubscribe: open the one in the newest mail.',
    ],
    button: null,
  },
  confirm: {
    title: INVALID,
    paragraphs: [
      NOTHING_CHANGED,
      `The link of the mail that asks you to confirm is good for ${DAYS_TO_CONFIRM} days, and only that of the newest. A day after the last, subscribe again on the dashboard to get another.`,
    ],
    button: null,
  },
};

/** Notice while the database is away, with the question's button to retry. */
export const AWAY = (purpose: TokenPurpose): Notice => ({
  title: 'That did not work just now',
  paragraphs: ['The server cannot reach its database at the moment. Please try again in a minute.'],
  button: QUESTIONS[purpose].button,
});

export const WRONG_METHOD: Notice = {
  title: 'This address takes no such request',
  paragraphs: ['It can be opened (GET) and its button be pressed (POST).'],
  button: null,
};

export const TOO_LONG: Notice = {
  title: 'The request is too long',
  paragraphs: ['Nothing has been changed.'],
  button: null,
};
