/**
 * A second verifier of the ledger, written from docs/api.md alone with the standard library of Node. It shares no code
 * with the product. Usage: node second-verifier.mjs SITE [FILE WITH AN OLDER CHECKPOINT]
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [site = '', olderFile] = process.argv.slice(2);
const WIDTH = 256;

/** @param {unknown} isTrue @param {string} text */
function must(isTrue, text) {
  if (!isTrue) throw new Error(text);
}

/** @param {string} path */
async function get(path) {
  const response = await fetch(site + path);
  must(response.ok, `${path} responds ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** @param {Uint8Array[]} parts */
const sha = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** @param {Buffer[]} leaves @returns {Buffer} */
function rootOf(leaves) {
  const [first] = leaves;
  if (leaves.length === 1 && first !== undefined) return first;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return sha(Buffer.of(1), rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

/** @param {number} number */
function tileNumber(number) {
  const groups = [String(number % 1000).padStart(3, '0')];
  for (let rest = Math.floor(number / 1000); rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`);
  return groups.join('/');
}

/** Reads all items of a row of tiles. @param {string} level @param {number} count */
async function tilesOf(level, count) {
  const tiles = [];
  for (let at = 0; at < count; at += WIDTH) {
    const rest = count - at;
    const part = rest < WIDTH ? `.p/${rest}` : '';
    tiles.push(await get(`/ledger/tile/${level}/${tileNumber(at / WIDTH)}${part}`));
  }
  return tiles;
}

const line = String(await get('/ledger/key')).trim();
const [name = '', id = ''] = line.split('+');
const encodedKey = Buffer.from(line.slice(name.length + id.length + 2), 'base64');
must(encodedKey.length === 33 && encodedKey[0] === 1, 'The key is no Ed25519 key');
must(
  sha(Buffer.from(`${name}\n`), encodedKey)
    .toString('hex')
    .slice(0, 8) === id,
  'The key has another id',
);
const publicKey = createPublicKey({
  key: { kty: 'OKP', crv: 'Ed25519', x: encodedKey.subarray(1).toString('base64url') },
  format: 'jwk',
});

/** @param {string} text */
function openCheckpoint(text) {
  const start = text.indexOf(`${name}\n`);
  must(start >= 0, 'The checkpoint is of another log');
  const [origin = '', size = '', root = '', empty, signed = ''] = text.slice(start).split('\n');
  const signature = Buffer.from(signed.split(' ')[2] ?? '', 'base64');
  must(empty === '' && signed.startsWith(`— ${name} `), 'The checkpoint has no signature');
  must(signature.subarray(0, 4).toString('hex') === id, 'Another key signed the checkpoint');
  const body = Buffer.from(`${origin}\n${size}\n${root}\n`);
  must(verify(null, body, publicKey, signature.subarray(4)), 'The signature is wrong');
  return { size: Number(size), root };
}

const current = openCheckpoint(String(await get('/ledger/checkpoint')));
/** @type {Buffer[]} */
const raw = [];
for (const bundle of await tilesOf('entries', current.size)) {
  for (let at = 0; at < bundle.length; at += 2 + bundle.readUInt16BE(at))
    raw.push(bundle.subarray(at + 2, at + 2 + bundle.readUInt16BE(at)));
}
must(raw.length === current.size, 'An entry is missing');
const leaves = raw.map((entry) => sha(Buffer.of(0), entry));
must(rootOf(leaves).toString('base64') === current.root, 'The entries have another root');
for (let level = 0, hashes = leaves; hashes.length > 0; level += 1) {
  const tiles = await tilesOf(String(level), hashes.length);
  must(Buffer.concat(tiles).equals(Buffer.concat(hashes)), `The tiles of level ${level} differ`);
  const full = Math.floor(hashes.length / WIDTH);
  hashes = Array.from({ length: full }, (_, at) => rootOf(hashes.slice(at * WIDTH, (at + 1) * WIDTH)));
}
if (olderFile !== undefined) {
  const older = openCheckpoint(readFileSync(olderFile, 'utf8').replaceAll('\r\n', '\n'));
  must(older.size <= raw.length, 'Entries were removed since the older checkpoint');
  const root = rootOf(leaves.slice(0, older.size)).toString('base64');
  must(root === older.root, 'An entry was changed since the older checkpoint');
}

