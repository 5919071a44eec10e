import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GRADE_RULE } from '#domain/record/grade-weeks.ts';
import { appendEntries } from '#record/ledger/append-entries.ts';
import { weeksWithoutDecision } from '#record/ledger/entries.ts';
import { readCheckpoint } from '#record/ledger/served-ledger.ts';
import { verifySite } from '#record/ledger/verify-site.ts';
import type { RunningServer } from '#server/app/start-server.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { whileServed } from '#tests/support/gate-server.ts';
import { MIDDLING } from '#tests/support/market-tables.ts';
import { writeTables } from '#tests/support/page-over-rows.ts';
import { violations } from '#tests/support/schemas/schemas.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { checkLedger, checkPublications } from '../../src/cli/doctor/check-runs.ts';
import { readEnvironment } from '../../src/cli/settings/environment.ts';

const NOW = Date.parse('2026-11-14T15:00:00Z');

const signal = (week: string, decidedAt: string, verdict: string, score: number) =>
  `insert into mailer.issued_signals (week, status, decided_at, session, source, verdict, score, formula_version, weights, inputs)
   values ('${week}', 'issued', '${decidedAt}', '${week}'::date + 4, 'live', '${verdict}', ${score}, '2', '{"a": 1}', '{}')`;
const grade = (week: string, gradedAt: string, change: number) =>
  `insert into mailer.grades (week, horizon_weeks, rule, entry_session, entry_close, exit_session, exit_close, change_percent,
     status, graded_at)
   values ('${week}', 1, '${GRADE_RULE}', '${week}'::date + 7, 6000, '${week}'::date + 14, 5769, ${change}, 'graded', '${gradedAt}')`;
const publication = (session: string, publishedAt: string, kind = 'final') =>
  `insert into archive.publications (created_at_batch, session, kind, published_at, source, origin, formula_version, rows, sha256)
   select '${session}T21:00:00Z', '${session}', '${kind}', '${publishedAt}', 'live', 'live', '2', content::json, sha256(content::bytea)
   from (values ('{"a": "${publishedAt}"}')) as published (content)`;
const event = (session: string, at: string) =>
  `insert into public.quality_events (at, session, kind, input, event_key)
   values ('${at}', '${session}', 'late', 'vix', 'late ${session} vix')`;

/** The record up to the checkpoint that a mail has, and the record of the last week. The week of 2 November is missing. */
const BEFORE = [
  signal('2026-10-19', '2026-10-24T14:00:00.5Z', 'SELL', 30.1),
  signal('2026-10-26', '2026-10-31T14:00:00Z', 'HOLD', 50.6),
  `insert into archive.verdict_changes (session, at, to_verdict, score, source, formula_version)
   values ('2026-10-22', '2026-10-22T21:30:00Z', 'SELL', 30, 'live', '2')`,
  grade('2026-10-19', '2026-11-02T22:00:00Z', -3.85),
  publication('2026-11-05', '2026-11-05T21:10:00Z', 'close'),
  event('2026-11-05', '2026-11-06T01:00:00Z'),
];
const AFTER = [
  signal('2026-11-09', '2026-11-14T14:00:00Z', 'HOLD', 54.3),
  `insert into archive.verdict_changes (session, at, from_verdict, to_verdict, score, source, formula_version, follows)
   select '2026-11-10', '2026-11-10T21:30:00Z', 'SELL', 'HOLD', 54.3, 'live', '2', id from archive.verdict_changes`,
  publication('2026-11-05', '2026-11-06T01:00:00Z'),
  publication('2026-11-12', '2026-11-13T01:00:00Z'),
  event('2026-11-12', '2026-11-13T01:00:00Z'),
];

const TABLES = [
  'mailer.issued_signals',
  'mailer.grades',
  'archive.verdict_changes',
  'archive.publications',
  'public.quality_events',
  'archive.ledger_entries',
  'archive.ledger_key',
];

const mail = join(folderForTests(), 'mail.txt');
const { database, script } = databaseOfTheseTests();
let older: string;

const append = () => database.transaction(appendEntries);

const write = (statements: readonly string[]) => script(statements.join(';')).then(append);

beforeAll(async () => {
  await writeTables(database, MIDDLING);
  await write(BEFORE);
  older = (await database.transaction(readCheckpoint)) ?? '';
  writeFileSync(mail, `The weekly signal\n\n${older}`);
  await write(AFTER);
  // The owner of a database can turn all triggers off.
  await script(
    `create schema kept; ${TABLES.map(
      (table) => `alter table ${table} disable trigger user;
        create table kept.${table.replace('.', '_')} as table ${table}`,
    ).join(';')}`,
  );
});
afterEach(() =>
  script(
    `set local session_replication_role = replica; ${TABLES.map(
      (table) => `delete from ${table};
        insert into ${table} overriding system value select * from kept.${table.replace('.', '_')}`,
    ).join(';')}`,
  ),
);

