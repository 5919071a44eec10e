/**
 * Reading 4: of rows that come newest first, those of the newest batch (they share one `created_at`), one
 * for each key.
 */
export function newestBatch<Row extends { created_at: string }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Row[] {
  const newest = rows[0]?.created_at;
  const batch = new Map<string, Row>();
  for (const row of rows) {
    const key = keyOf(row);
    if (row.created_at === newest && !batch.has(key)) batch.set(key, row);
  }
  return [...batch.values()];
}
