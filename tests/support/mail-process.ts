import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { MailChildFigures, MailChildSettings } from './mail-child.ts';

/** A process that sends mails. */
export interface MailProcess {
  /** Resolves once the process sends mails. */
  readonly sending: Promise<void>;
  /** Resolves to its measurements at its end, or to null if it was killed. Rejects if it failed. */
  readonly ended: Promise<MailChildFigures | null>;
  /** Kills the process with SIGKILL. */
  kill(): void;
}

/** Starts the bundled `mail-child.ts` and writes its settings to `file`. */
export function startMailProcess(program: string, file: string, settings: MailChildSettings): MailProcess {
  writeFileSync(file, JSON.stringify(settings));
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4_000);
  });
  let last = '';
  let begin = () => {};
  const sending = new Promise<void>((resolve) => {
    begin = resolve;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    last = line;
    if (line === 'sending') begin();
  });
  const ended = new Promise<MailChildFigures | null>((resolve, reject) => {
    child.once('close', (code, signal) => {
      begin();
      if (signal === 'SIGKILL') resolve(null);
      else if (code === 0) resolve(JSON.parse(last) as MailChildFigures);
      else reject(new Error(`The process that sends failed: ${errors}`));
    });
  });
  return { sending, ended, kill: () => child.kill('SIGKILL') };
}
