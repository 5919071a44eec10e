import { constants } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '#database/port.ts';
import { LONGEST_REPORT, type ProcessedReport, processReport } from '#mailer/reports/process-report.ts';
import { type Log, reasonOf } from '../log.ts';
import type { RunMetrics } from '../metrics/counters.ts';
import type { ScheduledRun } from './schedule.ts';

const MINUTE = 60_000;
/** Maximum number of reports per run, so that very many files do not delay the end of the process. */
const REPORTS_PER_RUN = 1_000;

/** Processes one raw report. Rejects with the database's error. */
export type ReportHandler = (raw: Uint8Array) => Promise<ProcessedReport>;

interface HandlerOptions {
  readonly database: Database;
  readonly signingKey: Uint8Array;
  readonly metrics: Pick<RunMetrics, 'countReport'>;
  readonly now: () => number;
}

/** Returns a function that processes a raw report and counts it in the metrics. */
export const createReportHandler =
  ({ database, signingKey, metrics, now }: HandlerOptions): ReportHandler =>
  async (raw) => {
    const processed = await processReport(database, raw, { signingKey, now: now() });
    metrics.countReport(processed);
    return processed;
  };

/** Reads the beginning of a regular file; null if the path no longer exists or is not a regular file. */
async function readReportFile(path: string): Promise<Uint8Array | null> {
  // A symbolic link could lead out of the folder, and reading a pipe would never end.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ELOOP') return null;
    throw error;
  });
  if (file === null) return null;
  try {
    if (!(await file.stat()).isFile()) return null;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_REPORT), 0, LONGEST_REPORT, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

interface ReportFolderOptions {
  /** The folder of the reports. A file must be complete when it appears, as in the folder `new` of a Maildir. */
  readonly folder: string;
  readonly handle: ReportHandler;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Creates the job that processes the reports in a folder and deletes their files. One that is read twice counts once. */
export function createReportFolder({ folder, handle, log, signal }: ReportFolderOptions): ScheduledRun {
  const loggedFiles = new Set<string>();

  function logUnreadable(file: string, error: unknown): null {
    if (!loggedFiles.has(file)) log.warn('mail report unreadable', { file, reason: reasonOf(error) });
    loggedFiles.add(file);
    return null;
  }

  return {
    name: 'mail reports',
    everyMs: MINUTE,
    async run() {
      const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
      const counts = { deactivated: 0, recorded: 0, repeated: 0, unverified: 0 };
      let taken = 0;
      for (const name of names) {
        if (signal.aborted || taken === REPORTS_PER_RUN) break;
        const path = join(folder, name);
        const raw = await readReportFile(path).catch((error: unknown) => logUnreadable(name, error));
        if (raw === null) continue;
        counts[(await handle(raw)).result] += 1;
        await rm(path, { force: true }).catch((error: unknown) => logUnreadable(name, error));
        taken += 1;
      }
      if (taken > 0) log.info('mail reports taken', counts);
    },
  };
}
