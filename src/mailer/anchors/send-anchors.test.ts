import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { type AnchorService, anchorServices } from '#record/ledger/anchor-services.ts';
import { parseAnchors, verifyAnchor } from '#record/ledger/anchors.ts';
import { appendEntries } from '#record/ledger/append-entries.ts';
import { createServedLedger, readTree } from '#record/ledger/served-ledger.ts';
import { readLedgerAnchors } from '#record/ledger/stored-anchors.ts';
import { createRepository, startWitness } from '#tests/support/anchor-places.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { shared } from '#tests/support/shared.ts';
import { sendDue } from '../deliver/send-due.ts';
import { createAnchorSender, enqueueAnchors } from './send-anchors.ts';

const MINUTE = 60_000;
const AT = Date.parse('2026-11-21T14:05:00Z');

const { database } = databaseOfTheseTests();
const repository = shared(createRepository);
const witness = shared(() => startWitness(AT / 1_000));

const decide = (week: string, at: string) =>
  database.transaction(async (transaction) => {
    await transaction.query(
      `insert into mailer.issued_signals (week, status, reason, decided_at, formula_version, weights, inputs)
       values ($1, 'withheld', 'The rows are stale.', $2, '1', '{}', '{}')`,
      [week, at],
    );
    return appendEntries(transaction);
  });

const servicesOf = (git: string, signal?: AbortSignal): AnchorService[] =>
  anchorServices(
    { git, timestamp: null, witness: witness.witness },
    { fetch, now: () => AT, ...(signal && { signal }) },
  );

/** Records the checkpoint and sends what is due, as a server does. */
async function run(services: AnchorService[], now: number, { signal } = new AbortController()) {
  await enqueueAnchors(database, { kinds: services.map(({ kind }) => kind), now });
  const sender = createAnchorSender({ database, services, signal });
  return sendDue({ database, sender, holder: 'a test', now: () => now, signal });
}

const read = () => database.transaction(readLedgerAnchors, { readOnly: true });

it('sends the checkpoint of each decision once to each place, and retries one that is away', async () => {
  const away = servicesOf('https://operator:hunter2@127.0.0.1:9/ledger.git');
  expect(await run(away, AT)).toMatchObject({ sent: 0, left: 0 });

  await decide('2026-11-16', '2026-11-21T14:00:00Z');
  const first = await run(away, AT);
  expect(first).toMatchObject({ sent: 1, later: 1, left: 1, nextDueAt: AT + MINUTE });
  expect(first.problems).toEqual([
    expect.stringMatching(/^Message 1 was not sent: git clone failed: .* A retry follows\.$/),
  ]);
  const [failed, signed] = (await read()).places;
  expect(failed).toMatchObject({
    kind: 'git',
    status: 'pending',
    attempts: 1,
    authority: null,
    anchoredAt: null,
  });
  expect(failed?.reply).toMatch(/^git clone failed/);
  expect(JSON.stringify([first, failed])).not.toContain('hunter2');
  expect(signed).toMatchObject({
    kind: 'witness',
    status: 'sent',
    authority: 'witness.example',
    anchoredAt: AT,
  });

  const services = servicesOf(repository.path);
  expect(await run(services, AT + 30_000)).toMatchObject({ sent: 0, later: 0 });
  expect(await run(services, AT + MINUTE)).toMatchObject({ sent: 1, left: 0 });
  expect(await run(services, AT + 2 * MINUTE)).toMatchObject({ sent: 0, left: 0 });

  await decide('2026-11-23', '2026-11-21T14:00:01Z');
  expect(await run(services, AT + 3 * MINUTE)).toMatchObject({ sent: 2 });
  const { checkpoints, places } = await read();
  expect(
    checkpoints.map(({ week, checkpoint, lines }) => [week, checkpoint.split('\n')[1], lines?.slice(0, 17)]),
  ).toEqual([
    ['2026-11-23', '2', '— witness.example'],
    ['2026-11-16', '1', '— witness.example'],
  ]);
  expect(places.map(({ kind, status }) => [kind, status])).toEqual([
    ['git', 'sent'],
    ['witness', 'sent'],
  ]);
});

it('gives up after a day, and serves the proofs of the other places', async () => {
  await decide('2026-11-30', '2026-11-21T14:00:02Z');
  const away = servicesOf('/nowhere/ledger.git');
  for (let hour = 0; hour <= 26; hour += 1) await run(away, AT + hour * 60 * MINUTE);
  expect((await read()).places[0]).toMatchObject({
    kind: 'git',
    status: 'expired',
    authority: 'a git repository',
  });

  const fileAt = createServedLedger({ database, now: () => AT });
  const anchors = parseAnchors(String((await fileAt('anchors.json'))?.content));
  const tree = await database.transaction(readTree, { readOnly: true });
  if (tree === null) throw new Error('The ledger is empty.');
  const trust = { certificates: null, witness: witness.witness.key };
  expect(
    anchors
      .map((anchor) => verifyAnchor(anchor, tree, trust))
      .map(({ kind, size }) => `${size} ${kind}`)
      .sort(),
  ).toEqual(['1 git', '1 witness', '2 git', '2 witness', '3 witness']);
});

it('ends a transfer by git when the process must end, which is no failed attempt', async () => {
  await decide('2026-12-07', '2026-11-21T14:00:03Z');
  const stop = new AbortController();
  const silent = createServer(() => stop.abort()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const services = servicesOf(`http://127.0.0.1:${port}/ledger.git`, stop.signal);
  const stopped = await run(services, AT, stop);
  expect(stopped).toMatchObject({ later: 0, unavailable: 'The process ended.', problems: [] });
  await new Promise((closed) => silent.close(closed));
  const { sent } = await run(servicesOf(repository.path), AT + 2 * MINUTE);
  expect(stopped.sent + sent).toBe(2);
});
