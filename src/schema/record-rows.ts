import type { IssuedSignalRow } from './issued-signal.ts';
import type { SignalGradeRow } from './signal-grade.ts';

/** The whole record: every decision in the order of the weeks, and every grade in the order of the ids. */
export interface RecordRows {
  readonly weeks: readonly IssuedSignalRow[];
  readonly grades: readonly SignalGradeRow[];
}
