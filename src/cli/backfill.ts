import { jobCommand } from './job-command.ts';

export const backfill = jobCommand(
  'backfill',
  'Fetches the past that is not held yet and writes the rows of every session that has data. Safe to interrupt: the\nnext one does the rest.',
);
