import { createInterface } from 'node:readline/promises';
import type { Context } from '../command.ts';

/** Asks a question on the terminal. Returns true after "y" or "yes", and null if there is no terminal to ask on. */
export async function confirm(
  question: string,
  { stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>,
): Promise<boolean | null> {
  if (!stdin.isTTY) return null;
  const dialog = createInterface({ input: stdin, output: stderr });
  // Ctrl-D and Ctrl-C close the dialog, which then never resolves its question.
  const closed = new Promise<string>((resolve) => dialog.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([dialog.question(`${question} [y/N] `), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    dialog.close();
  }
}
