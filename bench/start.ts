import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figure.ts';

const PROGRAM = join('dist', 'server', 'barometer.js');

/** Times the build, a first start over an empty data folder and a second one, each up to a full page. */
export async function benchStart(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-bench-'));
  try {
    const built = seconds();
    const { status } = spawnSync(process.execPath, [join('scripts', 'build.mjs'), '--quiet']);
    if (status !== 0) throw new Error('The build failed; npm run build says why.');
    const building = built();
    const first = await timeStart(folder);
    const again = await timeStart(folder);
    return [
      { what: 'building', value: building, unit: 's' },
      { what: 'first start, to a full page', value: first.seconds, unit: 's' },
      {
        what: 'both: npm start after its install step',
        value: building + first.seconds,
        unit: 's',
        bound: { atMost: 15 },
      },
      { what: 'started again, to a full page', value: again.seconds, unit: 's', bound: { atMost: 2 } },
      { what: 'Fear & Greed rows after the first start', value: first.rows, unit: '' },
      {
        what: 'Fear & Greed rows after the second',
        value: again.rows,
        unit: '',
        bound: { atLeast: first.rows },
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function seconds(): () => number {
  const started = performance.now();
  return () => (performance.now() - started) / 1000;
}

/** Starts the built server, waits for the page and the rows it shows, and ends it by its own pid. */
async function timeStart(folder: string): Promise<{ seconds: number; rows: number }> {
  const elapsed = seconds();
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, NODE_ENV: 'production', PORT: '0', BAROMETER_DATA_DIR: folder };
  const server = spawn(process.execPath, [PROGRAM, 'serve'], { env });
  const ended = new Promise((resolve) => server.once('close', resolve));
  try {
    const url = await addressOf(server);
    const page = await (await fetch(url)).text();
    const apikey = /sb_publishable_[\w-]{32}/.exec(page)?.[0] ?? '';
    const rows = await fetch(`${url}/rest/v1/fear_greed_index?select=index_value`, { headers: { apikey } });
    const values: unknown = await rows.json();
    return { seconds: elapsed(), rows: Array.isArray(values) ? values.length : 0 };
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (url !== undefined) resolve(url);
    };
    server.stdout?.on('data', read);
    server.stderr?.on('data', read);
    server.once('close', () => reject(new Error(`The server ended: ${output}`)));
  });
}
