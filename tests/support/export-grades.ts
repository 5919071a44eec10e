import type { Database } from '#database/port.ts';
import { GRADES_CSV, type GradesCsv } from './second-grader.ts';

/** The public rows from which grades are computed, as CSV. */
export async function exportGrades(database: Database): Promise<GradesCsv> {
  const texts = await database.transaction(async (transaction) => {
    const all: [string, string][] = [];
    for (const [name, sql] of Object.entries(GRADES_CSV)) {
      const bytes = await transaction.copyOut(`copy (${sql}) to stdout (format csv, header)`);
      all.push([name, new TextDecoder().decode(bytes)]);
    }
    return all;
  });
  return Object.fromEntries(texts) as unknown as GradesCsv;
}
