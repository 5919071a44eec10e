// A process of its own for one run of the collector: reading and computing take seconds in which a server would answer
// nobody, and memory that is given back only when a process ends.
import { processChannel } from '#database/remote/channel.ts';
import { receivedError } from '#database/remote/errors.ts';
import { openRemote } from '#database/remote/open.ts';
import { readEnvironment } from './environment.ts';
import { performHere } from './run-job.ts';
import { type RunCommand, type RunOrder, type RunWord, sentRunError } from './run-process-messages.ts';
import { chooseSource } from './source-choice.ts';

/** Resolves when the word is on its way. */
const say = (word: RunWord) => new Promise<void>((resolve) => process.send?.(word, () => resolve()));
const stopping = new AbortController();

// What a terminal or a service manager sends to all processes is for the server, which then says what to do.
process.on('SIGINT', () => undefined).on('SIGTERM', () => undefined);
// Without the server there is no database.
process.on('disconnect', () => process.exit(1));
process.on('message', (command: RunCommand) => {
  if ('run' in command) void run(command.run);
  else if ('stop' in command) stopping.abort(receivedError(command.stop));
});

async function run({ task, flags, knownGaps, holder, remote }: RunOrder): Promise<void> {
  const database = openRemote(remote, processChannel(process));
  try {
    const source = chooseSource(readEnvironment(process.env), flags, knownGaps);
    const report = await performHere({ database, now: Date.now, holder })(task, source, {
      signal: stopping.signal,
      report: (progress) => void say({ kind: 'progress', progress }),
      onJob: (job) => void say({ kind: 'job', job }),
      onCalls: (calls) => void say({ kind: 'calls', calls }),
    });
    await say({ kind: 'done', report, knownGaps });
  } catch (error) {
    await say({ kind: 'failed', error: sentRunError(error), knownGaps });
  }
  process.exit(0);
}
