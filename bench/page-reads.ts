import { marketDay, newestOpenedSession, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { createTableClient, fetchDashboard, sendThrough } from '#queries/client.ts';
import { readTimeline } from '#queries/read-dashboard.ts';
import type { Asked } from './wrk.ts';

/** Headers that a browser sends with each read. */
export const AS_A_BROWSER = { 'accept-encoding': 'gzip, deflate, br' };

/** The reads of a page that loads at this time (epoch ms), as its table client sends them. */
export async function pageReads(url: string, apikey: string, now: number): Promise<Asked[]> {
  const asked: Asked[] = [];
  const client = createTableClient({
    supabaseUrl: url,
    anonKey: apikey,
    fetch: (input, init) => {
      const request = new Request(input, init);
      const { pathname, search } = new URL(request.url);
      asked.push({
        path: `${pathname}${search}`,
        headers: { ...Object.fromEntries(request.headers), ...AS_A_BROWSER },
      });
      return fetch(request);
    },
  });
  const clock = { now, marketDay, startOfMarketDay, newestOpenedSession };
  await fetchDashboard(client, clock);
  // The page sends this read only when its timeline is opened.
  if (!asked.some(({ headers }) => headers.prefer?.includes('count')))
    await readTimeline(sendThrough(client), clock);
  return asked;
}
