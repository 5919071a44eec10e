import { expect, test } from 'vitest';
import { publishedReads } from './published-reads.ts';

test('reads the file once for all reads, also if an older read of it fails meanwhile', async () => {
  const asked: { resolve: (response: Response) => void; reject: (error: Error) => void }[] = [];
  const fetch = () => new Promise<Response>((resolve, reject) => asked.push({ resolve, reject }));
  const reads = publishedReads('{"reads":"reads.json"}', 'https://page.example/', fetch);
  const old = reads?.at();
  reads?.forget();
  const first = reads?.at();
  asked[0]?.reject(new Error('The connection was lost.'));
  await expect(old).rejects.toThrow('The connection was lost.');
  const second = reads?.at();
  asked[1]?.resolve(Response.json({ at: 2, responses: {} }));
  expect(await Promise.all([first, second])).toEqual([2, 2]);
  expect(asked).toHaveLength(2);
});

test('reads the file again after a failure', async () => {
  const answers = [new Response(null, { status: 503 }), Response.json({ at: 1, responses: {} })];
  const fetch = async () => answers.shift() ?? Response.error();
  const reads = publishedReads('{"reads":"reads.json"}', 'https://page.example/', fetch);
  await expect(reads?.at()).rejects.toThrow('Failed to fetch data');
  expect(await reads?.at()).toBe(1);
});