const whileOpen = <T>(work: (server: RunningServer) => Promise<T>) =>
  whileServed(database, { now: () => NOW }, work);

type Fetch = typeof globalThis.fetch;

/** Returns the sentence of the error; null if the verification passes. */
const refusal = (url: string, checkpoint?: string, fetch: Fetch = globalThis.fetch) =>
  verifySite({ site: url, older: checkpoint, fetch, now: NOW }).then(
    () => null,
    (error: Error) => error.message,
  );

/** Returns the sentence of the second verifier; null if it passes. */
const secondRefusal = (url: string, ...files: string[]) =>
  promisify(execFile)(process.execPath, [
    join(ROOT, 'tests', 'support', 'second-verifier.mjs'),
    url,
    ...files,
  ]).then(
    () => null,
    ({ stderr }: { stderr: string }) => /^Error: (.*)$/m.exec(stderr)?.[1] ?? stderr,
  );

/** The faults that doctor reports about the record. */
const faults = () =>
  database.transaction(async (transaction) => {
    const subject = { environment: readEnvironment({}), now: NOW, timeoutMs: 1 };
    const findings = [
      ...(await checkPublications(transaction, subject)),
      ...(await checkLedger(transaction, subject)),
    ];
    return findings.filter(({ state }) => state === 'wrong').map(({ text }) => text);
  });

const insertOld = signal('2022-12-26', '2022-12-31T14:00:00Z', 'BUY', 80);
const swap = (first: number, second: number) =>
  `update archive.ledger_entries set index = 100 + index where index in (${first}, ${second});
   update archive.ledger_entries set index = case index when ${first} + 100 then ${second} else ${first} end where index >= 100`;
const LIE = "update mailer.issued_signals set verdict = 'BUY', score = 66.6 where week = '2026-10-26'";

const lieAbout = (kind: 'close' | 'final') =>
  script(
    `update archive.publications set rows = '{"verdict": "BUY"}' where session = '2026-11-05' and kind = '${kind}'`,
  );

interface Tampering {
  readonly name: string;
  readonly change: () => Promise<unknown>;
  /** The sentence of the verification without an older checkpoint; null if only an older checkpoint shows the change. */
  readonly alone: RegExp | null;
  /** The sentence with an older checkpoint, if it differs. */
  readonly withOlder?: RegExp;
  /** The sentence of doctor; null if the database agrees with itself. */
  readonly doctor: RegExp | null;
}

const CHANGED_SINCE =
  /^The entries do not match the older checkpoint\. An entry was changed after its publication\.$/;

