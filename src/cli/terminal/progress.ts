import { writeNumber } from './wording.ts';

/** The reason of an abort. The cause of the error is the name of the signal. */
const STOPPED = 'The command was stopped before it was done. Run it again to continue.';

/** Returns a signal that aborts at the first SIGTERM, SIGINT or SIGHUP. A second SIGTERM or SIGINT ends the process. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = (by: NodeJS.Signals) => {
    process.off('SIGTERM', stop).off('SIGINT', stop);
    stopping.abort(new Error(STOPPED, { cause: by }));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', stop);
  return stopping.signal;
}

/** Ends this process when its parent ends, even by SIGKILL. Does nothing without an IPC channel. */
export function endWithParent(): void {
  if (process.send === undefined) return;
  const end = () => process.exit(1);
  if (!process.connected) end();
  process.on('disconnect', end);
  // Without `unref`, the open channel would keep the process alive.
  process.channel?.unref();
}

interface Progress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** Length of the bar in characters. With it, the longest line fits a terminal of 80 columns. */
const WIDTH = 20;
/** Minimum time between two lines of a stage if the output is not a terminal (ms). */
const PLAIN_LINE_APART = 5_000;

const count = ({ done, total }: Progress) => `${writeNumber(done)} of ${writeNumber(total)}`;

const shareOf = ({ done, total }: Progress) => (total > 0 ? Math.min(done / total, 1) : 0);

export function progressLine(progress: Progress): string {
  const share = shareOf(progress);
  const filled = Math.round(share * WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${progress.stage.padEnd(10)} ${bar} ${percent} % ${count(progress)}`;
}

/** Redraws one line per stage on a terminal. Elsewhere writes a line at the start, each tenth and the end of a stage. */
export function showProgress(
  stream: NodeJS.WriteStream,
  now: () => number,
): { report(progress: Progress): void; end(): void } {
  let stage = '';
  let drawn = false;
  let written = { tenth: 0, at: 0 };

  function isLineDue(progress: Progress): boolean {
    if (progress.stage !== stage) return true;
    if (progress.total > 0 && progress.done === progress.total) return true;
    return tenthOf(progress) > written.tenth && now() - written.at >= PLAIN_LINE_APART;
  }

  return {
    report(progress) {
      if (stream.isTTY) {
        const newStage = drawn && progress.stage !== stage ? '\n' : '';
        stream.write(`${newStage}\r\u001b[2K${progressLine(progress)}`);
        drawn = true;
      } else if (isLineDue(progress)) {
        const state = progress.total > 0 ? `: ${count(progress)}` : ' …';
        stream.write(`${progress.stage}${state}\n`);
        written = { tenth: tenthOf(progress), at: now() };
      }
      stage = progress.stage;
    },
    end() {
      if (drawn) stream.write('\n');
      drawn = false;
    },
  };
}

const tenthOf = (progress: Progress) => Math.floor(shareOf(progress) * 10);

/** Performs work that reports its progress. The `signal` that the work receives aborts when the process must end. */
export async function withProgress<T>(
  { stderr, now }: { stderr: NodeJS.WriteStream; now: () => number },
  work: (options: { report: (progress: Progress) => void; signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const { report, end } = showProgress(stderr, now);
  try {
    return await work({ report, signal: stopSignal() });
  } finally {
    end();
  }
}
