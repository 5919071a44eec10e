import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '#database/port.ts';
import { type ServerOptions, startServer } from '#server/app/start-server.ts';
import { DRAW_WORKER_URL, MIGRATIONS } from './embedded.ts';

/** The public key of the test servers. */
export const KEY = 'sb_publishable_for-tests';

/** A built page with only the placeholders that the server replaces. */
export const EMPTY_TEMPLATE =
  '<html><head><title>B</title></head><body><!--page--><div id="root"></div><!--/page--></body></html>';

/** A time limit that a busy machine does not reach, for tests of other behaviour. */
export const LONG_WAIT = { waitMs: 300_000 } as const;

export interface Gate {
  /** The URL of the server, without a trailing slash. */
  url: string;
  close: () => Promise<void>;
}

/** The product's server over a database, with an otherwise empty page. */
export async function serveGate(
  database: Database,
  settings: Partial<Pick<ServerOptions, 'waitMs' | 'drawWorkerUrl'>> = {},
): Promise<Gate> {
  const clientFolder = mkdtempSync(join(tmpdir(), 'barometer-gate-'));
  writeFileSync(join(clientFolder, 'index.html'), EMPTY_TEMPLATE);
  const server = await startServer({
    database,
    migrationsFolder: MIGRATIONS,
    clientFolder,
    config: { host: '127.0.0.1', port: 0, publicUrl: null, productName: 'Barometer' },
    anonKey: KEY,
    drawWorkerUrl: DRAW_WORKER_URL,
    ...settings,
    now: Date.now,
    log: { info() {}, warn() {}, error() {} },
  });
  const close = async () => {
    await server.close();
    rmSync(clientFolder, { recursive: true });
  };
  return { url: server.url, close };
}
