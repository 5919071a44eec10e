import type { DashboardRows } from '#schema/dashboard.ts';
import { sendThrough, type TableClient } from './client.ts';
import type { SessionClock } from './market-clock.ts';
import { QueryError } from './query-error.ts';
import { readDashboard } from './read-dashboard.ts';

/** Reads the dashboard through the table client of a page; logs a failure. Throws QueryError, with a message fit to show. */
export async function fetchDashboard(
  client: TableClient | null,
  clock: SessionClock,
): Promise<DashboardRows> {
  if (client === null) throw new QueryError('not_initialized');
  try {
    return await readDashboard(sendThrough(client), clock, { history: true });
  } catch (error) {
    console.error('The market could not be read:', error instanceof QueryError ? error.cause : error);
    throw error instanceof QueryError ? error : new QueryError('failed_to_fetch');
  }
}
