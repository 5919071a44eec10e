import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAnchorSender, enqueueAnchors } from '#mailer/anchors/send-anchors.ts';
import { sendDue } from '#mailer/deliver/send-due.ts';
import { type AnchorService, anchorServices } from '#record/ledger/anchor-services.ts';
import { appendEntries } from '#record/ledger/append-entries.ts';
import type { RunningServer } from '#server/app/start-server.ts';
import {
  createRepository,
  hasAnchorPrograms,
  startAuthority,
  startWitness,
} from '#tests/support/anchor-places.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { whileServed } from '#tests/support/gate-server.ts';
import { MIDDLING } from '#tests/support/market-tables.ts';
import { writeTables } from '#tests/support/page-over-rows.ts';
import { folderForTests, shared } from '#tests/support/shared.ts';
import type { Context } from '../../src/cli/command.ts';
import { ledgerVerify } from '../../src/cli/commands/ledger-verify.ts';
import { checkAnchors } from '../../src/cli/doctor/check-runs.ts';
import { readEnvironment } from '../../src/cli/settings/environment.ts';

const NOW = Date.parse('2026-11-21T14:05:00Z');
const HOUR = 3_600_000;
const TABLES = ['mailer.issued_signals', 'archive.ledger_entries', 'archive.ledger_key', 'archive.anchors'];

const folder = folderForTests();

