import { createEstimate, type Steps } from './time-left.ts';

/** How far one stage of something is. */
interface Progress extends Steps {
  readonly stage: string;
}

/** Narrow enough for the longest line on a terminal of 80 columns. */
const WIDTH = 20;
/** Elsewhere than on a terminal a line is written at each tenth of a stage, and no sooner than this (ms). */
const PLAIN_LINE_APART = 5_000;

const count = ({ done, total }: Progress, timeLeft: string) =>
  `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}${timeLeft === '' ? '' : `, ${timeLeft}`}`;

const shareOf = ({ done, total }: Progress) => (total > 0 ? Math.min(done / total, 1) : 0);

/** The bar of one moment, without a line break. */
export function progressLine(progress: Progress, timeLeft = ''): string {
  const share = shareOf(progress);
  const filled = Math.round(share * WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${progress.stage.padEnd(10)} ${bar} ${percent} % ${count(progress, timeLeft)}`;
}

/**
 * Shows progress and about how long the stage still takes: one line that redraws itself on a terminal, else plain
 * lines at the start, now and then, and at the end of a stage. `end` leaves the terminal on a fresh line.
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
