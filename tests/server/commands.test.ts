import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedTemplate } from '../support/embedded.ts';
import {
  type Outcome,
  PROGRAM,
  type Product,
  runCommand,
  startProduct,
  temporaryFolder,
} from '../support/product.ts';

const work = temporaryFolder();
const dataFolder = join(work.path, 'data');
const market = join(work.path, 'market');

/** What every failing command must do: say one plain sentence, and nothing of its insides. */
function expectSentence({ code, stderr }: Outcome, expectedCode: number, sentence: RegExp): void {
  const line = stderr.trim().split('\n').at(-1) ?? '';
  expect(line).toMatch(sentence);
  expect(line).toMatch(/\.$/);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(code).toBe(expectedCode);
}

const SESSIONS = ['2024-11-11', '2024-11-12', '2024-11-13', '2024-11-14', '2024-11-15'];

/** Writes a small market: two companies over five sessions, with three rows that cannot be right. */
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
  cpSync(await embeddedTemplate(), join(dataFolder, 'database'), { recursive: true });
  writeMarket();
});

afterAll(() => work.remove());

// What is wrong with a command's words is told by the tests of `program.ts`: these are the process around it.
describe('wrong usage', () => {
  it('without a command prints what there is and exits with 2', async () => {
    const { code, stdout, stderr } = await runCommand([]);
    expect(stdout).toMatch(/serve[\s\S]*collect[\s\S]*backfill[\s\S]*fear-greed[\s\S]*doctor/);
    expect([code, stderr]).toEqual([2, '']);
  });

  it('of the environment is one sentence on the other stream and exit 2', async () => {
    const outcome = await runCommand(['doctor'], { DATABASE_URL: 'mysql://me:secret@host/db' });
    expectSentence(outcome, 2, /^DATABASE_URL is not an address/);
    expect(outcome.stdout + outcome.stderr).not.toContain('secret');
  });
});

describe('a name in .env that is no setting', () => {
  it('is warned about, and the command runs', () => {
    const folder = join(work.path, 'misspelt');
    mkdirSync(folder);
    writeFileSync(join(folder, '.env'), 'MARKET_SORCE=live\nPRODUCT_NAME=Compass\n');
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'fear-greed', '--series', 'none.csv'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const [warning, failure] = stderr.split('\n');
    expect(warning).toBe(
      '.env sets MARKET_SORCE, which is no setting of Barometer and has no effect; .env.example lists all.',
    );
    expect(failure).toContain('none.csv');
    expect(status).toBe(1);
  });
});