describe.skipIf(!hasAnchorPrograms())('a ledger with anchors in three places', () => {
  const { database, script } = databaseOfTheseTests();
  const repository = shared(createRepository);
  const authority = shared(() => startAuthority('rsa'));
  const witness = shared(() => startWitness(NOW / 1_000));
  const saved = join(folder, 'anchors.json');

  const append = () => database.transaction(appendEntries);
  const decide = async (week: string, at: string) => {
    await script(
      `insert into mailer.issued_signals (week, status, reason, decided_at, formula_version, weights, inputs)
       values ('${week}', 'withheld', 'The rows are stale.', '${at}', '3', '{}', '{}')`,
    );
    await append();
  };
  const placesWith = (git: string): AnchorService[] =>
    anchorServices({ git, timestamp: authority, witness: witness.witness }, { fetch, now: () => NOW });
  /** Records the checkpoint of the newest decision and sends what is due, as a server does. */
  async function anchor(services: AnchorService[], now = NOW) {
    await enqueueAnchors(database, { kinds: services.map(({ kind }) => kind), now });
    const sender = createAnchorSender({ database, services });
    const { signal } = new AbortController();
    return sendDue({ database, sender, holder: 'a test', now: () => now, signal });
  }

  const doctor = () =>
    database.transaction(async (transaction) => {
      const subject = { environment: readEnvironment({}), now: NOW, timeoutMs: 1 };
      return (await checkAnchors(transaction, subject)).map(({ state, text }) => `${state} ${text}`);
    });

  const whileOpen = <T>(work: (server: RunningServer) => Promise<T>) =>
    whileServed(database, { now: () => NOW }, work);

  /** Runs "ledger verify" on the served ledger. Returns its last lines, or the sentence of its error. */
  const verify = (flags: Readonly<Record<string, string>> = {}) =>
    whileOpen(async ({ url }) => {
      let text = '';
      const context = {
        ...{ environment: readEnvironment({}), now: () => NOW },
        stdout: { write: (part: string) => (text += part) },
      } as unknown as Context;
      try {
        await ledgerVerify.run(context, flags, [url]);
        return text;
      } catch (error) {
        return (error as Error).message;
      }
    });

  beforeAll(() => writeTables(database, MIDDLING));

  it('has none before the places are configured, which doctor notes and "ledger verify" says', async () => {
    await decide('2026-11-09', '2026-11-14T14:00:00Z');
    expect(await doctor()).toEqual([expect.stringMatching(/^note LEDGER_GIT, .* are not set/)]);
    expect(await verify()).toMatch(/No external anchor keeps its checkpoints\.\n$/);
  });

  it('is anchored by all places, and doctor, /record and "ledger verify" name them', async () => {
    await decide('2026-11-16', '2026-11-21T14:00:00Z');
    expect(await anchor(placesWith(repository.path))).toMatchObject({ sent: 3 });
    const host = new URL(authority.url).host;
    expect(await doctor()).toEqual([
      expect.stringMatching(/^fine Checkpoints of the ledger are anchored by git \(.+\), last /),
      expect.stringContaining(`fine Checkpoints of the ledger are anchored by timestamp (${host}), last `),
      expect.stringContaining(
        'fine Checkpoints of the ledger are anchored by witness (witness.example), last ',
      ),
    ]);
    await whileOpen(async ({ url }) => {
      const record = await (await fetch(new URL('/record', url))).text();
      expect(record).toContain('Proof against later changes');
      expect(record).toContain('After the decision of 2026-W47');
      expect(record).toMatch(/— witness\.example \S+\n/);
      for (const place of ['Git repository, ', `Timestamp, ${host}: `, 'Witness, witness.example: '])
        expect(record).toContain(`<li>${place}`);
      writeFileSync(saved, await (await fetch(new URL('/ledger/anchors.json', url))).text());
    });

    expect(await verify()).toMatch(
      /contains every anchored checkpoint, unchanged:\n(?: {2}\w+, .*: 1 checkpoint of up to 2 entries, without a verified time\n){3}$/,
    );
    const trusted = { 'tsa-ca': authority.rootFile, witness: witness.setting.split(' ')[1] ?? '' };
    const all = await verify({ ...trusted, git: repository.path, anchors: saved });
    expect(all).toMatch(/\n {2}git, .*: 3 checkpoints of up to 2 entries, without a verified time\n/);
    expect(all).toMatch(/\n {2}timestamp, .*: 2 checkpoints of up to 2 entries, signed from .* to .*\n/);
    expect(all).toMatch(/\n {2}witness, witness\.example: 2 checkpoints of up to 2 entries, signed from /);
    // The first decision is a week older than the signature.
    expect(all).toMatch(
      /without a signed time within two days: 2026-11-09\. They may have been written later\.\n$/,
    );
  });

  it.each([
    [{ git: 'nowhere' }, '--git must be the URL or the absolute path of a git repository.'],
    [{ witness: 'nobody' }, "--witness must be the witness's key as name+id+base64."],
    [{ 'tsa-ca': '/nonexistent' }, '--tsa-ca'],
    [{ anchors: '/nonexistent' }, '/nonexistent cannot be read (ENOENT). Name a file with a checkpoint.'],
  ])('is not verified with %o', async (flags, sentence) => {
    expect(await verify(flags)).toContain(sentence);
  });

  it('refuses an authority and a witness that the verifier does not trust', async () => {
    const [other, stranger] = await Promise.all([startAuthority('ec'), startWitness(NOW / 1_000)]);
    expect(await verify({ 'tsa-ca': other.rootFile })).toContain('is not signed by the trusted authority');
    expect(await verify({ witness: stranger.setting.split(' ')[1] ?? '' })).toContain(
      'The signature of the witness witness.example is not of a key of --witness',
    );
    await Promise.all([other.close(), stranger.close()]);
  });

  it('shows a place that is unreachable, and nothing else fails', async () => {
    await decide('2026-11-23', '2026-11-21T14:00:01Z');
    const away = placesWith('https://operator:hunter2@127.0.0.1:9/ledger.git');
    expect(await anchor(away)).toMatchObject({ sent: 2, later: 1 });
    const [first = '', ...others] = await doctor();
    expect(first).toMatch(
      /^wrong The newest checkpoint of the ledger did not reach git \(.+\), last .*: git clone failed: .* A retry follows\.$/,
    );
    expect(first).not.toContain('hunter2');
    expect(others).toEqual([expect.stringMatching(/^fine /), expect.stringMatching(/^fine /)]);
    await whileOpen(async ({ url }) => {
      expect(await (await fetch(new URL('/record', url))).text()).toContain(
        'It was not reached yet with the newest checkpoint.',
      );
    });
    await anchor(away, NOW + 25 * HOUR);
    expect((await doctor())[0]).toMatch(/^wrong .* The checkpoint of the next decision is sent again\.$/);
  });

  it.each([
    [
      'a rebuilt log',
      `delete from archive.ledger_entries; delete from archive.ledger_key`,
      /was begun anew, or belongs to another site\.$/,
    ],
    [
      'an old backup',
      "delete from archive.ledger_entries where index > 0; delete from mailer.issued_signals where week > '2026-11-09'",
      /^The ledger has 1 entries, fewer than the \d of/,
    ],
    [
      'a changed entry',
      "update mailer.issued_signals set reason = 'Another reason.'; delete from archive.ledger_entries",
      /An entry was changed after its publication\.$/,
    ],
  ])(
    'refuses %s against each anchor: those that are stored, a saved copy and the git repository',
    async (_, sql, sentence) => {
      const kept = execFileSync('git', ['-C', repository.path, 'rev-list', '--count', 'HEAD']).toString();
      expect(Number(kept)).toBeGreaterThan(0);
      await script(
        // The owner of a database can turn all triggers off.
        `${TABLES.map((table) => `alter table ${table} disable trigger user`).join(';')};
       create schema kept; create table kept.signals as table mailer.issued_signals;
       create table kept.entries as table archive.ledger_entries; create table kept.keys as table archive.ledger_key;
       create table kept.anchors as table archive.anchors;
       set local session_replication_role = replica; ${sql}`,
      );
      await append();
      expect((await doctor())[0]?.replace(/^wrong /, '')).toMatch(sentence);
      expect(await verify()).toMatch(sentence);
      // The owner of a changed ledger would also remove its anchors.
      await script('set local session_replication_role = replica; delete from archive.anchors');
      for (const flags of [{ anchors: saved }, { git: repository.path }])
        expect(await verify(flags)).toMatch(sentence);
      await script(
        `set local session_replication_role = replica;
       delete from mailer.issued_signals; insert into mailer.issued_signals overriding system value select * from kept.signals;
       delete from archive.ledger_entries; insert into archive.ledger_entries select * from kept.entries;
       delete from archive.ledger_key; insert into archive.ledger_key select * from kept.keys;
       insert into archive.anchors overriding system value select * from kept.anchors; drop schema kept cascade`,
      );
    },
  );
});
