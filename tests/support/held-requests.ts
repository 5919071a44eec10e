import type { Route } from 'playwright-core';

/** Every read of the page, for `page.route`. */
export const READS = '**/rest/v1/**';

export interface HeldRequests {
  /** For `page.route`: the request waits. */
  hold: (route: Route) => Promise<void>;
  /** Lets them all go on, those to come as well, or answers them with an error of the server. */
  release: (how: 'answer' | 'fail') => void;
}

/** Requests that wait for the test. */
export function heldRequests(): HeldRequests {
  let release: HeldRequests['release'] = () => {};
  const held = new Promise<'answer' | 'fail'>((resolve) => {
    release = resolve;
  });
  return {
    hold: async (route) => {
      if ((await held) === 'answer') await route.continue();
      else await route.fulfill({ status: 500, json: { message: 'The database is away.' } });
    },
    release,
  };
}
