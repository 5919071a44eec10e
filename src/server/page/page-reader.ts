import { readDashboard } from '#queries/read-dashboard.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { marketClockAt } from '#views/market-clock-at.ts';
import type { DashboardView } from '#views/model.ts';
import type { SnapshotReads } from './snapshot-reads.ts';

/** What the page shows, and when that was read (epoch ms): the same as its browser would begin with. */
export interface PageReading {
  readonly view: DashboardView;
  readonly at: number;
}

interface PageReaderOptions {
  readonly inSnapshot: SnapshotReads;
  readonly productName: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What reads the page within the server, all of it of one instant. Rejects with QueryError when the database is away. */
export function createPageReader(options: PageReaderOptions): () => Promise<PageReading> {
  const { inSnapshot, productName, now } = options;
  return () =>
    inSnapshot(async (send) => {
      const at = now();
      const rows = await readDashboard(send, marketClockAt(at), { history: false });
      return { view: dashboardView(rows, at, productName), at };
    });
}
