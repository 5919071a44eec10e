import type { Transaction } from '#database/port.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { SIGNAL_INPUTS, type SignalInputs } from '#domain/signal/inputs.ts';
import { toDay, toFields, toName, toPercentage } from '#schema/parse.ts';

function toInputs(stored: unknown): SignalInputs | null {
  const fields = toFields(stored);
  const entries = SIGNAL_INPUTS.flatMap((input) => {
    const { session, parts } = toFields(fields?.[input]) ?? {};
    if (!Array.isArray(parts)) return [];
    const own = parts.map((part) => {
      const { name, score } = toFields(part) ?? {};
      return { name: toName(name), score: toPercentage(score) };
    });
    return [[input, { session: toDay(session), parts: own }]];
  });
  return entries.length < SIGNAL_INPUTS.length ? null : Object.fromEntries(entries);
}

/** Reads the inputs of the decision of a week, by its Monday. Null if it has another formula than the current one, or not all inputs. */
export async function readDecisionInputs(
  transaction: Transaction,
  monday: string,
): Promise<SignalInputs | null> {
  const [row] = await transaction.query<{ inputs: unknown }>(
    'select inputs from mailer.issued_signals where week = $1 and formula_version = $2',
    [monday, SIGNAL_FORMULA],
  );
  return row === undefined ? null : toInputs(row.inputs);
}
