import type { X509Certificate } from 'node:crypto';
import type { Anchor } from './anchors.ts';
import { cosignedAt, type VerifierKey } from './checkpoint.ts';
import { readLimited } from './download.ts';
import { LedgerError } from './entries.ts';
import { nameOfRepository, publishCheckpoint } from './git-repository.ts';
import { consistencyProof } from './merkle-tree.ts';
import { timestampRequest, verifyTimestamp } from './timestamp.ts';
import { type LedgerTree, openContained } from './verify-ledger.ts';

/** A witness: its address without a trailing slash, and its key. */
export interface Witness {
  readonly url: string;
  readonly key: VerifierKey;
}

/** The external anchors that checkpoints are sent to; null for each that is not configured. */
export interface AnchorSettings {
  /** The address of a git repository. It may contain a password. */
  readonly git: string | null;
  /** A timestamp authority (RFC 3161), and the certificates that it may be issued by. */
  readonly timestamp: { readonly url: string; readonly trusted: readonly X509Certificate[] } | null;
  readonly witness: Witness | null;
}

export interface AnchorService extends Pick<Anchor, 'kind' | 'authority'> {
  /** Anchors a checkpoint. Returns the proof and its time (epoch ms), which is by our clock for git. Throws LedgerError. */
  anchor(checkpoint: string, tree: LedgerTree): Promise<{ readonly proof: string; readonly at: number }>;
}

interface Requests {
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  /** Aborts when the process must end: a transfer by git, which has the longest time limit, is killed. */
  readonly signal?: AbortSignal;
}

const TIMEOUT_MS = 30_000;
const LONGEST_PROOF = 32_768;
const [OK, CONFLICT] = [200, 409];

async function post(url: string, type: string, body: string | Uint8Array<ArrayBuffer>, { fetch }: Requests) {
  const { host } = new URL(url);
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const headers = { 'Content-Type': type };
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    return { status: response.status, bytes: await readLimited(response, host, LONGEST_PROOF), host };
  } catch (error) {
    if (error instanceof LedgerError) throw error;
    throw new LedgerError(`${host} cannot be reached.`, { cause: error });
  }
}

function gitService(repository: string, { now, signal }: Requests): AnchorService {
  const authority = nameOfRepository(repository);
  return {
    ...{ kind: 'git', authority },
    async anchor(checkpoint, tree) {
      const check = (published: string) =>
        void openContained(published, tree, `the checkpoint in ${authority}`);
      return { proof: await publishCheckpoint(repository, checkpoint, check, signal), at: now() };
    },
  };
}

function timestampService(
  { url, trusted }: NonNullable<AnchorSettings['timestamp']>,
  requests: Requests,
): AnchorService {
  return {
    ...{ kind: 'timestamp', authority: new URL(url).host },
    async anchor(checkpoint) {
      const data = Buffer.from(checkpoint);
      const request = new Uint8Array(timestampRequest(data));
      const { status, bytes, host } = await post(url, 'application/timestamp-query', request, requests);
      if (status !== OK) throw new LedgerError(`${host} responds ${status}.`);
      return { proof: bytes.toString('base64'), at: verifyTimestamp(bytes, data, trusted) };
    },
  };
}

function witnessService({ url, key }: Witness, requests: Requests): AnchorService {
  return {
    ...{ kind: 'witness', authority: key.origin },
    async anchor(checkpoint, { leaves, ...tree }) {
      const { size } = openContained(checkpoint, { ...tree, leaves }, 'the checkpoint');
      const send = (from: number) => {
        const proof = consistencyProof(leaves.slice(0, size), from);
        const lines = proof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`).join('');
        const body = `old ${from}\n${lines}\n${checkpoint}`;
        return post(`${url}/add-checkpoint`, 'text/plain; charset=utf-8', body, requests);
      };
      let response = await send(0);
      // A witness that has seen this ledger responds with the size that it saw.
      const seen = Number(response.bytes);
      if (response.status === CONFLICT && Number.isSafeInteger(seen)) {
        if (seen > size)
          throw new LedgerError(
            `The witness has seen ${seen} entries, more than the ${size} of the checkpoint. A backup was restored, or the ledger was begun anew.`,
          );
        response = await send(seen);
      }
      const { status, bytes, host } = response;
      if (status === CONFLICT || status === 422)
        throw new LedgerError(
          `The witness refuses the ledger: it is not the one that it saw before (${status}).`,
        );
      if (status !== OK) throw new LedgerError(`${host} responds ${status}.`);
      const proof = bytes.toString();
      const at = cosignedAt(checkpoint, proof, key);
      if (at === null) throw new LedgerError(`${host} responds without a valid signature of ${key.origin}.`);
      return { proof, at };
    },
  };
}

export function anchorServices(settings: AnchorSettings, requests: Requests): AnchorService[] {
  const { git, timestamp, witness } = settings;
  return [
    ...(git === null ? [] : [gitService(git, requests)]),
    ...(timestamp === null ? [] : [timestampService(timestamp, requests)]),
    ...(witness === null ? [] : [witnessService(witness, requests)]),
  ];
}
