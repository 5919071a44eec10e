// Checks the packages of a deployment for known vulnerabilities.
import { spawn } from 'node:child_process';
import { npmCommand } from './programs.mjs';
import { ROOT } from './set-up.mjs';

const PARAMETERS = [
  'audit',
  '--omit=dev',
  '--audit-level=high',
  '--json',
  '--fetch-retries=0',
  '--fetch-timeout=30000',
];

/**
 * Reads the JSON of an audit. `found` has one line per package with a high or critical vulnerability. `unanswered`
 * means that the registry offers no audits, which says nothing about the packages.
 */
export function readAudit(output) {
  let answer;
  try {
    answer = JSON.parse(output);
  } catch {
    return { is: 'unanswered', lines: [] };
  }
  if (answer.metadata?.vulnerabilities === undefined) return { is: 'unanswered', lines: [] };
  const bad = Object.values(answer.vulnerabilities ?? {}).filter(({ severity }) =>
    ['high', 'critical'].includes(severity),
  );
  const lines = bad.map(({ name, severity, range }) => `${name} ${range}: ${severity}`);
  return { is: lines.length > 0 ? 'found' : 'passed', lines };
}

/** Requests an audit from the registry. A failed request is reported as a finding. */
export function audit() {
  return new Promise((resolve) => {
    const [npm, ...script] = npmCommand();
    const child = spawn(npm, [...script, ...PARAMETERS], { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', () => resolve(readAudit('')));
    child.on('close', () => resolve(readAudit(output)));
  });
}
