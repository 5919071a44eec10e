import { createTableClient } from '#queries/client.ts';
import { readShownRows } from '#web/app/read-page.ts';
import type { Gate } from '../rest/gate.ts';
import type { ServedGate } from '../rest/served-gate.ts';
import { gateFetch } from './gate-fetch.ts';

/** The gate's answers as they would be sent, without what depends on who asks. */
const answersOf =
  (gate: ServedGate): Gate =>
  async (request) => {
    const answered = await gate.answer(request, null);
    if (!('answer' in answered)) return answered;
    const { status, headers, content } = answered.answer;
    return { status, headers, body: content.toString() };
  };

/**
 * Asks for what browsers ask at an instant (epoch ms), so that a server that has only just begun can answer them from its
 * cache when the database goes away. A database that is away already is no failure: nothing is thrown, and the gate has
 * logged it.
 */
export async function readAhead(gate: ServedGate, anonKey: string, now: number): Promise<void> {
  const fetch = gateFetch(answersOf(gate));
  const client = createTableClient({ supabaseUrl: 'http://gate.invalid', anonKey, fetch });
  await readShownRows(client, now, undefined, true).catch(() => undefined);
}
