import { existsSync, readFileSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { parseEnv } from 'node:util';
import { printable } from '#collector/problems.ts';
import { runProgram } from './program.ts';
import { unknownSettings } from './settings/environment.ts';

const { stdin, stdout, stderr } = process;

// A command that is piped to `head` must not fail when `head` closes the pipe. A server ends if its log cannot be
// written.
if (process.argv[2] !== 'serve') {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

function settings(): NodeJS.ProcessEnv {
  // A scheduled run gets its settings from the server that started this process.
  const isScheduled = process.send !== undefined && process.argv.includes('--due');
  if (!isScheduled && existsSync('.env')) {
    loadEnvFile('.env');
    const names = Object.keys(parseEnv(readFileSync('.env', 'utf8')));
    for (const warning of unknownSettings(names)) stderr.write(`${printable(warning)}\n`);
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
