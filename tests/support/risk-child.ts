// A child process that records risk outlooks and their outcomes, for tests that kill it: node entry.js <address of Postgres>. Each
// line of its input is an instant (epoch ms) at which it records. It prints its progress.
import { createInterface } from 'node:readline';
import { openPostgres } from '#database/postgres.ts';
import { recordRisk } from '#record/record-risk.ts';
import { logTransactions, say } from './log-transactions.ts';

const database = await openPostgres({ url: process.argv[2] ?? '' });
say('ready');
for await (const now of createInterface({ input: process.stdin })) {
  await recordRisk(logTransactions(database, { statements: true }), Number(now));
  say('done');
}
await database.close();
