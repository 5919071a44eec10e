import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Hash } from './merkle-tree.ts';

/** The state of a log: the number of its entries, and the root hash of their Merkle tree (c2sp.org/tlog-checkpoint). */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Hash;
}

export interface LedgerKey {
  readonly origin: string;
  readonly privateKey: KeyObject;
  /** The public key in the text form that verifiers use: `origin+id+key`. */
  readonly verifierKey: string;
}

export interface VerifierKey {
  readonly origin: string;
  readonly id: Buffer;
  readonly publicKey: KeyObject;
}

const SEED_BYTES = 32;
const ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
/** Codes for signatures in a signed note: `log` is Ed25519, `witness` is a cosignature (c2sp.org/tlog-cosignature). */
const ALGORITHMS = { log: 1, witness: 4 } as const;
/** The bytes that come before the 32 bytes of an Ed25519 private key in its DER form (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** `typed` is the code of the algorithm and the public key. */
function keyId(origin: string, typed: Uint8Array): Buffer {
  return createHash('sha256').update(`${origin}\n`).update(typed).digest().subarray(0, ID_BYTES);
}

/** Creates the key from 32 bytes. Its origin is a digest of the public key, so that a log with another key has another name. */
export function createLedgerKey(seed: Uint8Array): LedgerKey {
  if (seed.length !== SEED_BYTES)
    throw new RangeError(
      `The seed in archive.ledger_key has ${seed.length} bytes, not 32. Restore the table from a backup.`,
    );
  const privateKey = createPrivateKey({
    key: Buffer.concat([PRIVATE_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicBytes = Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '', 'base64url');
  const digest = createHash('sha256').update(publicBytes).digest('hex').slice(0, 32);
  const origin = `barometer-ledger/${digest}`;
  const typed = Buffer.concat([Uint8Array.of(ALGORITHMS.log), publicBytes]);
  const id = keyId(origin, typed).toString('hex');
  return { origin, privateKey, verifierKey: `${origin}+${id}+${typed.toString('base64')}` };
}

/** Parses the text form of the public key of a log or of a witness; null if the text is not one. */
export function parseVerifierKey(text: string, signer: keyof typeof ALGORITHMS = 'log'): VerifierKey | null {
  const [, origin = '', id = '', encoded = ''] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([\w+/=]+)$/.exec(text.trim()) ?? [];
  const typed = Buffer.from(encoded, 'base64');
  const publicBytes = typed.subarray(1);
  if (typed[0] !== ALGORITHMS[signer] || publicBytes.length !== SEED_BYTES) return null;
  if (keyId(origin, typed).toString('hex') !== id) return null;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicBytes.toString('base64url') };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  return { origin, id: Buffer.from(id, 'hex'), publicKey };
}

const SIGNATURE_LINE = '— ';

/** Writes a checkpoint as a signed note (c2sp.org/signed-note). Equal states have equal texts. */
export function signCheckpoint({ size, root }: Omit<Checkpoint, 'origin'>, key: LedgerKey): string {
  const body = `${key.origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
  const id = Buffer.from(key.verifierKey.split('+')[1] ?? '', 'hex');
  const signature = Buffer.concat([id, sign(null, Buffer.from(body), key.privateKey)]).toString('base64');
  return `${body}\n${SIGNATURE_LINE}${key.origin} ${signature}\n`;
}

const NOTE = /([^\s+]+)\n(0|[1-9]\d{0,14})\n([\w+/]{43}=)\n\n((?:— \S+ [\w+/=]+(?:\n|$))+)/;

function signaturesOf(lines: string, { origin, id }: VerifierKey): Buffer[] {
  return lines.split('\n').flatMap((line) => {
    const [mark, name, encoded = ''] = line.split(' ');
    const bytes = Buffer.from(encoded, 'base64');
    const isOfKey =
      `${mark} ` === SIGNATURE_LINE && name === origin && bytes.subarray(0, ID_BYTES).equals(id);
    return isOfKey ? [bytes.subarray(ID_BYTES)] : [];
  });
}

/** Finds the first checkpoint in a text; null without one, or without a valid signature of the key. */
export function openCheckpoint(text: string, key: VerifierKey): Checkpoint | null {
  const [, origin = '', size = '', root = '', signatures = ''] =
    NOTE.exec(text.replaceAll('\r\n', '\n')) ?? [];
  if (origin !== key.origin) return null;
  const body = Buffer.from(`${origin}\n${size}\n${root}\n`);
  const isSigned = signaturesOf(signatures, key).some(
    (signature) => signature.length === SIGNATURE_BYTES && verify(null, body, key.publicKey, signature),
  );
  return isSigned ? { origin, size: Number(size), root: Buffer.from(root, 'base64') } : null;
}

/** Returns the origin of the first checkpoint in a text, without a check of its signature; null without one. */
export function checkpointOrigin(text: string): string | null {
  return NOTE.exec(text.replaceAll('\r\n', '\n'))?.[1] ?? null;
}

const TIME_BYTES = 8;

/** Returns the time (epoch ms) of the witness's valid signature (c2sp.org/tlog-cosignature); null without one. */
export function cosignedAt(checkpoint: string, lines: string, witness: VerifierKey): number | null {
  const [body] = checkpoint.split('\n\n');
  for (const bytes of signaturesOf(lines, witness)) {
    if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) continue;
    const seconds = bytes.readBigUInt64BE();
    const signed = Buffer.from(`cosignature/v1\ntime ${seconds}\n${body}\n`);
    if (verify(null, signed, witness.publicKey, bytes.subarray(TIME_BYTES))) return Number(seconds) * 1_000;
  }
  return null;
}
