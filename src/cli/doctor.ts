import { printable } from '#collector/printable.ts';
import { findServer } from './ask-server.ts';
import type { Command, Context } from './command.ts';
import { examine } from './examine.ts';
import type { Finding } from './finding.ts';
import { openDatabase } from './open-database.ts';

const MARKS: Readonly<Record<Finding['state'], string>> = { fine: 'ok   ', note: 'note ', wrong: 'WRONG' };

async function examineHere({ environment, now }: Context): Promise<Finding[]> {
  let database: Awaited<ReturnType<typeof openDatabase>>;
  try {
    database = await openDatabase(environment);
  } catch (error) {
    return [{ state: 'wrong', text: error instanceof Error ? error.message : String(error) }];
  }
  try {
    return await examine(database, environment, now());
  } finally {
    await database.close();
  }
}

export const doctor: Command = {
  help: `Usage: npm run barometer -- doctor

Says what is configured, reachable and fresh, and what is wrong. Exits with 1 when something is.`,
  flags: {},
  async run(context) {
    const ask = await findServer(context.environment);
    const findings =
      ask === null ? await examineHere(context) : ((await ask('doctor', {}, () => undefined)) as Finding[]);
    for (const { state, text } of findings) context.stdout.write(`${MARKS[state]}  ${printable(text)}\n`);
    return findings.some(({ state }) => state === 'wrong') ? 1 : 0;
  },
};
