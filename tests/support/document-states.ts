import { isoWeekOf } from '#domain/calendar/iso-week.ts';
import { lastSessions } from '#domain/calendar/sessions.ts';
import { EMBED_SIZE } from '#views/page-texts.ts';
import { allowComplaints } from './complaints.ts';
import type { PageState } from './page-states.ts';

const DAY = 86_400_000;

/** A page of the server beside the dashboard. Throws if the server does not respond with `status`. */
function documentAt(name: string, path: string, status = 200): PageState {
  return {
    name,
    open: async ({ page, url }) => {
      if (status === 404) allowComplaints(page, /status of 404/);
      const response = await page.goto(url + path);
      if (response?.status() !== status) {
        throw new Error(`${path} responds with ${response?.status()} instead of ${status}.`);
      }
    },
  };
}

/** A page with the badge, and with frames in the size that /oembed names and in a narrow column. */
const EMBEDDING = `<!doctype html><html lang="en"><title>Another site</title>
  <body style="margin: 24px; font: 16px/1.5 sans-serif">
  <p><img src="/badge.svg" alt=""></p>
  <iframe src="/embed" width="${EMBED_SIZE.width}" height="${EMBED_SIZE.height}" style="border: 0; max-width: 100%" title="wide"></iframe>
  <p>Text of the site.</p>
  <iframe src="/embed" width="240" height="${EMBED_SIZE.height}" style="border: 0; max-width: 100%" title="narrow"></iframe>`;

/** The pages beside the dashboard, for a time of the visit. */
export function documentStates(now: number): readonly PageState[] {
  const today = new Date(now).toISOString().slice(0, 10);
  const sessions = lastSessions(today, 61);
  const [earlier = '', later = ''] = [sessions[0], sessions[41]];
  // A week is decided on its Saturday, so the week of this day has a signal.
  const decided = new Date(now - 6 * DAY).toISOString().slice(0, 10);
  return [
    documentAt('record', '/record'),
    documentAt('record-week', `/record/${isoWeekOf(earlier)}`),
    documentAt('record-newest-week', `/record/${isoWeekOf(decided)}`),
    documentAt('record-no-week', '/record/2019-W10', 404),
    documentAt('past-day', `/on/${later}`),
    documentAt('past-days-compared', `/on/${later}?with=${earlier}`),
    documentAt('past-day-none', '/on/2026-02-30', 404),
    documentAt('quality', '/quality'),
    documentAt('risk', '/risk'),
    documentAt('method', '/method'),
    documentAt('not-found', '/nothing', 404),
    documentAt('share-image', '/og.png'),
    {
      name: 'embed',
      open: async ({ page, url }) => {
        const response = await page.request.get(`${url}/embed`);
        if (!response.ok()) throw new Error(`/embed responds with ${response.status()}.`);
        const site = `${url}/another-site`;
        await page.route(site, (route) =>
          route.fulfill({ contentType: 'text/html; charset=utf-8', body: EMBEDDING }),
        );
        await page.goto(site);
        await page.frameLocator('iframe[title=narrow]').getByText('Not financial advice').waitFor();
      },
    },
  ];
}
