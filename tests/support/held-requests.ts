import type { Page, Route } from 'playwright-core';
import { allowComplaints, FAILED_REQUEST } from './complaints.ts';

/** Every read of the page, for `page.route`. */
export const READS = '**/rest/v1/**';

interface FailedAnswer {
  status: number;
  json?: unknown;
  contentType?: string;
  body?: string;
}

/** Fails every read of the page, or those named, from now on: with a response, or as without a network. */
export async function failReads(page: Page, answer?: FailedAnswer, reads = READS): Promise<void> {
  allowComplaints(page, FAILED_REQUEST);
  await page.route(reads, (route) => (answer === undefined ? route.abort() : route.fulfill(answer)));
}

export interface HeldRequests {
  /** Handler for `page.route` that holds the request. */
  hold: (route: Route) => Promise<void>;
  /** Releases all held and later requests, or fails them with a server error. */
  release: (how: 'answer' | 'fail') => void;
}

/** Creates a handler that holds requests until the test releases them. */
export function heldRequests(): HeldRequests {
  let release: HeldRequests['release'] = () => {};
  const held = new Promise<'answer' | 'fail'>((resolve) => {
    release = resolve;
  });
  return {
    hold: async (route) => {
      if ((await held) === 'answer') {
        await route.fallback();
        return;
      }
      allowComplaints(route.request().frame().page(), FAILED_REQUEST);
      await route.fulfill({ status: 500, json: { code: '57P03', message: 'The database is away.' } });
    },
    release,
  };
}
