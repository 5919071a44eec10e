import { createHash } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { readPublishedDay, readPublishedText } from './published-days.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const publication = (session: string, publishedAt: string, { origin = 'live', hashOf = publishedAt } = {}) =>
  `insert into archive.publications (created_at_batch, session, kind, published_at, source, origin, formula_version, rows, sha256)
   values ('${session}T21:00:00Z', '${session}', 'final', '${publishedAt}', 'live', '${origin}', '3',
     '{"at": "${publishedAt}"}', sha256('{"at": "${hashOf}"}'))`;

const { database, script } = databaseOfTheseTests();
beforeAll(() =>
  script(
    [
      publication('2026-11-11', '2026-11-12T01:05:00Z', { hashOf: 'another' }),
      publication('2026-11-10', '2026-11-12T01:05:00Z', { origin: 'rebuilt' }),
      publication('2026-11-12', '2026-11-12T21:15:00Z'),
      publication('2026-11-12', '2026-11-13T01:05:00Z'),
      // The midnight in New York is at 5:00 UTC.
      publication('2026-11-12', '2026-11-13T05:00:00Z'),
    ].join(';'),
  ),
);

it.each([
  ['2026-11-12', { id: 4, publishedAt: Date.parse('2026-11-13T01:05:00Z'), isIntact: true }],
  ['2026-11-11', { id: 1, isIntact: false }],
  ['2026-11-10', null],
  ['2026-11-09', null],
])('the publication that visitors saw in the evening of %s is %o', async (session, expected) => {
  const day = await database.transaction((transaction) => readPublishedDay(transaction, session));
  if (expected === null) expect(day).toBeNull();
  else expect(day).toMatchObject({ ...expected, formulaVersion: '3' });
});

it.each([
  ['2026-11-12', null, '2026-11-13T05:00:00Z'],
  ['2026-11-12', '2026-11-12T21:15:00Z', '2026-11-12T21:15:00Z'],
  ['2026-11-12', '2026-11-11T21:15:00Z', null],
  ['2026-11-10', null, null],
  ['2026-11-10', '2026-11-12T01:05:00Z', '2026-11-12T01:05:00Z'],
])('the text of a publication of %s with the hash of %s is that of %s', async (session, hashOf, expected) => {
  const hash = hashOf === null ? null : sha256(`{"at": "${hashOf}"}`);
  const text = await database.transaction((transaction) => readPublishedText(transaction, session, hash));
  expect(text).toBe(expected === null ? null : `{"at": "${expected}"}`);
});
