import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { copyDemonstration } from '#tests/support/demonstration.ts';
import { GRADES_CSV, type GradesCsv, gradeAgain } from '#tests/support/second-grader.ts';
import { folderForTests } from '#tests/support/shared.ts';

describe('a second implementation of rule g2, which reads only the CSV export', () => {
  const folder = folderForTests();
  let csv: GradesCsv;

  beforeAll(async () => {
    await copyDemonstration(folder);
    const database = await openEmbedded({ folder: join(folder, 'database') });
    csv = await exportGrades(database).finally(() => database.close());
  });

  it('agrees with every grade of the simulated past to 1e-9', () => {
    const { compared, largestDifference, onlyOne } = gradeAgain(csv);
    expect(compared).toBeGreaterThan(400);
    expect(onlyOne).toEqual([]);
    expect(largestDifference).toBeLessThanOrEqual(1e-9);
  });

  it('also grades the weeks around a missing week', () => {
    const [header = '', ...weeks] = csv.signals.trimEnd().split('\n');
    const missing = weeks[40]?.slice(0, 10) ?? '';
    const lines = csv.grades.trimEnd().split('\n');
    const grades = lines.filter((line) => !line.startsWith(missing)).join('\n');
    const signals = [header, ...weeks.filter((line) => !line.startsWith(missing))].join('\n');
    const { compared, onlyOne } = gradeAgain({ ...csv, signals, grades });
    expect([compared, onlyOne]).toEqual([gradeAgain(csv).compared - 3, []]);
  });

  it('detects a changed grade, a missing grade and a changed close', () => {
    const lines = csv.grades.trimEnd().split('\n');
    const [first = '', ...rest] = lines.slice(1);
    const [week, horizon, change, status] = first.split(',');
    const changed = [lines[0], [week, horizon, Number(change) + 1e-6, status].join(), ...rest].join('\n');
    expect(gradeAgain({ ...csv, grades: changed }).largestDifference).toBeGreaterThan(1e-9);
    expect(gradeAgain({ ...csv, grades: [lines[0], ...rest].join('\n') }).onlyOne).toEqual([
      `${week} ${horizon}`,
    ]);
    const scaled = csv.closes.replaceAll(/,(\d)(\d*\.?\d*),/g, ',1$1$2,');
    expect(gradeAgain({ ...csv, closes: scaled }).largestDifference).toBeGreaterThan(1e-3);
  });
});

/** The public rows from which grades are computed, as CSV. */
async function exportGrades(database: Database): Promise<GradesCsv> {
  const texts = await database.transaction(async (transaction) => {
    const all: [string, string][] = [];
    for (const [name, sql] of Object.entries(GRADES_CSV)) {
      all.push([name, await text(transaction.copyOut(`copy (${sql}) to stdout (format csv, header)`))]);
    }
    return all;
  });
  return Object.fromEntries(texts) as unknown as GradesCsv;
}
