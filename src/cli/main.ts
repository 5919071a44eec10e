import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { printable } from '#collector/problems.ts';
import { runProgram } from './program.ts';
import { unknownSettings } from './settings/environment.ts';
import { UsageError } from './settings/usage-error.ts';

const { stdin, stdout, stderr } = process;

// A command must not fail when `head` closes the pipe. A server ends if its log cannot be written.
if (process.argv[2] !== 'serve') {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Returns the text of `.env`; '' if there is none. Throws `UsageError` if it cannot be read. */
function readDotEnv(): string {
  try {
    return readFileSync('.env', 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    const action = code === 'EISDIR' ? 'It must be a file.' : 'Give this user the right to read it.';
    throw new UsageError(`.env cannot be read (${code}). ${action}`, { cause: error });
  }
}

function settings(): NodeJS.ProcessEnv {
  // A scheduled run gets its settings from the server that started this process.
  const isScheduled = process.send !== undefined && process.argv.includes('--due');
  if (!isScheduled) {
    const inEnvironment = Object.keys(process.env);
    const inFile = parseEnv(readDotEnv());
    for (const [name, value] of Object.entries(inFile)) process.env[name] ??= value;
    const warnings = unknownSettings(Object.keys(inFile), inEnvironment);
    for (const warning of warnings) stderr.write(`${printable(warning)}\n`);
  }
  return process.env;
}

process.exitCode = await runProgram(process.argv.slice(2), {
  settings,
  now: Date.now,
  stdin,
  stdout,
  stderr,
});