describe('a command whose reader has read enough', () => {
  it('ends as if it had been read to its end', async () => {
    const { code, stderr } = await runCommand(['--help'], {}, (child) => child.stdout?.destroy());
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('signal preview over an empty database', () => {
  it('has nothing to show, and says so', async () => {
    const preview = await runCommand(['signal', 'preview'], { BAROMETER_DATA_DIR: dataFolder });
    expect(preview.stdout).toMatch(
      /^It would be withheld: There are no market rows.*\nThere is no mail to show\.\n$/,
    );
    expect(preview.code).toBe(1);
  });
});

describe('fear-greed', () => {
  const header = 'date,sp500,price_strength,price_breadth,put_call,vix,junk_bond_spread,safe_haven';
  const day = (at: number) => new Date(Date.UTC(2020, 0, 1 + at)).toISOString().slice(0, 10);
  const file = join(work.path, 'series.csv');
  const wave = (at: number, by: number) => (100 + 10 * Math.sin(at * by)).toFixed(4);
  const rowAt = (at: number) => [
    day(at),
    ...[0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16].map((by) => wave(at, by)),
  ];

  it('scores every component from its 374th session on, and the index with them', async () => {
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

  it('says so when there is no such file', async () => {
    const outcome = await runCommand(['fear-greed', '--series', join(work.path, 'nothing.csv')]);
    expectSentence(outcome, 1, /nothing\.csv/);
  });
});

describe('collecting from a folder', () => {
  const settings = { BAROMETER_DATA_DIR: dataFolder, MARKET_SOURCE: 'csv', MARKET_CSV_DIR: market };

  it('writes every session and names what it refuses', async () => {
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

  it('says what is wrong and leaves the rows when a file yields nothing', async () => {
    const bars = join(work.path, 'broken');
    cpSync(market, bars, { recursive: true });
    writeFileSync(join(bars, 'bars.csv'), 'symbol,day,close\n');
    const outcome = await runCommand(['collect'], { ...settings, MARKET_CSV_DIR: bars });
    expectSentence(outcome, 1, /bars\.csv, line 1: the header must have the columns symbol,date,open/);
    const report = await runCommand(['doctor'], settings);
    expect(report.stdout).toMatch(/market_metrics: newest of session 2024-11-15/);
    expect(report.stdout).toMatch(/WRONG {2}The last run \(collect, .*\) failed: .*bars\.csv/);
    expect(report.code).toBe(1);
  });

  it('refuses to put a demonstration over a real market', async () => {
    const outcome = await runCommand(['collect', '--source', 'simulated'], settings);
    expectSentence(outcome, 1, /holds a real market/);
  });

  describe('while a server has the database open', () => {
    let product: Product;
    beforeAll(async () => {
      product = await startProduct(dataFolder, settings);
    });
    afterAll(() => product?.stop());

    it('reads the folder again, since its files may have changed', async () => {
      await expect.poll(() => product.output()).toContain('"event":"job done","job":"collect"');
    });

    it('changes nothing the second time, and is checked by doctor; a second server is refused', async () => {
      const backfill = await runCommand(['backfill'], settings);
      expect(backfill.stdout).toMatch(
        /^backfill from csv: sessions 2024-11-11 to 2024-11-15, 0 rows written/,
      );
      const collected = await runCommand(['collect'], settings);
      expect(collected.stdout).toMatch(/^collect from csv: session 2024-11-15, 0 rows written/);
      const report = await runCommand(['doctor'], settings);
      expect(report.stdout).toMatch(/ok {5}The database responds \(embedded/);
      expectSentence(await runCommand(['serve'], { ...settings, PORT: '0' }), 1, /is in use by process \d+/);
    });

    it('uses the source of that server for a command without a setting of its own', async () => {
      const { stdout } = await runCommand(['collect'], { BAROMETER_DATA_DIR: dataFolder });
      expect(stdout).toMatch(/^collect from csv: session 2024-11-15, 0 rows written/);
    });

    it.each<[string, Record<string, string>, RegExp]>([
      ['source', { MARKET_SOURCE: 'live' }, /^MARKET_SOURCE is live for this command and csv for the server/],
      [
        'source by default',
        { MARKET_SOURCE: 'simulated' },
        /^MARKET_SOURCE is simulated for this command and csv for the server/,
      ],
      [
        'folder',
        { MARKET_CSV_DIR: work.path },
        /^MARKET_CSV_DIR is .* for this command and .*market for the/,
      ],
      ['folder that does not exist', { MARKET_CSV_DIR: '/nonexistent' }, /data \/nonexistent does not exist/],
    ])('refuses settings with another %s, and names both', async (_, other, sentence) => {
      for (const job of ['collect', 'backfill']) {
        expectSentence(await runCommand([job], { ...settings, ...other }), 1, sentence);
      }
    });

    it.each<[string[], RegExp]>([
      [['--source', 'simulated'], /^--source is simulated for this command and csv for the server/],
      [['--dir', market, '--replay'], /^MARKET_SOURCE is replay for this command and csv for the server/],
    ])('refuses %j, and names both', async (flags, sentence) => {
      expectSentence(await runCommand(['collect', ...flags], settings), 1, sentence);
    });

    it('runs what is due, once for each period, but reads the folder again', async () => {
      const { code, stdout } = await runCommand(['collect', '--due'], settings);
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/^collect from csv: session 2024-11-15, 0 rows/),
      ]);
    });
  });
});

describe('a replay', () => {
  it('is shown under the newest sessions, and a server over it goes on showing it', async () => {
    const folder = join(work.path, 'replay');
    mkdirSync(folder);
    cpSync(await embeddedTemplate(), join(folder, 'database'), { recursive: true });
    const settings = { BAROMETER_DATA_DIR: folder, MARKET_SOURCE: 'csv', MARKET_CSV_DIR: market };
    const replay = async () => (await runCommand(['backfill', '--replay'], settings)).stdout;
    expect(await replay()).toMatch(/^backfill from replay/);
    const server = await startProduct(folder, settings);
    try {
      const report = (await runCommand(['doctor'], settings)).stdout;
      expect(report).toMatch(/ok {5}market_metrics: newest of session .*, from replay/);
      expect(await replay()).toMatch(/^backfill from replay/);
      const html = await (await fetch(server.url)).text();
      const apikey = /sb_publishable_[\w-]{32}/.exec(html)?.[0] ?? '';
      const newest = `${server.url}/rest/v1/market_indices?select=price,source&order=created_at.desc&limit=1`;
      const rows = await (await fetch(newest, { headers: { apikey } })).json();
      expect(rows).toEqual([{ price: 6704, source: 'replay' }]);
    } finally {
      await server.stop();
    }
  });
});

describe('a live source that gives nothing', () => {
  const folder = join(work.path, 'live');
  let server: Product;
  beforeAll(async () => {
    mkdirSync(folder);
    cpSync(await embeddedTemplate(), join(folder, 'database'), { recursive: true });
    const universe = join(folder, 'universe.csv');
    writeFileSync(universe, 'symbol,name,sector\n');
    const nowhere = 'http://127.0.0.1:9';
    server = await startProduct(folder, {
      MARKET_SOURCE: 'live',
      MARKET_UNIVERSE: universe,
      MARKET_PROVIDERS: 'yahoo',
      YAHOO_URL: nowhere,
      METRICS_TOKEN: 'a-token-for-the-scraper',
    });
  });
  afterAll(() => server?.stop());

  it('does not keep the page from being served, and says so to whoever asks', async () => {
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

  it('leaves nobody whom subscribers erase could remove, which says so', async () => {
    const settings = { BAROMETER_DATA_DIR: folder };
    const erased = await runCommand(['subscribers', 'erase', 'jane@example.org'], settings);
    expect(erased).toMatchObject({ code: 0, stdout: 'No subscriber has that address.\n' });
  });
});

describe('a start that cannot succeed', () => {
  it('says so when the port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    const settings = {
      BAROMETER_DATA_DIR: dataFolder,
      MARKET_SOURCE: 'csv',
      MARKET_CSV_DIR: market,
      PORT: port,
    };
    expectSentence(await runCommand(['serve'], settings), 1, /^Port \d+ is taken/);
    taken.close();
  });

  it('says so when the data folder is a file, or holds no database', async () => {
    const file = join(work.path, 'file');
    writeFileSync(file, '');
    expectSentence(await runCommand(['collect'], { BAROMETER_DATA_DIR: file }), 1, /file/);
    const other = join(work.path, 'other');
    mkdirSync(join(other, 'database'), { recursive: true });
    writeFileSync(join(other, 'database', 'notes.txt'), 'mine');
    expectSentence(
      await runCommand(['collect'], { BAROMETER_DATA_DIR: other }),
      1,
      /not.*database|no database/i,
    );
  });

  it('says so when the database is damaged', async () => {
    const folder = join(work.path, 'damaged');
    mkdirSync(folder);
    cpSync(await embeddedTemplate(), join(folder, 'database'), { recursive: true });
    truncateSync(join(folder, 'database', 'global', 'pg_control'), 0);
    const outcome = await runCommand(['serve'], { BAROMETER_DATA_DIR: folder, PORT: '0' });
    expectSentence(outcome, 1, /cannot be opened .*: put a backup in its place, or move it away/);
  });

  it.runIf(process.platform === 'linux')(
    'says so when no folder can be made in the place named',
    async () => {
      const settings = { BAROMETER_DATA_DIR: '/proc/barometer/data' };
      expectSentence(await runCommand(['collect'], settings), 1, /^The data folder .* cannot be written:/);
    },
  );

  it('says so when Postgres cannot be reached, without the password', async () => {
    const outcome = await runCommand(['collect'], { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/db' });
    expectSentence(outcome, 1, /127\.0\.0\.1/);
    expect(outcome.stderr).not.toContain('secret');
  });
});

/** Whether this user may mount a small disk of its own, in a name space of its own. */
const mayMount = process.platform === 'linux' && spawnSync('unshare', ['-rm', 'true']).status === 0;

describe('a full disk', () => {
  it('is told in a sentence, and with room made the database goes on', async (context) => {
    if (!mayMount) return context.skip('This user may not mount a disk of its own');
    const disk = join(work.path, 'disk');
    mkdirSync(disk);
    const script = `
      mount -t tmpfs -o size=64m none "$DISK" && cp -r "$TEMPLATE" "$DISK/database" || exit 9
      "$NODE" "$PROGRAM" backfill --source simulated; echo "exit $?" >&2
      mount -o remount,size=1g "$DISK" || exit 9
      "$NODE" "$PROGRAM" collect --source csv --dir "$MARKET"; echo "exit $?" >&2`;
    const env = {
      PATH: process.env.PATH ?? '',
      NODE: process.execPath,
      PROGRAM,
      DISK: disk,
      TEMPLATE: await embeddedTemplate(),
      MARKET: market,
      BAROMETER_DATA_DIR: disk,
    };
    const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) =>
      execFile('unshare', ['-rm', 'sh', '-c', script], { cwd: work.path, env }, (_, out, errors) =>
        resolve({ stdout: out, stderr: errors }),
      ),
    );
    const said = stderr.trim().split('\n');
    const full = said.indexOf('exit 1');
    expect(said[full - 1]).toBe(
      `The disk that holds ${join(disk, 'database')} is full; nothing confirmed is lost: make room and try again.`,
    );
    expect(said.at(-1)).toBe('exit 0');
    expect(stdout).toMatch(/collect from csv: sessions? .*2024-11-15, [1-9]\d* rows written/);
  });
});