const TAMPERINGS: readonly Tampering[] = [
  {
    name: 'a changed verdict',
    change: () => script(LIE),
    alone:
      /^issued_signals, the decision of the week of 2026-10-26: verdict is shown as "BUY", but the ledger recorded "HOLD"\.$/,
    doctor:
      /^The decision of the week of 2026-10-26 was changed: score is 66\.6, but entry 1 of the ledger recorded 50\.6\. Compare the database with a backup/,
  },
  {
    name: 'a changed grade',
    change: () => script('update mailer.grades set change_percent = 9.99'),
    alone:
      /^signal_grades, grade 1 \(1 week after the week of 2026-10-19\): change_percent is shown as 9\.99, but the ledger recorded -3\.85\.$/,
    doctor: /^Grade 1 .* was changed: change_percent is 9\.99, but entry 2 of the ledger recorded -3\.85\./,
  },
  {
    name: 'an old decision that is inserted past the ledger',
    change: () => script(insertOld),
    alone: /^issued_signals shows the row with the week "2022-12-26", which is not in the ledger/,
    doctor: /^The decision of the week of 2022-12-26 is not in the ledger: the row was inserted by hand/,
  },
  {
    name: 'an old decision that is inserted and appended',
    change: () => script(insertOld).then(append),
    alone: /^Entry 11 decides the week of 2022-12-26 after the week of 2026-11-09\.$/,
    doctor: /^Entry 11 decides the week of 2022-12-26 after the week of 2026-11-09\. Compare/,
  },
  {
    name: 'a back-dated publication',
    change: () => script(publication('2026-11-03', '2026-11-04T01:00:00Z')).then(append),
    alone:
      /^Entry 11, publication \d+ \(session 2026-11-03\), is dated 2026-11-04T01:00:00\.000000Z, before an earlier entry of its kind/,
    doctor: /^Entry 11, publication/,
  },
  {
    name: 'a removed week',
    change: () => script("delete from mailer.issued_signals where week = '2026-10-26'"),
    alone: /^issued_signals does not show the decision of the week of 2026-10-26, which is in the ledger\.$/,
    doctor: /^The decision of the week of 2026-10-26 was removed, but is entry 1 of the ledger\./,
  },
  {
    name: 'a removed entry',
    change: () => script('delete from archive.ledger_entries where index = 1'),
    alone: /^issued_signals shows the row with the week "2026-10-26", which is not in the ledger/,
    withOlder: CHANGED_SINCE,
    doctor: /^Entry 1 of the ledger was removed\./,
  },
  {
    name: 'entries in another order',
    change: () => script(swap(0, 1)),
    alone: /^Entry 1 decides the week of 2026-10-19 after the week of 2026-10-26\.$/,
    withOlder: CHANGED_SINCE,
    doctor: /^Entry 1 decides the week of 2026-10-19 after/,
  },
  {
    name: 'entries of two kinds in another order',
    change: () => script(swap(3, 4)),
    alone: null,
    withOlder: CHANGED_SINCE,
    doctor: null,
  },
  {
    name: 'a truncated log',
    change: () => script('delete from archive.ledger_entries where index >= 5'),
    alone: /^issued_signals shows the row with the week "2026-11-09", which is not in the ledger/,
    withOlder: /^The ledger has 5 entries, fewer than the 6 of the older checkpoint/,
    doctor: /is not in the ledger: the row was inserted by hand, or its entry was removed\./,
  },
  {
    name: 'a log rebuilt over a changed verdict',
    change: () => script(`${LIE}; delete from archive.ledger_entries`).then(append),
    alone: null,
    withOlder: CHANGED_SINCE,
    doctor: null,
  },
  {
    name: 'a log begun anew with another key',
    change: () => script('delete from archive.ledger_entries; delete from archive.ledger_key').then(append),
    alone: null,
    withOlder: /The ledger was begun anew, or belongs to another site\.$/,
    doctor: null,
  },
  {
    name: 'an older backup',
    change: () =>
      script(`delete from archive.ledger_entries where index >= 3;
        delete from archive.verdict_changes where from_verdict is not null; delete from archive.verdict_changes;
        delete from public.quality_events; delete from archive.publications;
        delete from mailer.issued_signals where week = '2026-11-09'`),
    alone: null,
    withOlder:
      /^The ledger has 3 entries, fewer than the 6 of the older checkpoint\. Entries were removed, or a backup was restored\.$/,
    doctor: null,
  },
  {
    name: 'changed rows of a session',
    change: () => lieAbout('final'),
    alone:
      /^\/on\/2026-11-05\.json, publication 2 \(session 2026-11-05\): its SHA-256 is [0-9a-f]{64}, but the ledger recorded [0-9a-f]{64}\.$/,
    doctor: /^The content of archive\.publications 2 was changed after it was written\./,
  },
  {
    name: 'changed earlier rows of a session',
    change: () => lieAbout('close'),
    alone: /^\/on\/2026-11-05\.[0-9a-f]{64}\.json, publication 1 \(session 2026-11-05\): its SHA-256 is/,
    doctor: /^The content of archive\.publications 1 was changed/,
  },
  {
    name: 'a changed publication with its hash',
    change: () =>
      script(
        `update archive.publications set rows = '{"a": 2}', sha256 = sha256('{"a": 2}') where session = '2026-11-12'`,
      ),
    alone: /^publications, publication \d+ \(session 2026-11-12\): sha256 is shown as/,
    doctor: /^Publication \d+ \(session 2026-11-12\) was changed: sha256 is/,
  },
  {
    name: 'a removed quality event',
    change: () => script("delete from public.quality_events where session = '2026-11-05'"),
    alone: /^quality_events does not show quality event 1 \(late 2026-11-05 vix\), which is in the ledger\.$/,
    doctor: /^Quality event 1 .* was removed/,
  },
  {
    name: 'a changed verdict change',
    change: () => script('update archive.verdict_changes set score = 99 where from_verdict is not null'),
    alone:
      /^verdict_changes, verdict change 2 \(session 2026-11-10\): score is shown as 99, but the ledger recorded 54\.3\.$/,
    doctor: /^Verdict change 2 \(session 2026-11-10\) was changed: score is 99/,
  },
];

