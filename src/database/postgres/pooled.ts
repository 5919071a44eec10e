import type { Client } from 'pg';

/**
 * Whether a pooler is between a connected client and Postgres. One tells its clients a number of its own, since the process
 * that a connection is served by may be another for each transaction.
 */
export async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== (client as Client & { readonly processID: number | null }).processID;
}
