import { createHash, verify, X509Certificate } from 'node:crypto';
import { type Der, derOf, oidOf, readDer } from './der.ts';
import { LedgerError } from './entries.ts';

const SHA256 = '2.16.840.1.101.3.4.2.1';
const SHA256_DER = Buffer.from('300d06096086480165030402010500', 'hex');
const TRUE_DER = Buffer.from('0101ff', 'hex');
const DIGESTS: Readonly<Record<string, string>> = {
  [SHA256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
/** Digests that a signature algorithm names itself. Plain RSA and ECDSA use the digest of the signer. */
const SIGNATURES: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.1': null,
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.2.1': null,
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
};
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const [INTEGER, OCTETS, SEQUENCE, SET, CONTEXT_0] = [0x02, 0x04, 0x30, 0x31, 0xa0];
const LONGEST_CHAIN = 5;

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest();
const refuse = (fault: string) => new LedgerError(`The timestamp ${fault}.`);

/** Returns a request for a timestamp of `data` with the certificate of the authority (RFC 3161, section 2.4.1). */
export function timestampRequest(data: Uint8Array): Buffer {
  return derOf(
    SEQUENCE,
    derOf(INTEGER, Uint8Array.of(1)),
    derOf(SEQUENCE, SHA256_DER, derOf(OCTETS, sha256(data))),
    TRUE_DER,
  );
}

function partOf(parts: readonly Der[], place: number): Der {
  const part = parts[place];
  if (part === undefined) throw refuse('is not a response of RFC 3161');
  return part;
}

/** Parses a time such as '20261121140000.5Z' to epoch ms. */
function timeOf({ content }: Der): number {
  const [, year, month, day, hour, minute, second, fraction = ''] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d+)?Z$/.exec(String(content)) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(at)) throw refuse('has no valid time');
  return at + Math.floor(Number(fraction || 0) * 1_000);
}

function attributeOf(attributes: readonly Der[], type: string): Der {
  const found = attributes.map(({ parts }) => parts()).find(([oid]) => oid && oidOf(oid) === type);
  return partOf(partOf(found ?? [], 1).parts(), 0);
}

/** True if a chain leads from the certificate to a trusted one, and each certificate of it was valid at the time. */
function isTrusted(
  certificate: X509Certificate,
  {
    trusted,
    others,
    at,
  }: { trusted: readonly X509Certificate[]; others: readonly X509Certificate[]; at: number },
  length = 1,
): boolean {
  if (at < Date.parse(certificate.validFrom) || at > Date.parse(certificate.validTo)) return false;
  if (trusted.some(({ raw }) => raw.equals(certificate.raw))) return true;
  if (length > LONGEST_CHAIN) return false;
  const isIssuer = (issuer: X509Certificate) =>
    issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  return [...trusted, ...others].some(
    (issuer) => isIssuer(issuer) && isTrusted(issuer, { trusted, others, at }, length + 1),
  );
}

/**
 * Verifies a response to a timestamp request (RFC 3161): hash, signature, purpose of the certificate, and its chain to one
 * of the `trusted` (null: anybody may have signed) at that time, but no revocation. Returns the signed time (epoch ms).
 * Throws LedgerError.
 */
export function verifyTimestamp(
  response: Uint8Array,
  data: Uint8Array,
  trusted: readonly X509Certificate[] | null,
): number {
  try {
    return verifyParts(response, data, trusted);
  } catch (error) {
    if (error instanceof LedgerError) throw error;
    throw new LedgerError('The timestamp is not a response of RFC 3161.', { cause: error });
  }
}

function verifyParts(...[response, data, trusted]: Parameters<typeof verifyTimestamp>): number {
  const [status, token] = readDer(response).parts();
  const code = status?.parts()[0]?.content[0];
  if ((code !== 0 && code !== 1) || token === undefined)
    throw refuse(`was refused by the authority (status ${code ?? 'missing'})`);
  const [contentType, wrapped] = token.parts();
  const signedData = partOf(wrapped?.parts() ?? [], 0).parts();
  const [infoType, infoWrapped] = partOf(signedData, 2).parts();
  if (!contentType || oidOf(contentType) !== SIGNED_DATA || !infoType || oidOf(infoType) !== TST_INFO)
    throw refuse('is not a response of RFC 3161');
  const info = partOf(infoWrapped?.parts() ?? [], 0).content;
  const fields = readDer(info).parts();
  const [algorithm, imprint] = partOf(fields, 2).parts();
  if (oidOf(partOf(algorithm?.parts() ?? [], 0)) !== SHA256 || !imprint?.content.equals(sha256(data)))
    throw refuse('is of other data');
  const at = timeOf(partOf(fields, 4));

  const signer = partOf(partOf(signedData, signedData.length - 1).parts(), 0).parts();
  const digest = DIGESTS[oidOf(partOf(partOf(signer, 2).parts(), 0))];
  const attributes = partOf(signer, 3);
  const named = SIGNATURES[oidOf(partOf(partOf(signer, 4).parts(), 0))];
  if (digest === undefined || named === undefined || attributes.tag !== CONTEXT_0)
    throw refuse('has an unknown signature algorithm');
  if (oidOf(attributeOf(attributes.parts(), CONTENT_TYPE)) !== TST_INFO)
    throw refuse('signs another type of content');
  const signedDigest = attributeOf(attributes.parts(), MESSAGE_DIGEST).content;
  if (!signedDigest.equals(createHash(digest).update(info).digest()))
    throw refuse('has a time or a hash that was changed');
  // The signature is over the attributes as a set (RFC 5652, section 5.4).
  const signed = derOf(SET, attributes.content);
  const signature = partOf(signer, 5).content;
  const others = signedData
    .filter(({ tag }) => tag === CONTEXT_0)
    .flatMap((list) => list.parts().map(({ raw }) => new X509Certificate(raw)));
  const certificate = [...others, ...(trusted ?? [])].find(
    ({ publicKey, keyUsage = [] }) =>
      keyUsage.join() === TIME_STAMPING && verify(named ?? digest, signed, publicKey, signature),
  );
  if (certificate === undefined) throw refuse('has no valid signature of a certificate for timestamps');
  if (trusted !== null && !isTrusted(certificate, { trusted, others, at }))
    throw refuse('is not signed by the trusted authority, or its certificate was not valid then');
  return at;
}
