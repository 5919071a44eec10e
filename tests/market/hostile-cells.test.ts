import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createCsvSource } from '#collector/sources/csv-source.ts';
import { backfill, collect, type RunOptions } from '#tests/support/collect.ts';
import { emptyCollected } from '#tests/support/collected.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { marketFolder, smallMarket } from '#tests/support/market-folder.ts';
import { smallSource } from '#tests/support/small-source.ts';
import { describeRun } from '../../src/cli/terminal/runs-report.ts';

const NOW = Date.parse('2024-03-08T22:00:00Z');
const MARKET = smallMarket('2024-02-01', '2024-03-08');
/** Characters that must not reach a terminal, a log or a record. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;
/** Control characters, texts that a limit splits within a character, and bytes that are not UTF-8. */
const BAD_TEXTS: readonly (readonly [name: string, text: Uint8Array])[] = [
  ['a NUL byte', Buffer.from('A\0B')],
  ['an escape sequence', Buffer.from('\u001b]0;title\u0007\u001b[2J')],
  ['a control character of eight bits', Buffer.from('\u009b2J')],
  ['a carriage return', Buffer.from('A\rB')],
  ['a mark that reverses the direction of text', Buffer.from('\u202eA')],
  ['a character that is cut in two', Buffer.from(`${'x'.repeat(39)}\u{1f600}`)],
  ['only characters of two code units', Buffer.from('\u{1f600}'.repeat(30))],
  ['half of a surrogate pair', Uint8Array.of(0xed, 0xa0, 0x80)],
  ['bytes that are not text', Uint8Array.of(0xff, 0xfe, 0xc0, 0x80)],
];

const line = (before: string, text: Uint8Array, after: string) =>
  Buffer.concat([Buffer.from(`\n${before}`), text, Buffer.from(after)]);

/** The small market with the text in one cell of each kind per file, in a row of its own. */
function hostileMarket(text: Uint8Array): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array[]> = Object.fromEntries(
    Object.entries(MARKET).map(([name, content]) => [name, [Buffer.from(content)]]),
  );
  files['indices.csv'] = [Buffer.from('symbol,name,date,close\nIXIC,Nasdaq,2024-03-08,16000')];
  files['bars.csv']?.push(
    line('', text, ',2024-03-08,1,1,1,1,1'),
    line('SYM0,', text, ',1,1,1,1,1'),
    line('SYM0,2024-03-08,', text, ',1,1,1,1'),
    line('SYM0,2024-03-08,1,1,1,1,', text, ''),
  );
  files['universe.csv']?.push(
    line('BAD', text, ',Name,Energy'),
    line('BAD1,', text, ',Energy'),
    line('BAD2,Name,', text, ''),
  );
  files['vix.csv']?.push(line('', text, ',1,1,1,1'), line('2023-03-08,1,1,1,', text, ''));
  files['indices.csv']?.push(
    line('', text, ',Nasdaq,2024-03-08,1'),
    line('IXIC,Nasdaq,', text, ',1'),
    line('IXIC,', text, ',2024-03-07,'),
    line('IXIC,Nasdaq,2024-03-07,', text, ''),
  );
  return Object.fromEntries(Object.entries(files).map(([name, parts]) => [name, Buffer.concat(parts)]));
}

describe('a folder of CSV files', () => {
  const { database, run: query } = databaseOfTheseTests();
  beforeEach(() => emptyCollected(database));

  const runs = () =>
    query<{ status: string; error: string | null; problems: unknown }>(
      'select status, error, problems from collector.runs order by id',
    );
  const options = (dir: string): RunOptions => ({
    database,
    source: createCsvSource({ dir }),
    now: () => NOW,
  });

  it.each(BAD_TEXTS)(
    'a cell with %s causes the refusal of its row, never of the run [T11]',
    async (_, text) => {
      const folder = marketFolder(hostileMarket(text));
      onTestFinished(folder.remove);
      const report = await backfill(options(folder.dir));
      expect(report.rowsRefused).toBeGreaterThanOrEqual(10);
      expect(await query('select distinct created_at from market_metrics')).toHaveLength(26);
      const [run] = await runs();
      expect(run?.status).toBe('succeeded');
      for (const output of [describeRun(report).replaceAll('\n', ' '), JSON.stringify(run?.problems)]) {
        expect(output).toMatch(/bars\.csv, line/);
        expect(output).not.toMatch(UNSEEN);
      }
    },
  );

  it('an error names a file without the control characters of its name and header', async () => {
    const folder = marketFolder({
      ...MARKET,
      'bars\u001b[2J\u202e.csv': `symbol\u001b[2J\0\n`,
    });
    onTestFinished(folder.remove);
    const error: Error = await collect(options(folder.dir)).catch((reason) => reason);
    expect(error.message).toMatch(/^bars\?\[2J\?\.csv, line 1: the header .* 'symbol\?\[2j\?'/);
    writeFileSync(join(folder.dir, 'bars\u001b[2J\u202e.csv'), 'symbol,date,open,high,low,close,volume\nX\n');
    await expect(collect(options(folder.dir))).rejects.toThrow(/^bars\?\[2J\?\.csv has no valid bar/);
    expect((await runs()).map(({ status, error }) => [status, UNSEEN.test(error ?? '')])).toEqual([
      ['failed', false],
      ['failed', false],
    ]);
  });

  it('an error names a folder without the control characters of its name', async () => {
    await expect(collect(options('/nowhere/Jürgen\u001b[2J'))).rejects.toThrow(
      'The folder of market data /nowhere/Jürgen?[2J does not exist',
    );
  });

  it.each(['\0', '\ud83d', '\u001b[2J'])(
    'a run that fails with %j in its error is recorded as failed [T11]',
    async (text) => {
      const source = smallSource();
      source.plan = async ({ problems }) => {
        problems.note('provider', `noted ${text}`);
        throw new Error(`failed ${text}`);
      };
      await expect(collect({ database, source, now: () => NOW })).rejects.toThrow('failed');
      expect(await runs()).toEqual([
        {
          status: 'failed',
          error: expect.stringMatching(/^failed \?/),
          problems: [{ kind: 'provider', count: 1, first: [expect.stringMatching(/^noted \?/)] }],
        },
      ]);
    },
  );
});
