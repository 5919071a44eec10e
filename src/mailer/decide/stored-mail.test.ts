import { describe, expect, it } from 'vitest';
import {
  demoSignal,
  hostileSignal,
  sampleSignal,
  thinSignal,
  wholeSignal,
} from '#tests/support/weekly-signal.ts';
import { parseStoredMail } from './stored-mail.ts';

const WEEK = '2026-11-09';
const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a mail out of the ledger', () => {
  it('is what was put in', () => {
    for (const view of [sampleSignal(), wholeSignal(), thinSignal(), demoSignal(), hostileSignal()]) {
      expect(parseStoredMail(stored(view), WEEK)).toEqual(view);
    }
  });

  it('of a newer version is read without what is not known', () => {
    const newer = { ...sampleSignal(), rating: 5, score: { value: 54, text: '54.0', color: 'red' } };
    expect(parseStoredMail(stored(newer), WEEK)).toEqual(
      sampleSignal({ score: { value: 54, text: '54.0' } }),
    );
  });

  it.each([
    ['nothing', null, ''],
    ['a word', 'HOLD', ''],
    ['a list', [], ''],
    ['nothing at all in it', {}, ' at subject'],
    ['a number for a word', { ...sampleSignal(), headline: 7 }, ' at headline'],
    ['another verdict', { ...sampleSignal(), verdict: 'WAIT' }, ' at verdict'],
    ['text for a number', { ...sampleSignal(), range: { low: '53', high: 60, text: '' } }, ' at range.low'],
    ['a row that is none', { ...sampleSignal(), rows: [sampleSignal().rows[0], 3] }, ' at rows[1]'],
    ['a list that is none', { ...sampleSignal(), rows: {} }, ' at rows'],
    [
      'a missing field far within',
      { ...sampleSignal(), fearGreed: { current: { value: 1, text: '1.0', label: 'Fear' }, lastWeek: null } },
      ' at fearGreed.current.zone',
    ],
  ])('with %s is refused in one sentence', (_, value, where) => {
    expect(() => parseStoredMail(stored(value), WEEK)).toThrow(
      new Error(
        `The signal of the week of 2026-11-09 cannot be read from mailer.issued_signals${where}: another version of the program, or another hand, wrote it.`,
      ),
    );
  });
});
