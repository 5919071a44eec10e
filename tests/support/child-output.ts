import type { ChildProcess } from 'node:child_process';

/** Keeps the output of a child process, and waits for its end. `output` returns all of it so far. */
export function outputOf(child: ChildProcess) {
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return { output: () => output, ended };
}
