import type { Transaction } from '../port.ts';
import { MOVED_TABLES } from './tables.ts';

const TRIGGER = 'closed_while_moving';

/** Lets nobody write into the tables that are moved but whoever enters, from this transaction's commit on. */
export async function closeTables(transaction: Transaction): Promise<void> {
  for (const { name } of MOVED_TABLES) {
    await transaction.query(
      `create trigger ${TRIGGER} before insert or update or delete or truncate on ${name}
       for each statement execute function operations.keep_out_while_moving()`,
    );
  }
}

export async function openTables(transaction: Transaction): Promise<void> {
  for (const { name } of MOVED_TABLES) await transaction.query(`drop trigger ${TRIGGER} on ${name}`);
}

/** Lets this transaction write into closed tables. */
export async function enter(transaction: Transaction): Promise<void> {
  await transaction.query("select set_config('barometer.moving', 'yes', true)");
}
