import { createHash } from 'node:crypto';
import { download } from './download.ts';
import { type Entry, isFuture, LedgerError, nameOfRow } from './entries.ts';
import {
  checkTable,
  compareFeed,
  compareSignalsFile,
  feedsOf,
  parseAtom,
  parseJsonFeed,
  SHOWN_TABLES,
  type ShownRow,
  type ShownTable,
} from './shown.ts';
import { type VerifyOptions, verifyLedger } from './verify-ledger.ts';

interface SiteOptions extends VerifyOptions {
  /** The number of newest sessions whose published rows are compared; all by default. */
  readonly newestDays?: number | undefined;
}

/** Number of rows per request, and of publications that are downloaded at a time. */
const PAGE_ROWS = 1_000;
const DAYS_AT_ONCE = 8;

type Read = (path: string, headers?: Readonly<Record<string, string>>) => Promise<Buffer>;

const CONFIG = /<script [^<>]{0,99}id="barometer-config"[^<>]{0,99}>([^<]*)<\/script>/;

async function readKey(read: Read): Promise<string> {
  const page = String(await read('/'));
  const key = /"anonKey":"([\w.-]+)"/.exec(CONFIG.exec(page)?.[1] ?? '')?.[1];
  if (key === undefined)
    throw new LedgerError('The page has no public key, so its tables cannot be read. Check the address.');
  return key;
}

function parseRows(text: string): ShownRow[] | null {
  try {
    const rows: unknown = JSON.parse(text);
    return Array.isArray(rows) ? rows : null;
  } catch {
    return null;
  }
}

async function readTable(read: Read, { name }: ShownTable, apikey: string): Promise<ShownRow[]> {
  const rows: ShownRow[] = [];
  for (let last = 0; ; ) {
    const path = `/rest/v1/${name}?id=gt.${last}&order=id.asc&limit=${PAGE_ROWS}`;
    const part = parseRows(String(await read(path, { apikey })));
    if (part === null)
      throw new LedgerError(`${name} cannot be read as rows, so it cannot be compared with the ledger.`);
    // A host of files ignores the query and responds with all rows each time.
    const added = part.filter(({ id }) => Number(id) > last);
    rows.push(...added);
    if (added.length < PAGE_ROWS) return rows;
    last = Number(added.at(-1)?.id);
  }
}

/** Throws LedgerError unless the served rows of each publication have the hash of its entry. Returns their number. */
async function compareDays(read: Read, entries: readonly Entry[]): Promise<number> {
  const newest = new Map(entries.map(({ index, fields }) => [fields.session, index]));
  const compare = async ({ index, fields }: Entry) => {
    const { session, sha256 } = fields;
    // The earlier publications of a session have their hash in their address.
    const path = `/on/${session}${newest.get(session) === index ? '' : `.${sha256}`}.json`;
    const shown = createHash('sha256')
      .update(await read(path))
      .digest('hex');
    if (shown !== sha256)
      throw new LedgerError(
        `${path}, ${nameOfRow('publication', fields)}: its SHA-256 is ${shown}, but the ledger recorded ${sha256}.`,
      );
  };
  for (let at = 0; at < entries.length; at += DAYS_AT_ONCE)
    await Promise.all(entries.slice(at, at + DAYS_AT_ONCE).map(compare));
  return entries.length;
}

/** Compares all that is shown with the ledger. Returns the numbers of compared rows and publications, and of publications left out. */
async function compareShown(read: Read, entries: readonly Entry[], newestDays: number | undefined) {
  const apikey = await readKey(read);
  let rows = 0;
  for (const table of SHOWN_TABLES) {
    const shown = await readTable(read, table, apikey);
    checkTable(table, shown, entries);
    rows += shown.length;
  }
  compareSignalsFile(String(await read('/signals.csv')), entries);
  for (const [name, recorded] of Object.entries(feedsOf(entries))) {
    compareFeed(`${name}.json`, parseJsonFeed(String(await read(`${name}.json`))), recorded);
    compareFeed(`${name}.atom`, parseAtom(String(await read(`${name}.atom`))), recorded);
  }
  // Nobody saw the rows that were computed later. The tables show them as they are now.
  const stored = entries.filter(({ kind, fields }) => kind === 'publication' && fields.origin === 'live');
  const sessions = [...new Set(stored.map(({ fields }) => String(fields.session)))].sort();
  const first = sessions.at(-(newestDays ?? sessions.length)) ?? '';
  const days = await compareDays(
    read,
    stored.filter(({ fields }) => String(fields.session) >= first),
  );
  return { rows, days, daysLeft: stored.length - days };
}

/** A decision may be published while a site is verified. It is verified again if its ledger grew meanwhile. */
const ATTEMPTS = 3;

/** Verifies the ledger of a site, and compares with it what visitors read. Throws LedgerError. */
export async function verifySite({ newestDays, ...options }: SiteOptions) {
  const read: Read = (path, headers) => download(`${options.site}${path}`, options.fetch, headers);
  for (let attempt = 1; ; attempt += 1) {
    const ledger = await verifyLedger(options);
    try {
      // Rows dated in the future, by a wrong clock, are not shown until their time.
      const shown = ledger.entries.filter((entry) => !isFuture(entry, options.now));
      return { ...ledger, ...(await compareShown(read, shown, newestDays)) };
    } catch (error) {
      const hasGrown = attempt < ATTEMPTS && (await verifyLedger(options)).size > ledger.size;
      if (!hasGrown) throw error;
    }
  }
}
