import type { DashboardView } from '#views/model.ts';
import { readShownRows } from '#web/app/read-page.ts';
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
    inSnapshot(async (client) => {
      const at = now();
      const { view } = await readShownRows(client, at, productName);
      return { view, at };
    });
}
