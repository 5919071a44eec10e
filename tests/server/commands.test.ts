import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { copyTemplate } from '../support/embedded.ts';
import { type Outcome, PROGRAM, runCommand, startProduct } from '../support/product.ts';
import { folderForTests, shared } from '../support/shared.ts';

const work = folderForTests();
const dataFolder = join(work, 'data');
const market = join(work, 'market');

/** Checks that a command failed with one plain sentence and no internal details. */
function expectSentence({ code, stderr }: Outcome, expectedCode: number, sentence: RegExp): void {
  const line = stderr.trim().split('\n').at(-1) ?? '';
  expect(line).toMatch(sentence);
  expect(line).toMatch(/\.$/);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(code).toBe(expectedCode);
}

const SESSIONS = ['2024-11-11', '2024-11-12', '2024-11-13', '2024-11-14', '2024-11-15'];

/** Writes a small market: two companies over five sessions, with three invalid rows. */
function writeMarket(): void {
  mkdirSync(market, { recursive: true });
  const universe = 'symbol,name,sector\nAAA,First,Energy\nBBB,Second,Utilities\n';
  const bars = SESSIONS.flatMap((session, at) => [
    `AAA,${session},${10 + at},${11 + at},${9 + at},${10.5 + at},1000`,
    `BBB,${session},${30 - at},${31 - at},${29 - at},${29.5 - at},2000`,
  ]);
  const refused = [
    'AAA,2024-11-08,10,9,11,10,5',
    'BBB,2024-11-08,ten,31,29,30,5',
    'CCC,2024-11-08,1,1,1,1,1',
  ];
  writeFileSync(join(market, 'universe.csv'), universe);
  writeFileSync(
    join(market, 'bars.csv'),
    `symbol,date,open,high,low,close,volume\n${[...refused, ...bars].join('\n')}\n`,
  );
  const index = SESSIONS.map((session, at) => `${session},1,1,1,${6700 + at}`).join('\n');
  writeFileSync(join(market, 'sp500.csv'), `date,open,high,low,close\n${index}\n`);
}

beforeAll(async () => {
  mkdirSync(dataFolder, { recursive: true });
  await copyTemplate(join(dataFolder, 'database'));
  writeMarket();
});

// The tests of `program.ts` cover the parsing of parameters. These tests cover the process.
describe('wrong usage', () => {
  it('without a command prints the help and exits with 2', async () => {
    const { code, stdout, stderr } = await runCommand([]);
    expect(stdout).toMatch(/serve[\s\S]*collect[\s\S]*backfill[\s\S]*fear-greed[\s\S]*doctor/);
    expect([code, stderr]).toEqual([2, '']);
  });

  it('in the environment prints a sentence to stderr and exits with 2', async () => {
    const outcome = await runCommand(['doctor'], { DATABASE_URL: 'mysql://me:secret@host/db' });
    expectSentence(outcome, 2, /^DATABASE_URL is not an address/);
    expect(outcome.stdout + outcome.stderr).not.toContain('secret');
  });
});

describe('an unknown setting in .env', () => {
  it('prints a warning and runs the command', () => {
    const folder = join(work, 'misspelt');
    mkdirSync(folder);
    writeFileSync(join(folder, '.env'), 'MARKET_SORCE=live\nPRODUCT_NAME=Compass\n');
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'fear-greed', '--series', 'none.csv'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const [warning, failure] = stderr.split('\n');
    expect(warning).toBe(
      '.env sets MARKET_SORCE, which is not a setting and has no effect; .env.example lists the settings.',
    );
    expect(failure).toContain('none.csv');
    expect(status).toBe(1);
  });
});

describe('a .env that cannot be read', () => {
  it('prints a sentence with the code and exits with 2', () => {
    const folder = join(work, 'folder-as-settings');
    mkdirSync(join(folder, '.env'), { recursive: true });
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'fear-greed'], options);
    expect([status, stderr]).toEqual([2, '.env cannot be read (EISDIR). It must be a file.\n']);
  });
});

