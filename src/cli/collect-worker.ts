// A thread of its own for one run of the collector: reading and computing take seconds in which the server would answer
// nobody, and memory that goes with the thread.
import { parentPort, workerData } from 'node:worker_threads';
import { receivedError } from '#database/remote/errors.ts';
import { openRemote } from '#database/remote/open.ts';
import { readEnvironment } from './environment.ts';
import { performHere } from './run-job.ts';
import { type StopRun, sentRunError, type ThreadTask, type ThreadWord } from './run-thread-messages.ts';
import { chooseSource } from './source-choice.ts';

const { task, flags, inVain, by, remote } = workerData as ThreadTask;
const say = (word: ThreadWord) => parentPort?.postMessage(word);
const stopping = new AbortController();
parentPort?.on('message', ({ reason }: StopRun) => stopping.abort(receivedError(reason)));

const database = openRemote(remote);
try {
  const source = chooseSource(readEnvironment(process.env), flags, inVain);
  const report = await performHere({ database, now: Date.now, by })(task, source, {
    signal: stopping.signal,
    report: (progress) => say({ kind: 'progress', progress }),
    onJob: (job) => say({ kind: 'job', job }),
    onCalls: (calls) => say({ kind: 'calls', calls }),
  });
  say({ kind: 'done', report, inVain });
} catch (error) {
  say({ kind: 'failed', error: sentRunError(error), inVain });
} finally {
  await database.close();
  parentPort?.close();
}
