import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { listenTo } from '#tests/support/product.ts';
import { npmCommand } from '../scripts/programs.mjs';
import { type AtEnd, seconds, temporaryFolder, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';
import { memoryOfAll } from './memory.ts';
import { startProduct } from './product.ts';

/** Times the build, a first start over an empty data folder and a second start, each until the page has data, and measures the memory after `npm start`. */
export function benchStart(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    const folder = temporaryFolder(atEnd);
    const built = seconds();
    const { status } = spawnSync(process.execPath, [join('scripts', 'build.mjs'), '--quiet']);
    if (status !== 0) throw new Error('The build failed. Run npm run build to see its error.');
    const building = built();
    const first = await timeStart(folder, atEnd);
    const again = await timeStart(folder, atEnd);
    const memory = await memoryOfStart(folder, atEnd);
    return [
      { what: 'building', value: building, unit: 's' },
      { what: 'first start, to a full page', value: first.seconds, unit: 's' },
      {
        what: 'both: npm start after its install step',
        value: building + first.seconds,
        unit: 's',
        bound: { atMost: 15 },
      },
      { what: 'started again, to a full page', value: again.seconds, unit: 's', bound: { atMost: 1.5 } },
      {
        what: 'memory of npm, server and Postgres after npm start',
        value: memory,
        unit: 'MB',
        bound: { atMost: 170 },
      },
      { what: 'Fear & Greed rows after the first start', value: first.rows, unit: '' },
      {
        what: 'Fear & Greed rows after the second',
        value: again.rows,
        unit: '',
        bound: { atLeast: first.rows },
      },
    ];
  });
}

/** Starts the built server, waits for the page and its rows, and stops the server. */
async function timeStart(folder: string, atEnd: AtEnd): Promise<{ seconds: number; rows: number }> {
  const elapsed = seconds();
  const { url, apikey, stop } = await startProduct(folder, atEnd);
  const rows = await fetch(`${url}/rest/v1/fear_greed_index?select=index_value`, { headers: { apikey } });
  const values: unknown = await rows.json();
  const figures = { seconds: elapsed(), rows: Array.isArray(values) ? values.length : 0 };
  await stop();
  return figures;
}

/** Memory of all processes (MB) once `npm start` serves the page. */
async function memoryOfStart(folder: string, atEnd: AtEnd): Promise<number> {
  const [program = '', ...parameters] = npmCommand();
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PORT: '0', BAROMETER_DATA_DIR: folder };
  const npm = spawn(program, [...parameters, 'start'], { env });
  const { address, ended } = listenTo(npm);
  const stop = async () => {
    npm.kill('SIGTERM');
    await ended;
  };
  atEnd(stop);
  await (await fetch(await address)).text();
  const memory = memoryOfAll(npm.pid ?? 0);
  await stop();
  return memory;
}
