import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { folderForTests } from '#tests/support/shared.ts';
import { runProgram } from './program.ts';
import type { Values } from './settings/environment.ts';

const work = folderForTests();

/** Runs a command in this process. Its data folder is in the folder `work`. */
async function run(parameters: readonly string[], settings: Values = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runProgram(parameters, {
    settings: () => ({ BAROMETER_DATA_DIR: join(work, 'data'), ...settings }),
    now: Date.now,
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
  });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

describe('wrong usage', () => {
  it('prints the list of commands if none is given', async () => {
    const { code, stdout } = await run([]);
    expect(stdout).toMatch(/serve[\s\S]*collect[\s\S]*backfill[\s\S]*fear-greed[\s\S]*doctor/);
    expect(code).toBe(2);
  });

  it.each([
    'serve',
    'collect',
    'backfill',
    'fear-greed',
    'publish',
    'signal',
    'signal preview',
    'signal send',
    'runs list',
    'keys rotate',
    'subscribers',
    'subscribers export',
    'subscribers import',
    'subscribers erase',
    'doctor',
  ])('%s has --help', async (command) => {
    const { code, stdout } = await run([...command.split(' '), '--help']);
    expect(stdout).toContain(`npm run barometer -- ${command}`);
    expect(code).toBe(0);
  });

  it.each<[command: string, sentence: RegExp, settings?: Values]>([
    ['pre\u001b[2J\u009bdict\u202e', /^"pre\?\[2J\?dict\?" is not a command; use one of serve,/],
    ['predict', /^"predict" is not a command; use one of serve,/],
    ['collect --loud', /^Unknown option '--loud'; see "collect --help"\.$/],
    ['collect --due --remove-future', /^--remove-future is a decision of the operator, /],
    ['collect --source tips', /^--source is "tips"; it must be one of /],
    ['collect --source csv', /^The csv source needs a folder\. Set MARKET_CSV_DIR or pass --dir\.$/],
    ['collect --source csv --dir . --as-of may', /^--as-of is "may", which is not a day\./],
    ['ledger verify foo', /^"foo" is no web address: give one such as https:\/\/example\.com\.$/],
    ['signal guess', /^"signal guess" is not a command; use one of signal preview, signal send\.$/],
    ['signal send twice', /^Unexpected argument 'twice'/],
    ['signal send --test jane', /^--test is "jane"; it must be an address/],
    ['signal send --now --test a@example.org', /^--test sends without issuing a signal, so --now/],
    ['runs list --count all', /^--count is "all"; it must be a whole number/],
    ['collect send', /^Unexpected argument 'send'/],
    ['subscribers erase', /^subscribers erase takes exactly ADDRESS and flags\. See/],
    ['subscribers erase a@example.org b@example.org', /^subscribers erase takes exactly ADDRESS and/],
    ['subscribers erase jane', /^subscribers erase takes an address with an "@"/],
    ['signal send', /^SMTP_URL is set without PUBLIC_URL/, { SMTP_URL: 'smtp://me:secret@host' }],
    ['publish', /^publish needs --out DIR, the folder to publish to\.$/],
    ['publish --out x', /^publish needs the address of the files\. Pass --url or set PUBLIC_URL\.$/],
    [
      'publish --out x --url https://a.example',
      /^AUDIENCE=private shows the page only to visitors with the password, /,
      { AUDIENCE: 'private', PAGE_PASSWORD: 'a long password' },
    ],
    ['fear-greed', /^fear-greed needs --series FILE\.csv/],
    ['serve', /^PORT is "eighty"; it must be a whole number/, { PORT: 'eighty' }],
    ['doctor', /^DATABASE_URL is not an address/, { DATABASE_URL: 'mysql://me:secret@host/db' }],
  ])('%j prints one sentence and exits with 2', async (command, sentence, settings = {}) => {
    const { code, stdout, stderr } = await run(command.split(' '), settings);
    expect(stderr).toMatch(/^.*\.\n$/);
    expect(stderr.trimEnd()).toMatch(sentence);
    expect(stderr).not.toContain('secret');
    expect([code, stdout]).toEqual([2, '']);
  });
});

const header = 'date,sp500,price_strength,price_breadth,put_call,vix,junk_bond_spread,safe_haven';
it.each([
  [
    'date,sp500\n2020-01-01,1',
    /series\.csv, line 1: the header must have the columns date,sp500,price_strength/,
  ],
  [`${header}\n2020-01-01,1,1,1,x,1,1,1`, /series\.csv, line 2, column put_call: 'x' is not a number\.$/],
  [`${header}\n01.01.2020,1,1,1,1,1,1,1`, /series\.csv, line 2, column date: '01\.01\.2020' is not a day/],
  [
    `${header}\n2020-01-02,1,1,1,1,1,1,1\n2020-01-01,1,1,1,1,1,1,1`,
    /line 3, column date: .* does not come after/,
  ],
  [header, /series\.csv has no rows/],
])('fear-greed names the fault of %j', async (content, sentence) => {
  const file = join(work, 'series.csv');
  writeFileSync(file, `${content}\n`);
  const { code, stdout, stderr } = await run(['fear-greed', '--series', file]);
  expect(stderr).toMatch(/^.*\.\n$/);
  expect(stderr.trimEnd()).toMatch(sentence);
  expect([code, stdout]).toEqual([1, '']);
});
