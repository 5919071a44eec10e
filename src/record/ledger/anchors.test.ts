import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createRepository,
  hasAnchorPrograms,
  isConsistent,
  startAuthority,
  startWitness,
} from '#tests/support/anchor-places.ts';
import { listenOnLoopback } from '#tests/support/loopback.ts';
import { shared } from '#tests/support/shared.ts';
import { type AnchorSettings, anchorServices } from './anchor-services.ts';
import {
  type Anchor,
  type AnchorKind,
  lateDecisions,
  parseAnchors,
  type Trust,
  verifyAnchor,
} from './anchors.ts';
import { createLedgerKey, parseVerifierKey, signCheckpoint } from './checkpoint.ts';
import { git, readCheckpoints } from './git-repository.ts';
import { consistencyProof, leafHash, treeHash } from './merkle-tree.ts';

const NONE: AnchorSettings = { git: null, timestamp: null, witness: null };
/** The time of the witness (s) and of our clock (ms). */
const WITNESSED = 1_795_000_000;
const NOW = 1_795_000_600_000;

function ledgerOf(entries: readonly string[], seed = 3) {
  const key = createLedgerKey(Buffer.alloc(32, seed));
  const parsed = parseVerifierKey(key.verifierKey);
  if (parsed === null) throw new Error('The key is invalid.');
  const leaves = entries.map((entry) => leafHash(Buffer.from(entry)));
  return {
    tree: { key: parsed, leaves },
    checkpoint: (size: number = leaves.length) =>
      signCheckpoint({ size, root: treeHash(leaves.slice(0, size)) }, key),
  };
}

type Ledger = ReturnType<typeof ledgerOf>;

const ENTRIES = Array.from({ length: 20 }, (_, index) => `entry ${index}`);
const SIZE = 13;
const HONEST = ledgerOf(ENTRIES);
const CHECKPOINT = HONEST.checkpoint(SIZE);
const FALSE_LEDGERS = [
  ['a rebuilt log', ledgerOf(ENTRIES, 4), /was begun anew, or belongs to another site\.$/],
  ['an old backup', ledgerOf(ENTRIES.slice(0, SIZE - 1)), /^The ledger has 12 entries, fewer than the 13 of/],
  ['a changed entry', ledgerOf(ENTRIES.with(4, 'another')), /An entry was changed after its publication\.$/],
] as const;

it('proves the consistency of each pair of trees up to 20 entries', () => {
  const stateOf = (size: number) => ({ size, root: treeHash(HONEST.tree.leaves.slice(0, size)) });
  for (let to = 1; to <= ENTRIES.length; to += 1) {
    const leaves = HONEST.tree.leaves.slice(0, to);
    expect(consistencyProof(leaves, 0)).toEqual([]);
    for (let from = 1; from < to; from += 1) {
      const proof = consistencyProof(leaves, from);
      expect(isConsistent(stateOf(from), stateOf(to), proof), `${from} ${to}`).toBe(true);
    }
  }
});

