/** The message of a failed read. In a file of its own, because the page's first script needs no other message. */
export const FAILED_TO_FETCH = 'Failed to fetch data';
