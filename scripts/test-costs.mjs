// npm run test-costs [-- test files and options of vitest]: prints the CPU seconds of each test file, its processes
// included. Runs the files one at a time.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packageCommand } from './programs.mjs';
import { ensureBuilt, ensureInstalled, findTestBrowser, ROOT } from './set-up.mjs';

ensureInstalled();
ensureBuilt();
process.env.CHROME_PATH ??= findTestBrowser();
const reporter = join(ROOT, 'tests', 'support', 'cost-reporter.ts');
const [node, ...script] = packageCommand(ROOT, 'vitest');
const options = ['run', '--maxWorkers=1', `--reporter=${reporter}`, ...process.argv.slice(2)];
const { status } = spawnSync(node, [...script, ...options], { cwd: ROOT, stdio: 'inherit' });
process.exitCode = status ?? 1;
