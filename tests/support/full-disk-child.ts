// Fills the disk of an embedded database and makes room again: node entry.js <folder>.
// Prints the readiness and the outcome of an insert, as JSON lines.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { queryOnce } from '#database/port.ts';
import { createReadiness, watchWrites } from '#server/health/readiness.ts';

const [folder = ''] = process.argv.slice(2);
const { database, canWrite } = watchWrites(await openEmbedded({ folder }));
let now = 0;
const readiness = createReadiness({
  database,
  canWrite,
  pendingMigrations: async () => [],
  now: () => {
    now += 1_000;
    return now;
  },
  timeoutMs: 120_000,
});
const say = (value: unknown) => writeSync(1, `${JSON.stringify(value)}\n`);

let batch = 0;
function insert(): Promise<string> {
  batch += 1;
  const insertion = queryOnce(
    database,
    `insert into email_subscribers (email, is_active)
         select '${batch}-' || number || '@example.com', true from generate_series(1, 500) as number`,
    [],
    { durable: true },
  );
  return insertion.then(
    () => 'inserted',
    (error: Error) => error.message,
  );
}

/** Fills the disk down to the last byte. */
function fillDisk(path: string): void {
  const file = openSync(path, 'w');
  for (let size = 2 ** 20; size >= 1; size /= 2) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  closeSync(file);
}

say([await insert(), await readiness()]);
const filler = `${folder}.filler`;
fillDisk(filler);
say([await insert(), await readiness()]);
say([await readiness()]);
rmSync(filler);
say([await readiness(), await insert()]);
await database.close();
