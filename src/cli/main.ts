import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { runProgram } from './program.ts';

const { stdout, stderr } = process;

// Whoever reads may have enough (`| head`), which is no failure of a command; a server without its log ends as before.
if (process.argv[2] !== 'serve') {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

function settings(): NodeJS.ProcessEnv {
  if (existsSync('.env')) loadEnvFile('.env');
  return process.env;
}

process.exitCode = await runProgram(process.argv.slice(2), { settings, now: Date.now, stdout, stderr });
