import { PUBLICATION_MS } from '#domain/calendar/overdue.ts';
import type { Explanation } from './explanation.ts';

/** The age of the data in the header. */
export const AGE_EXPLANATION: Explanation = {
  name: 'Age of the data',
  text: `The numbers on this page describe the moment given as "As of", the close of a trading day in New York or a time within it, and not the moment at which they were last known to be current, which "Last updated" gives by your own clock. They count as one session behind for every trading day whose numbers have not arrived ${PUBLICATION_MS / 60_000} minutes after its close; days on which the exchange is closed do not count.`,
  bands: null,
};