describe('a command whose output is closed', () => {
  it('exits with the same code as after the complete output', async () => {
    const { code, stderr } = await runCommand(['--help'], {}, (child) => child.stdout?.destroy());
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('signal preview over an empty database', () => {
  it('prints that there is no mail', async () => {
    const preview = await runCommand(['signal', 'preview'], { BAROMETER_DATA_DIR: dataFolder });
    expect(preview.stdout).toMatch(
      /^It would be withheld: No market rows exist.*\. Run collect, or doctor for the reason\.\nThere is no mail to show: the current rows have no verdict\.\n$/,
    );
    expect(preview.code).toBe(1);
  });
});

describe('a folder without a database', () => {
  const folder = join(work, 'elsewhere');
  const settings = { BAROMETER_DATA_DIR: folder };

  it.each([
    ['export', join(work, 'elsewhere.archive')],
    ['subscribers', 'erase', 'jane@example.org'],
    ['subscribers', 'export'],
    ['signal', 'preview'],
    ['runs', 'list'],
    ['keys', 'rotate'],
    ['psql'],
  ])('is refused by %s %s, which creates none', async (...command) => {
    const outcome = await runCommand(command, settings);
    expectSentence(outcome, 1, /^There is no database in .*elsewhere\. Set BAROMETER_DATA_DIR, or run/);
    expect(outcome.stdout).toBe('');
    expect(existsSync(folder)).toBe(false);
  });

  it('is a finding of doctor, which also checks the settings', async () => {
    const { code, stdout } = await runCommand(['doctor'], { ...settings, MARKET_SOURCE: 'csv' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^WRONG {2}There is no database in .*elsewhere\./);
    expect(stdout).toMatch(/WRONG {2}.*MARKET_CSV_DIR/);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('fear-greed', () => {
  const header = 'date,sp500,price_strength,price_breadth,put_call,vix,junk_bond_spread,safe_haven';
  const day = (at: number) => new Date(Date.UTC(2020, 0, 1 + at)).toISOString().slice(0, 10);
  const file = join(work, 'series.csv');
  const wave = (at: number, by: number) => (100 + 10 * Math.sin(at * by)).toFixed(4);
  const rowAt = (at: number) => [
    day(at),
    ...[0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16].map((by) => wave(at, by)),
  ];

  it('scores all components and the index from the 374th session on', async () => {
    const rows = Array.from({ length: 700 }, (_, at) => rowAt(at).join(','));
    writeFileSync(file, `${header}\n${rows.join('\n')}\n`);
    const { code, stdout } = await runCommand(['fear-greed', '--series', file]);
    expect(code).toBe(0);
    const [names, ...lines] = stdout.trim().split('\n');
    expect(names).toBe(
      'date,index,market_momentum,stock_price_strength,stock_price_breadth,put_call_options,junk_bond_demand,market_volatility,safe_haven_demand',
    );
    expect(lines).toHaveLength(700);
    const cells = lines.map((line) => line.split(','));
    expect(cells[372]?.[1]).toBe('');
    for (const [, index, ...components] of cells.slice(374)) {
      const scores = components.map(Number);
      expect(scores.every((score) => score >= 0 && score <= 100)).toBe(true);
      expect(Number(index)).toBeCloseTo(scores.reduce((sum, score) => sum + score, 0) / 7, 4);
    }
  });

  it('fails with a sentence if the file does not exist', async () => {
    const outcome = await runCommand(['fear-greed', '--series', join(work, 'nothing.csv')]);
    expectSentence(outcome, 1, /nothing\.csv/);
  });
});

const hasPsql = spawnSync('psql', ['--version']).status === 0;

describe('collecting from a folder', () => {
  const settings = { BAROMETER_DATA_DIR: dataFolder, MARKET_SOURCE: 'csv', MARKET_CSV_DIR: market };

  it('writes every session and lists the refused rows', async () => {
    const { code, stdout, stderr } = await runCommand(['backfill'], settings);
    expect(stderr).not.toMatch(/Error/);
    expect(stdout).toMatch(
      /^backfill from csv: sessions 2024-11-11 to 2024-11-15, [1-9]\d* rows written, 3 rows refused:/,
    );
    expect(stdout).toMatch(/bars\.csv, line 2, column high:/);
    expect(stdout).toMatch(/bars\.csv, line 3, column open: 'ten' is not a number/);
    expect(stdout).toMatch(/bars\.csv, line 4, column symbol:/);
    expect(code).toBe(0);
  });

  it('names the fault of an invalid file and keeps the rows', async () => {
    const bars = join(work, 'broken');
    cpSync(market, bars, { recursive: true });
    writeFileSync(join(bars, 'bars.csv'), 'symbol,day,close\n');
    const outcome = await runCommand(['collect'], { ...settings, MARKET_CSV_DIR: bars });
    expectSentence(outcome, 1, /bars\.csv, line 1: the header must have the columns symbol,date,open/);
    const report = await runCommand(['doctor'], settings);
    expect(report.stdout).toMatch(/market_metrics: newest of session 2024-11-15/);
    expect(report.stdout).toMatch(/WRONG {2}The last run \(collect, .*\) failed: .*bars\.csv/);
    expect(report.code).toBe(1);
  });

  it('"runs list" prints status and reason of each run, newest first', async () => {
    const folder = { BAROMETER_DATA_DIR: dataFolder };
    const lines = (await runCommand(['runs', 'list'], folder)).stdout.trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^started +job +source +period +status +duration +reason$/),
      expect.stringMatching(
        /^20\S+ \S+ {2}collect +csv +- +failed +\d.* s +bars\.csv, line 1: the header must/,
      ),
      expect.stringMatching(
        /^20\S+ \S+ {2}backfill +csv +- +succeeded +\d.* s +3 rows refused: bars\.csv, line 2,/,
      ),
    ]);
    const [newest, ...more] = JSON.parse(
      (await runCommand(['runs', 'list', '--json', '--count', '1'], folder)).stdout,
    );
    expect(more).toEqual([]);
    expect(newest).toMatchObject({
      job: 'collect',
      status: 'failed',
      period: null,
      seconds: expect.any(Number),
    });
  });

  it('"keys rotate" prints the new public key', async () => {
    const rotate = async (...flags: string[]) =>
      (await runCommand(['keys', 'rotate', ...flags], { BAROMETER_DATA_DIR: dataFolder })).stdout;
    const [first, second] = [await rotate(), await rotate()];
    expect(first).toMatch(/^The new public key is sb_publishable_[\w-]{32}\. Restart every server now\.\n$/);
    expect(second).not.toBe(first);
    expect(await rotate('--mail')).toBe(
      'The links of mails have a new key. Links of earlier mails no longer work. Restart every server now.\n',
    );
  });

  it('prints the refused rows of a failed run', async () => {
    const other = join(work, 'refused');
    cpSync(market, other, { recursive: true });
    writeFileSync(
      join(other, 'bars.csv'),
      'symbol,date,open,high,low,close,volume\nCCC,2024-11-15,1,1,1,1,1\n',
    );
    const { code, stderr } = await runCommand(['collect'], { ...settings, MARKET_CSV_DIR: other });
    expect(stderr).toMatch(
      /^ {2}bars\.csv, line 2, column symbol: CCC is not in universe\.csv\nbars\.csv has no/m,
    );
    expect(code).toBe(1);
  });

  it.runIf(hasPsql)('psql stops at the first error of a pipe', async () => {
    const script = "select 'before';\nselect from no_table;\nselect 'after';\n";
    const { code, stdout, stderr } = await runCommand(['psql'], settings, ({ stdin }) => stdin?.end(script));
    expect(code).toBe(1);
    expect(stdout).toContain('before');
    expect(stdout).not.toContain('after');
    expect(stderr).toMatch(/no_table/);
  });

  it('refuses to replace a real market by a demonstration', async () => {
    const outcome = await runCommand(['collect', '--source', 'simulated'], settings);
    expectSentence(outcome, 1, /has data of a real market/);
  });

  describe('commands while a server has the database open', () => {
    const product = shared(() => startProduct(dataFolder, { ...settings, DRAIN_SECONDS: '60' }));
    it('the server reads the folder again, because its files can have changed', async () => {
      await expect.poll(() => product.output()).toContain('"event":"job done","job":"collect"');
    });

    it('a second collect changes no row', async () => {
      const backfill = await runCommand(['backfill'], settings);
      expect(backfill.stdout).toMatch(
        /^backfill from csv: sessions 2024-11-11 to 2024-11-15, 0 rows written/,
      );
      const collected = await runCommand(['collect'], settings);
      expect(collected.stdout).toMatch(
        /^collect from csv: sessions 2024-11-11 to 2024-11-15, 0 rows written/,
      );
      const report = await runCommand(['doctor'], settings);
      expect(report.stdout).toMatch(/ok {5}The database responds \(embedded/);
    });

    it('a command without a source uses that of the server', async () => {
      const { stdout } = await runCommand(['collect'], { BAROMETER_DATA_DIR: dataFolder });
      expect(stdout).toMatch(/^collect from csv: sessions 2024-11-11 to 2024-11-15, 0 rows written/);
    });

    it.each<[what: string, command: string, other: Record<string, string>, sentence: RegExp]>([
      ['source', 'collect', { MARKET_SOURCE: 'live' }, /^MARKET_SOURCE is live for .* csv for the server/],
      [
        'source by the flag of a replay',
        `collect --dir ${market} --replay`,
        {},
        /^MARKET_SOURCE is replay for /,
      ],
      ['folder', 'backfill', { MARKET_CSV_DIR: work }, /^MARKET_CSV_DIR is .* for .*market for the server/],
      ['folder that does not exist', 'collect', { MARKET_CSV_DIR: '/none' }, /data \/none does not exist/],
    ])('refuses a command with another %s, and names both settings', async (_, command, other, sentence) => {
      expectSentence(await runCommand(command.split(' '), { ...settings, ...other }), 1, sentence);
    });

    it('collect --due reads the folder again', async () => {
      const { code, stdout } = await runCommand(['collect', '--due'], settings);
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/^collect from csv: sessions 2024-11-11 to 2024-11-15, 0 rows/),
      ]);
    });

    it('SIGINT stops the server without its DRAIN_SECONDS', async () => {
      const began = performance.now();
      await product.stop('SIGINT');
      expect(performance.now() - began).toBeLessThan(60_000);
    });
  });
});

describe('after the server has stopped', () => {
  it('a command can name another source', async () => {
    const universe = join(work, 'universe.csv');
    writeFileSync(universe, 'symbol,name,sector\n');
    const live = { MARKET_SOURCE: 'live', MARKET_UNIVERSE: universe };
    const { code, stderr } = await runCommand(['collect'], { BAROMETER_DATA_DIR: dataFolder, ...live });
    expect([code, stderr]).toEqual([1, expect.stringContaining('universe.csv')]);
  });
});

describe('a replay', () => {
  it('has the newest sessions, also while a server runs', async () => {
    const folder = join(work, 'replay');
    mkdirSync(folder);
    await copyTemplate(join(folder, 'database'));
    const settings = { BAROMETER_DATA_DIR: folder, MARKET_SOURCE: 'csv', MARKET_CSV_DIR: market };
    const replay = async () => (await runCommand(['backfill', '--replay'], settings)).stdout;
    expect(await replay()).toMatch(/^backfill from replay/);
    const server = await startProduct(folder, settings);
    onTestFinished(() => server.stop());
    const report = (await runCommand(['doctor'], settings)).stdout;
    expect(report).toMatch(/ok {5}market_metrics: newest of session .*, from replay/);
    expect(await replay()).toMatch(/^backfill from replay/);
    const html = await (await fetch(server.url)).text();
    const apikey = /sb_publishable_[\w-]{32}/.exec(html)?.[0] ?? '';
    const newest = `${server.url}/rest/v1/market_indices?select=price,source&order=created_at.desc&limit=1`;
    const rows = await (await fetch(newest, { headers: { apikey } })).json();
    expect(rows).toEqual([{ price: 6704, source: 'replay' }]);
  });
});

describe('a live source without data', () => {
  const folder = join(work, 'live');
  const server = shared(async () => {
    mkdirSync(folder);
    await copyTemplate(join(folder, 'database'));
    const universe = join(folder, 'universe.csv');
    writeFileSync(universe, 'symbol,name,sector\n');
    const nowhere = 'http://127.0.0.1:9';
    return startProduct(folder, {
      MARKET_SOURCE: 'live',
      MARKET_UNIVERSE: universe,
      MARKET_PROVIDERS: 'yahoo',
      ...{ AUDIENCE: 'public', LICENSES: 'yahoo:derived' },
      YAHOO_URL: nowhere,
      METRICS_TOKEN: 'a-token-for-the-scraper',
    });
  });

  it('names the rights of a public audience at the start, with what is left of the signal [T27]', () => {
    expect(server.output()).toContain('"event":"publication","reason":"AUDIENCE is public. Yahoo Finance, ');
    expect(server.output()).toContain('85% of its weight. That is enough for a verdict.');
  });

  it('does not stop the server, which reports the missing data', async () => {
    expect(server.output()).toMatch(/"level":"error","event":"job failed","job":"backfill",.*universe\.csv/);
    expect((await fetch(server.url)).status).toBe(200);
    expect(await (await fetch(`${server.url}/healthz`)).text()).toBe('ok\n');
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        ready: false,
        checks: { server: 'ok', database: 'ok', writes: 'ok', migrations: 'ok', data: 'none yet' },
      },
    ]);
    const forwarded = { 'x-forwarded-for': '203.0.113.1', authorization: 'Bearer a-token-for-the-scraper' };
    const metrics = await (await fetch(`${server.url}/metrics`, { headers: forwarded })).text();
    expect(metrics).toContain('barometer_runs_total{job="backfill",outcome="failed"} 1\n');
  });

  it('subscribers erase prints that the address is unknown', async () => {
    const settings = { BAROMETER_DATA_DIR: folder };
    const erased = await runCommand(['subscribers', 'erase', 'jane@example.org'], settings);
    expect(erased).toMatchObject({ code: 0, stdout: 'No subscriber has that address.\n' });
  });
});

// `open-embedded.test.ts` and `full-disk.proof.test.ts` have the other reasons.
describe('a failed start', () => {
  it('prints a sentence without the password if Postgres cannot be reached', async () => {
    const outcome = await runCommand(['collect'], { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/db' });
    expectSentence(outcome, 1, /127\.0\.0\.1/);
    expect(outcome.stderr).not.toContain('secret');
  });
});
