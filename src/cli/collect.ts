import { jobCommand } from './job-command.ts';

export const collect = jobCommand(
  'collect',
  'One run: reads the source, keeps its history and writes the newest rows. Running it twice changes nothing.',
);
