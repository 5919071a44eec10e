import { jobCommand } from './job-command.ts';

export const backfill = jobCommand(
  'backfill',
  'Writes the rows of every session that has data. Safe to interrupt: the next one does the rest.',
);
