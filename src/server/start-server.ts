import type { Database } from '#database/port.ts';
import { createApp } from './http/app.ts';
import { loadClientFiles, type Resource, toResource } from './http/client-files.ts';
import { listen } from './http/listen.ts';
import type { Operations } from './http/operator-route.ts';
import { renderPage } from './http/page.ts';
import { pageHeaders } from './http/security-headers.ts';
import type { Log } from './log.ts';
import { createGate } from './rest/gate.ts';
import { readTables } from './rest/tables.ts';

export interface ServerOptions {
  /** Migrated already. */
  readonly database: Database;
  /** The built page, `dist/client`. */
  readonly clientFolder: string;
  readonly config: {
    readonly host: string;
    /** 0 for any free one. */
    readonly port: number;
    readonly publicUrl: string | null;
    readonly productName: string;
  };
  /** The public key, from `loadPublicKey`. */
  readonly anonKey: string;
  /** What a command on this machine shows to be let at `/operator/…`. */
  readonly operatorToken: string;
  readonly operations: Operations;
  readonly log: Log;
}

const PAGE = '/index.html';

/** Takes the built page out of the files. */
function takeTemplate(files: Map<string, Resource>): string {
  const template = files.get(PAGE);
  if (template === undefined) throw new Error('There is no built page; make it with npm run build.');
  files.delete(PAGE);
  return template.content.toString();
}

/**
 * Serves the page, its tables and the operator's endpoints until closed. Throws `ListenError` when it
 * cannot listen and plain errors when the page is not built or the database lacks a table.
 */
export async function startServer(
  options: ServerOptions,
): Promise<{ url: string; close: () => Promise<void> }> {
  const { config, database, log } = options;
  const files = await loadClientFiles(options.clientFolder);
  const template = takeTemplate(files);
  const tables = await readTables(database);
  const gate = createGate({ database, tables, publicKey: options.anonKey, log });
  const connectSources = config.publicUrl === null ? [] : [new URL(config.publicUrl).origin];
  // Carries the address listened on, so it is made once that is known, before any request is read.
  let page = toResource(PAGE, Buffer.from(template));
  const app = createApp({
    gate,
    page: () => page,
    pageHeaders: pageHeaders({ connectSources }),
    files,
    operations: options.operations,
    operatorToken: options.operatorToken,
    log,
  });
  const listening = await listen(app, config.host, config.port);
  const { anonKey } = options;
  const { productName } = config;
  const supabaseUrl = config.publicUrl ?? listening.url;
  page = toResource(PAGE, Buffer.from(renderPage(template, { supabaseUrl, anonKey, productName })));
  return listening;
}
