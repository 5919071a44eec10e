/** How long a visitor who pressed a button is kept waiting for a database that does not answer. */
const PATIENCE_MS = 5_000;

/** A visitor's change is answered once it is there to stay. */
export const KEPT_CHANGE = { durable: true, statementTimeoutMs: PATIENCE_MS } as const;
