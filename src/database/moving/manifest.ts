import { createHash } from 'node:crypto';
import { MovingError } from './moving-error.ts';
import type { Digest } from './table-rows.ts';
import { MOVED_TABLES, type MovedTable } from './tables.ts';

const FORMAT = 1;

/** A table as an export has it. */
export interface TableEntry extends Digest {
  readonly name: string;
  readonly columns: readonly string[];
  /** The number that its next row gets; null where rows get none. */
  readonly nextId: number | null;
}

/** What an export says of itself: the same data gives the same, to the letter, wherever it is. */
export interface Manifest {
  /** The newest migration of the database. */
  readonly migration: string;
  readonly tables: readonly TableEntry[];
}

/** Rows of all tables. */
export const rowsIn = ({ tables }: Manifest): number => tables.reduce((sum, { rows }) => sum + rows, 0);

/** The tables that are moved, each with what an export says of it. `checkTables` has been said to it. */
export function entriesOf({ tables }: Manifest): { table: MovedTable; entry: TableEntry }[] {
  return MOVED_TABLES.flatMap((table, at) => {
    const entry = tables[at];
    return entry === undefined ? [] : [{ table, entry }];
  });
}

/** What an export is known by. */
export function checksumOf(manifest: Manifest): string {
  return createHash('sha256')
    .update(JSON.stringify({ format: FORMAT, ...inOrder(manifest) }))
    .digest('hex');
}

const inOrder = ({ migration, tables }: Manifest): Manifest => ({
  migration,
  tables: tables.map(({ name, columns, rows, sha256, nextId }) => ({ name, columns, rows, sha256, nextId })),
});

/** The text of `manifest.json`. */
export function manifestText(manifest: Manifest): string {
  const checksum = checksumOf(manifest);
  return `${JSON.stringify({ format: FORMAT, checksum, ...inOrder(manifest) }, null, 2)}\n`;
}

/** Also what a file is named by. */
const TABLE_NAME = /^[a-z_]+\.[a-z_]+$/;

const MIGRATION = /^\d{14}$/;

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

function isEntry(value: unknown): value is TableEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { name, columns, rows, sha256, nextId } = value as Record<string, unknown>;
  return (
    typeof name === 'string' &&
    TABLE_NAME.test(name) &&
    Array.isArray(columns) &&
    columns.every((column) => typeof column === 'string') &&
    isCount(rows) &&
    typeof sha256 === 'string' &&
    (nextId === null || (isCount(nextId) && nextId > 0))
  );
}

function parseFields(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Reads `manifest.json`; `place` names it in messages. Throws MovingError where it is not as it was written. */
export function parseManifest(text: string, place: string): Manifest {
  const fields = parseFields(text);
  const format = fields?.format;
  if (isCount(format) && format > FORMAT) {
    throw new MovingError(`${place} was written by a newer Barometer: update this one, and import again.`);
  }
  const { migration, tables, checksum } = fields ?? {};
  const isMigration = typeof migration === 'string' && MIGRATION.test(migration);
  if (format === FORMAT && isMigration && Array.isArray(tables) && tables.every(isEntry)) {
    const manifest: Manifest = { migration, tables };
    if (checksumOf(manifest) === checksum) return manifest;
  }
  throw new MovingError(`${place} is damaged: export again, or take another copy.`);
}