describe('the unchanged record', () => {
  it('is accepted by both verifiers and by doctor', async () => {
    await whileOpen(async ({ url }) => {
      const verified = await verifySite({ site: url, older, fetch, now: NOW });
      expect(verified).toMatchObject({ size: 11, olderSize: 6, rows: 10, days: 3, daysLeft: 0 });
      expect(weeksWithoutDecision(verified.entries)).toEqual(['2026-11-02']);
      expect(await secondRefusal(url, mail)).toBeNull();
    });
    expect(await faults()).toEqual([]);
  });

  it('has entries as the OpenAPI document describes', async () => {
    await whileOpen(async ({ url }) => {
      const { components } = await (await fetch(`${url}/openapi.json`)).json();
      const { entries } = await verifySite({ site: url, fetch, now: NOW });
      const wrong = entries.flatMap(({ kind, fields }) =>
        violations({ $ref: '#/components/schemas/LedgerEntry', components }, { ...fields, kind }),
      );
      expect(wrong).toEqual([]);
      expect(
        violations({ $ref: '#/components/schemas/LedgerEntry', components }, { kind: 'signal' }),
      ).not.toEqual([]);
    });
  });

  it('has the rows of a day byte for byte as hashed', async () => {
    await whileOpen(async ({ url }) => {
      const { entries } = await verifySite({ site: url, fetch, newestDays: 1, now: NOW });
      const response = await fetch(`${url}/on/2026-11-05.json`);
      const hash = createHash('sha256')
        .update(await response.text())
        .digest('hex');
      expect(hash).toBe(entries[7]?.fields.sha256);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect((await fetch(`${url}/on/2026-11-06.json`)).status).toBe(404);
    });
  });
});

describe.each(TAMPERINGS)('$name', ({ change, alone, withOlder = alone, doctor }) => {
  it('is refused by both verifiers and named by doctor', async () => {
    await change();
    await whileOpen(async ({ url }) => {
      expect((await refusal(url)) ?? 'accepted').toMatch(alone ?? /^accepted$/);
      expect((await refusal(url, older)) ?? 'accepted').toMatch(withOlder ?? /^accepted$/);
      expect((await secondRefusal(url)) === null).toBe(alone === null);
      expect(await secondRefusal(url, mail)).not.toBeNull();
    });
    const found = await faults();
    if (doctor === null) expect(found).toEqual([]);
    else expect(found.join('\n')).toMatch(new RegExp(doctor.source, 'm'));
  });
});

describe('a server that lies in one output only', () => {
  const lying =
    (path: string, from: string | RegExp, to: string): Fetch =>
    async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).includes(path)) return response;
      const text = await response.text();
      const lie = text.replace(from, to);
      expect(lie).not.toBe(text);
      return new Response(lie);
    };

  it.each([
    [
      '/signals.csv',
      ',SELL,30.1,',
      ',BUY,66.6,',
      /^\/signals\.csv, the line 2026-W43: line is shown as ".*,BUY,66\.6,.*", but the ledger recorded ".*,SELL,30\.1,.*"\.$/,
    ],
    ['/signals.csv', '-3.85', '9.99', /^\/signals\.csv, the line 2026-W43: line is shown as ".*,9\.99,/],
    ['/signals.csv', /2026-W46.*\r\n/, '', /^\/signals\.csv does not show the line 2026-W46/],
    ['/signals.csv', /$/, '2026-W47,,,,,,,,,,,,,,,,\r\n', /^\/signals\.csv shows the line 2026-W47/],
    [
      '/feed.json',
      'HOLD 54.3',
      'BUY 66.6',
      /^\/feed\.json shows "Week 2026-W46: BUY 66\.6" of .*, which is not in the ledger/,
    ],
    [
      '/feed.atom',
      'HOLD 54.3',
      'BUY 66.6',
      /^\/feed\.atom shows "Week 2026-W46: BUY 66\.6" of .*, which is not in the ledger/,
    ],
    ['/feed.atom', /<entry>.*?W46.*?<\/entry>/s, '', /^\/feed\.atom does not show "/],
    ['/feed.json', '2026-11-14T14', '2026-11-13T14', /^\/feed\.json shows .*, which is not in the ledger/],
    [
      '/rest/v1/publications',
      /^.*$/s,
      'Hello',
      /^publications cannot be read as rows, so it cannot be compared with the ledger\.$/,
    ],
    [
      '/rest/v1/signal_grades',
      '-3.85',
      '9.99',
      /^signal_grades, grade 1 .*: change_percent is shown as 9\.99, but the ledger recorded -3\.85\.$/,
    ],
  ])('is refused: %s with %s as "%s"', async (path, from, to, sentence) => {
    await whileOpen(async ({ url }) => {
      expect(await refusal(url, undefined, lying(path, from, to))).toMatch(sentence);
    });
  });
});