/** @param {unknown} value @returns {string} */
function canonical(value) {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const names = Object.keys(value).sort();
  const members = names.map(
    (member) => `${JSON.stringify(member)}:${canonical(/** @type {any} */ (value)[member])}`,
  );
  return `{${members.join(',')}}`;
}

/** @type {Record<string, any>[]} */
const entries = raw.map((bytes, at) => {
  const entry = JSON.parse(String(bytes));
  must(canonical(entry) === String(bytes), `Entry ${at} is not in canonical form`);
  return entry;
});

/** @type {Record<string, { table?: string; key: string; time: string; renamed?: string }>} */
const KINDS = {
  signal: { table: 'issued_signals', key: 'week', time: 'decided_at' },
  grade: { table: 'signal_grades', key: 'id', time: 'graded_at' },
  publication: { table: 'publications', key: 'id', time: 'published_at', renamed: 'run' },
  event: { table: 'quality_events', key: 'id', time: 'at', renamed: 'event' },
  change: { table: 'verdict_changes', key: 'id', time: 'at' },
  // No table: the ledger is where everybody can read them.
  risk: { key: 'id', time: 'at' },
};

/** @param {Record<string, any>} entry */
const isFuture = (entry) => Date.parse(entry[KINDS[entry.kind]?.time ?? '']) > Date.now() + 3_600_000;

const newest = new Map();
const weeks = new Set();
for (const [at, entry] of entries.entries()) {
  const kind = KINDS[entry.kind];
  must(kind !== undefined, `Entry ${at} has an unknown kind`);
  if (entry.kind === 'signal') {
    must(!weeks.has(entry.week), `Entry ${at} decides a week twice`);
    weeks.add(entry.week);
  }
  if (entry.kind === 'grade') must(weeks.has(entry.week), `Entry ${at} grades a week without a decision`);
  if (entry.origin === 'rebuilt' || isFuture(entry)) continue;
  for (const field of entry.kind === 'signal' ? ['week', 'decided_at'] : [kind?.time ?? '']) {
    const key = `${entry.kind} ${field}`;
    must(!(entry[field] < newest.get(key)), `Entry ${at} has a ${field} that goes back`);
    newest.set(key, entry[field]);
  }
}

const apikey = /"anonKey":"([^"]+)"/.exec(String(await get('/')))?.[1];
/** @param {unknown} value */
const instant = (value) => {
  const [, seconds, fraction = ''] = /^(.*T\d\d:\d\d:\d\d)\.?(\d*)\+00:00$/.exec(String(value)) ?? [];
  return seconds === undefined ? value : `${seconds}.${fraction.padEnd(6, '0')}Z`;
};
for (const [kind, { table, key, renamed }] of Object.entries(KINDS)) {
  if (table === undefined) continue;
  const left = new Map(
    entries
      .filter(
        (entry) =>
          entry.kind === kind && (kind !== 'change' || entry.from_verdict !== null) && !isFuture(entry),
      )
      .map((entry) => [entry[key], entry]),
  );
  for (let offset = 0, count = 1000; count === 1000; offset += count) {
    const path = `/rest/v1/${table}?order=id.asc&limit=1000&offset=${offset}&apikey=${apikey}`;
    const rows = JSON.parse(String(await get(path)));
    for (const row of rows) {
      const entry = left.get(row[key]);
      must(entry !== undefined, `${table} has a row ${row[key]} without an entry`);
      left.delete(row[key]);
      for (const [column, value] of Object.entries(row)) {
        if (table === 'issued_signals' && ['id', 'created_at'].includes(column)) continue;
        const recorded = entry[column === 'kind' && renamed !== undefined ? renamed : column];
        must(
          instant(value) === recorded,
          `${table} ${row[key]}: ${column} is ${value}, recorded ${recorded}`,
        );
      }
    }
    count = rows.length;
  }
  must(left.size === 0, `${table} lacks the row ${[...left.keys()][0]}`);
}

const days = entries.filter(
  (entry) => entry.kind === 'publication' && entry.origin === 'live' && !isFuture(entry),
);
for (const [at, { session, sha256 }] of days.entries()) {
  const isLast = !days.slice(at + 1).some((day) => day.session === session);
  for (const path of [`/on/${session}.${sha256}.json`, ...(isLast ? [`/on/${session}.json`] : [])])
    must(sha(await get(path)).toString('hex') === sha256, `${path} has another SHA-256`);
}
console.log(`${entries.length} entries, ${days.length} days`);
