import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { HASH_BYTES, type Hash } from './merkle-tree.ts';

/** The state of a log: the number of its entries, and the root hash of their Merkle tree (c2sp.org/tlog-checkpoint). */
export interface Checkpoint {
  /** The name of the log. Its signing key has the same name. */
  readonly origin: string;
  readonly size: number;
  readonly root: Hash;
}

/** A key that signs checkpoints. */
export interface LedgerKey {
  readonly origin: string;
  readonly privateKey: KeyObject;
  /** The public key in the text form that verifiers use: `origin+id+key`. */
  readonly verifierKey: string;
}

/** The public key with which a verifier checks signatures. */
export interface VerifierKey {
  readonly origin: string;
  readonly id: Buffer;
  readonly publicKey: KeyObject;
}

const SEED_BYTES = 32;
const ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
/** The code for an Ed25519 signature in a signed note. */
const ED25519 = Uint8Array.of(1);
/** The bytes that come before the 32 bytes of an Ed25519 private key in its DER form (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

function keyId(origin: string, publicBytes: Uint8Array): Buffer {
  const hash = createHash('sha256').update(`${origin}\n`).update(ED25519).update(publicBytes).digest();
  return hash.subarray(0, ID_BYTES);
}

/**
 * Creates the key from a seed of 32 bytes. The origin is a digest of the public key, so that a log with another key
 * always has another name.
 */
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
  const publicBytes = createPublicKey(privateKey)
    .export({ format: 'der', type: 'spki' })
    .subarray(PUBLIC_PREFIX.length);
  const digest = createHash('sha256').update(publicBytes).digest('hex').slice(0, 32);
  const origin = `barometer-ledger/${digest}`;
  const id = keyId(origin, publicBytes).toString('hex');
  const encoded = Buffer.concat([ED25519, publicBytes]).toString('base64');
  return { origin, privateKey, verifierKey: `${origin}+${id}+${encoded}` };
}

/** Parses the text form of a public key; null if the text is not one. */
export function parseVerifierKey(text: string): VerifierKey | null {
  const [, origin = '', id = '', encoded = ''] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([\w+/=]+)$/.exec(text.trim()) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const publicBytes = bytes.subarray(1);
  if (bytes[0] !== ED25519[0] || publicBytes.length !== SEED_BYTES) return null;
  if (keyId(origin, publicBytes).toString('hex') !== id) return null;
  const publicKey = createPublicKey({
    key: Buffer.concat([PUBLIC_PREFIX, publicBytes]),
    format: 'der',
    type: 'spki',
  });
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

/** Matches a checkpoint in a longer text, such as a mail. */
const NOTE = /([^\s+]+)\n(0|[1-9]\d{0,14})\n([\w+/]{43}=)\n\n((?:— \S+ [\w+/=]+(?:\n|$))+)/;

/**
 * Finds the first checkpoint in a text and verifies its signature. Returns null if there is no checkpoint, or if it has
 * no valid signature of the key.
 */
export function openCheckpoint(text: string, key: VerifierKey): Checkpoint | null {
  const [, origin = '', size = '', root = '', signatures = ''] =
    NOTE.exec(text.replaceAll('\r\n', '\n')) ?? [];
  if (origin !== key.origin) return null;
  const body = Buffer.from(`${origin}\n${size}\n${root}\n`);
  const isSigned = signatures.split('\n').some((line) => {
    const [, name, encoded = ''] = line.split(' ');
    const bytes = Buffer.from(encoded, 'base64');
    const isOfKey = name === origin && bytes.subarray(0, ID_BYTES).equals(key.id);
    const signature = bytes.subarray(ID_BYTES);
    return isOfKey && signature.length === SIGNATURE_BYTES && verify(null, body, key.publicKey, signature);
  });
  const hash = Buffer.from(root, 'base64');
  return isSigned && hash.length === HASH_BYTES ? { origin, size: Number(size), root: hash } : null;
}

/**
 * Returns the origin of the first checkpoint in a text, without a check of its signature; null if there is no
 * checkpoint.
 */
export function checkpointOrigin(text: string): string | null {
  return NOTE.exec(text.replaceAll('\r\n', '\n'))?.[1] ?? null;
}