describe.skipIf(!hasAnchorPrograms())('an anchor', () => {
  const repository = shared(createRepository);
  const authorityOf = (kind: 'rsa' | 'ec') => shared(() => startAuthority(kind));
  const [rsa, ec] = [authorityOf('rsa'), authorityOf('ec')];
  const witness = shared(() => startWitness(WITNESSED));
  const anchors = new Map<AnchorKind, Anchor & { at: number }>();

  const trust = () => ({ certificates: rsa.trusted, witness: witness.witness.key });
  const places = (): AnchorSettings => ({ git: repository.path, timestamp: rsa, witness: witness.witness });
  const anchor = async (settings: Partial<AnchorSettings>, { tree }: Ledger, checkpoint: string) => {
    const [service] = anchorServices({ ...NONE, ...settings }, { fetch, now: () => NOW });
    if (service === undefined) throw new Error('No place is configured.');
    const { kind, authority } = service;
    return { kind, authority, checkpoint, ...(await service.anchor(checkpoint, tree)) };
  };
  const anchorOf = (kind: AnchorKind) => anchors.get(kind) as Anchor & { at: number };

  beforeAll(async () => {
    for (const [kind, place] of Object.entries(places()))
      anchors.set(kind as AnchorKind, await anchor({ [kind]: place }, HONEST, CHECKPOINT));
  });

  describe.each(['git', 'timestamp', 'witness'] as const)('by %s', (kind) => {
    it('matches the ledger, also after it has grown', () => {
      const { authority, at } = anchorOf(kind);
      const signedAt = kind === 'git' ? null : at;
      const copies = parseAnchors(JSON.stringify([anchorOf(kind)]));
      const verified = copies.map((copy) => verifyAnchor(copy, HONEST.tree, trust()));
      expect(verified).toEqual([{ kind, authority, size: SIZE, at: signedAt }]);
    });

    it.each(FALSE_LEDGERS)('refuses %s', (_, { tree }, sentence) => {
      expect(() => verifyAnchor(anchorOf(kind), tree, trust())).toThrow(sentence);
    });

    it('accepts the same checkpoint again, and a later one', async () => {
      const place = { [kind]: places()[kind] };
      await expect(anchor(place, HONEST, CHECKPOINT)).resolves.toMatchObject({ kind });
      const later = HONEST.checkpoint(SIZE + 1);
      const next = await anchor(place, HONEST, later);
      expect(verifyAnchor(next, HONEST.tree, trust())).toMatchObject({ size: SIZE + 1 });
    });
  });

  it.each(['git', 'witness'] as const)('by %s does not accept a ledger that was changed', async (kind) => {
    const place = { [kind]: places()[kind] };
    const before = await readCheckpoints(repository.path);
    for (const [, changed] of FALSE_LEDGERS)
      await expect(anchor(place, changed, changed.checkpoint())).rejects.toThrow(/\.$/);
    expect(await readCheckpoints(repository.path)).toEqual(before);
  });

  it('by git is a file of a repository that anybody can clone', async () => {
    const show = ['-C', repository.path, 'show', `${anchorOf('git').proof}:checkpoint`];
    expect(execFileSync('git', show).toString()).toBe(CHECKPOINT);
    expect((await readCheckpoints(repository.path)).at(-1)).toBe(CHECKPOINT);
  });

  it('by a timestamp is accepted by openssl', () => {
    const folder = mkdtempSync(join(tmpdir(), 'timestamp-'));
    writeFileSync(join(folder, 'reply'), Buffer.from(anchorOf('timestamp').proof, 'base64'));
    writeFileSync(join(folder, 'checkpoint'), CHECKPOINT);
    const verify = ['ts', '-verify', '-in', 'reply', '-data', 'checkpoint', '-CAfile', rsa.rootFile];
    expect(String(execFileSync('openssl', verify, { cwd: folder, stdio: 'pipe' }))).toContain('OK');
    rmSync(folder, { recursive: true });
  });

  it('by a timestamp is accepted from an authority with an elliptic curve', async () => {
    const stamped = await anchor({ timestamp: ec }, HONEST, CHECKPOINT);
    const verified = (certificates: Trust['certificates']) =>
      verifyAnchor(stamped, HONEST.tree, { ...trust(), certificates }).at;
    // Without a trusted certificate the time is not proved.
    expect([verified(ec.trusted), verified(null)]).toEqual([stamped.at, null]);
    expect(() => verified(rsa.trusted)).toThrow('is not signed by the trusted authority');
  });

  it('by a timestamp refuses a certificate for another purpose', async () => {
    const stamped = await anchor({ timestamp: rsa }, HONEST, CHECKPOINT);
    const forged = { ...stamped, proof: (await rsa.signForWeb()).toString('base64') };
    const sentence = 'has no valid signature of a certificate for timestamps';
    expect(() => verifyAnchor(forged, HONEST.tree, trust())).toThrow(sentence);
  });

  it('by a timestamp refuses one of another checkpoint, and each response with a flipped bit', () => {
    const stamped = anchorOf('timestamp');
    const other = { ...stamped, checkpoint: HONEST.checkpoint(SIZE - 1) };
    expect(() => verifyAnchor(other, HONEST.tree, trust())).toThrow('is of other data');
    const response = Buffer.from(stamped.proof, 'base64');
    const { at } = verifyAnchor(stamped, HONEST.tree, trust());
    for (let place = 0; place < response.length; place += 7) {
      const flipped = Buffer.from(response);
      flipped[place] = (flipped[place] ?? 0) ^ 4;
      let signed: number | null = at;
      try {
        signed = verifyAnchor({ ...stamped, proof: flipped.toString('base64') }, HONEST.tree, trust()).at;
      } catch (error) {
        expect(String(error)).toMatch(/^LedgerError: The timestamp .*\.$/);
      }
      // A bit outside the signed parts may change nothing, but never the time.
      expect(signed).toBe(at);
    }
  });

  it('by a witness refuses the signature of another one', async () => {
    const other = await startWitness(WITNESSED);
    await other.close();
    const trusted = { ...trust(), witness: other.witness.key };
    expect(() => verifyAnchor(anchorOf('witness'), HONEST.tree, trusted)).toThrow(
      'The signature of the witness witness.example is not of a key of --witness',
    );
  });

  it('by git fails in time if the repository does not respond', async () => {
    const stop = new AbortController();
    const { url, close } = await listenOnLoopback(() => stop.abort());
    // Without git's own limit, which would end the transfer later.
    const list = ['-c', 'http.lowSpeedTime=0', 'ls-remote', `${url}/ledger.git`];
    await expect(git(tmpdir(), list, { signal: stop.signal })).rejects.toThrow(
      'git did not end in time. Check the connection to the repository.',
    );
    await close();
  });

  it('names a place that is unreachable, without its password', async () => {
    const away = 'http://operator:hunter2@127.0.0.1:9/ledger.git';
    const { url: failing, close } = await listenOnLoopback((_, response) => response.writeHead(500).end());
    const cases: [Partial<AnchorSettings>, RegExp][] = [
      [{ git: away }, /^git clone failed: .*\.$/],
      [{ timestamp: { url: failing, trusted: [] } }, /^127\.0\.0\.1:\d+ responds 500\.$/],
      [{ witness: { ...witness.witness, url: failing } }, /^127\.0\.0\.1:\d+ responds 500\.$/],
      [{ timestamp: { url: 'http://127.0.0.1:9', trusted: [] } }, /^127\.0\.0\.1:9 cannot be reached\.$/],
    ];
    for (const [settings, sentence] of cases) {
      const failed = await anchor(settings, HONEST, CHECKPOINT).catch((error: unknown) => error);
      expect(String(failed)).not.toContain('hunter2');
      expect((failed as Error).message).toMatch(sentence);
    }
    await close();
  });
});

it('lists the decisions that no authority has signed within two days', () => {
  const entries = ['2026-01-05', '2026-01-12', '2026-01-19'].map((week, index) => {
    const origin = index === 0 ? 'rebuilt' : 'live';
    return { index, kind: 'signal', fields: { week, origin, decided_at: `${week}T14:00:00Z` } };
  });
  const signed = (size: number, at: string) =>
    ({ kind: 'witness', authority: 'w', size, at: Date.parse(at) }) as const;
  expect(lateDecisions(entries, [signed(2, '2026-01-13'), signed(3, '2026-01-20')])).toEqual([]);
  expect(lateDecisions(entries, [signed(3, '2026-01-20')])).toEqual(['2026-01-12']);
  expect(lateDecisions(entries, [signed(3, '2026-06-01')])).toEqual(['2026-01-12', '2026-01-19']);
});
