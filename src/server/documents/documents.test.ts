import { expect, it } from 'vitest';
import { serveLedgerFiles } from './documents.ts';

const TILE = Buffer.alloc(32);
const serve = serveLedgerFiles(async (path) => {
  if (path === 'checkpoint') return { content: Buffer.from('origin\n'), isImmutable: false };
  return path === 'tile/0/000.p/1' ? { content: TILE, isImmutable: true } : null;
});
const at = async (path: string) => {
  const served = await serve({ path: `/ledger/${path}`, query: '', client: () => '' });
  return served && { headers: served.value.headers, content: served.value.content };
};

it.each([
  ['checkpoint', 'text/plain; charset=utf-8', 'no-cache', Buffer.from('origin\n')],
  ['tile/0/000.p/1', 'application/octet-stream', 'public, max-age=31536000, immutable', TILE],
])('serves the file %s of the ledger to pages of any site', async (path, type, caching, content) => {
  expect(await at(path)).toMatchObject({
    headers: { 'Content-Type': type, 'Cache-Control': caching, 'Access-Control-Allow-Origin': '*' },
    content,
  });
});

it.each(['', 'tile/0/000'])('serves no file of the ledger at /ledger/%s', async (path) => {
  expect(await at(path)).toBeNull();
});
