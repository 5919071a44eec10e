import type { Progress } from '#collector/progress.ts';

const WIDTH = 30;

/** The bar of one moment, without a line break. */
export function progressLine({ stage, done, total }: Progress): string {
  const share = total > 0 ? Math.min(done / total, 1) : 0;
  const filled = Math.round(share * WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${stage.padEnd(10)} ${bar} ${percent} % ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`;
}

/**
 * Shows progress: one line that redraws itself on a terminal, else a plain line a stage. `end` leaves the
 * terminal on a fresh line.
 */
export function showProgress(stream: NodeJS.WriteStream): { report(progress: Progress): void; end(): void } {
  let stage = '';
  let drawn = false;
  return {
    report(progress) {
      if (stream.isTTY) {
        const newStage = drawn && progress.stage !== stage ? '\n' : '';
        stream.write(`${newStage}\r\u001b[2K${progressLine(progress)}`);
        drawn = true;
      } else if (progress.stage !== stage || (progress.total > 0 && progress.done === progress.total)) {
        stream.write(`${progress.stage}: ${progress.done} of ${progress.total}\n`);
      }
      stage = progress.stage;
    },
    end() {
      if (drawn) stream.write('\n');
      drawn = false;
    },
  };
}
