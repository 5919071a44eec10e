import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from, to } from 'pg-copy-streams';

const CHUNK = 1 << 16;

function* chunksOf(data: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < data.length; start += CHUNK) yield data.subarray(start, start + CHUNK);
}

/** Feeds `data` to a `copy … from stdin`; answers how many rows it took. */
export async function copyIn(client: PoolClient, sql: string, data: Uint8Array): Promise<number> {
  const stream = client.query(from(sql));
  await pipeline(chunksOf(data), stream);
  return stream.rowCount ?? 0;
}

/** All of what a `copy … to stdout` answers. */
export async function copyOut(client: PoolClient, sql: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of client.query(to(sql))) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
