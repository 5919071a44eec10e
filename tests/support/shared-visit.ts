import { afterEach, beforeEach } from 'vitest';

/**
 * One visit for the tests of a `describe`, none of which minds what the others leave on the page: it costs more than
 * most of them. After one that failed the page is opened anew, so that the next says what is wrong by itself.
 */
export function sharedVisit(open: () => Promise<unknown>): void {
  let isOpen = false;
  beforeEach(async () => {
    if (!isOpen) await open();
    isOpen = true;
  });
  afterEach(({ task }) => {
    isOpen = task.result?.state !== 'fail';
  });
}
