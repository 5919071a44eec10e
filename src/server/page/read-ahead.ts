import { readDashboard } from '#queries/read-dashboard.ts';
import { marketClockAt } from '#views/market-clock-at.ts';
import type { Gate } from '../rest/gate.ts';
import type { ServedGate } from '../rest/served-gate.ts';
import { sendThroughGate } from './gate-reads.ts';

/** A server that starts waits this long for its database at most. */
const LIMIT_MS = 15_000;

/** The responses of the served gate, without the headers that depend on the client. */
const uncompressed =
  (gate: ServedGate): Gate =>
  async (request) => {
    const answered = await gate.answer(request, null);
    if (!('answer' in answered)) return answered;
    const { status, headers, content } = answered.answer;
    return { status, headers, body: content.toString() };
  };

/**
 * Sends the reads of a page at an instant (epoch ms), so that a server that has just started can serve them from its cache
 * when the database goes away. Never throws: the gate has logged a failure of the database.
 */
export async function readAhead(gate: ServedGate, publicKey: string, now: number): Promise<void> {
  const send = sendThroughGate(uncompressed(gate), publicKey, AbortSignal.timeout(LIMIT_MS));
  await readDashboard(send, marketClockAt(now), { history: true }).catch(() => undefined);
}
