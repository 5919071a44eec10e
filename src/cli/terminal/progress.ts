import { stopSignal } from './stop-signal.ts';

interface Steps {
  readonly done: number;
  readonly total: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** An estimate needs this much of a stage: milliseconds, and a share of its steps. */
const SEEN = { ms: 3_000, share: 0.02 } as const;
/** The estimate uses the speed of this period (ms): parts of a stage may be slower than others. */
const PACE_OF = MINUTE;

/** A duration in words: "about 3 min left". */
function inWords(ms: number): string {
  if (ms < MINUTE) return 'less than a minute left';
  if (ms < 1.5 * HOUR) return `about ${Math.round(ms / MINUTE)} min left`;
  return `about ${Math.round(ms / HOUR)} h left`;
}

/** Estimates the remaining time of one stage. Returns '' while there is too little to go by, and at its end. */
function createEstimate(now: () => number): (progress: Steps) => string {
  let first: number | null = null;
  const reports: { done: number; at: number }[] = [];
  return ({ done, total }) => {
    const at = now();
    first ??= done;
    reports.push({ done, at });
    while ((reports[1]?.at ?? at) < at - PACE_OF) reports.shift();
    const since = reports[0] ?? { done, at };
    const moved = done - since.done;
    const isSeen = done - first >= SEEN.share * total && at - since.at >= SEEN.ms;
    return isSeen && moved > 0 && done < total ? inWords(((at - since.at) / moved) * (total - done)) : '';
  };
}

/** Progress of one stage. */
interface Progress extends Steps {
  readonly stage: string;
}

/** Narrow enough for the longest line on a terminal of 80 columns. */
const WIDTH = 20;
/** Without a terminal, a line is written at each tenth of a stage, at least this long after the last one (ms). */
const PLAIN_LINE_APART = 5_000;

const count = ({ done, total }: Progress, timeLeft: string) =>
  `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}${timeLeft === '' ? '' : `, ${timeLeft}`}`;

const shareOf = ({ done, total }: Progress) => (total > 0 ? Math.min(done / total, 1) : 0);

/** One line with the bar, without a line break. */
export function progressLine(progress: Progress, timeLeft = ''): string {
  const share = shareOf(progress);
  const filled = Math.round(share * WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${progress.stage.padEnd(10)} ${bar} ${percent} % ${count(progress, timeLeft)}`;
}

/**
 * Shows progress and the estimated remaining time: one line that redraws itself on a terminal, else plain lines at the
 * start of a stage, now and then, and at its end. `end` leaves the terminal on a new line.
 */
export function showProgress(
  stream: NodeJS.WriteStream,
  now: () => number,
): { report(progress: Progress): void; end(): void } {
  let stage = '';
  let drawn = false;
  let estimate = createEstimate(now);
  let written = { tenth: 0, at: 0 };

  function isTold(progress: Progress): boolean {
    if (progress.stage !== stage) return true;
    if (progress.total > 0 && progress.done === progress.total) return true;
    return tenthOf(progress) > written.tenth && now() - written.at >= PLAIN_LINE_APART;
  }

  return {
    report(progress) {
      if (progress.stage !== stage) estimate = createEstimate(now);
      const timeLeft = estimate(progress);
      if (stream.isTTY) {
        const newStage = drawn && progress.stage !== stage ? '\n' : '';
        stream.write(`${newStage}\r\u001b[2K${progressLine(progress, timeLeft)}`);
        drawn = true;
      } else if (isTold(progress)) {
        const told = progress.total > 0 ? `: ${count(progress, timeLeft)}` : ' …';
        stream.write(`${progress.stage}${told}\n`);
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

/** Runs work that shows progress. `signal` aborts when the process is to end. */
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
