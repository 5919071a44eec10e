import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { addressOf } from '#database/embedded/server.ts';
import { DatabaseUnavailable } from '#database/failures.ts';
import { command } from '../command.ts';
import { embeddedFolder, withDatabase } from '../open-database.ts';
import type { Environment } from '../settings/environment.ts';

/** Parameters and environment of psql. A password is in the environment, because other users see parameters. */
function connectionOf(environment: Environment): { parameters: string[]; variables: Record<string, string> } {
  const { databaseUrl } = environment;
  if (databaseUrl !== null) {
    const url = new URL(databaseUrl);
    const { password } = url;
    url.password = '';
    return {
      parameters: [url.href],
      variables: password === '' ? {} : { PGPASSWORD: decodeURIComponent(password) },
    };
  }
  const address = addressOf(resolve(embeddedFolder(environment)));
  if (address === null) throw new DatabaseUnavailable('lost', 'Postgres has ended. Run the command again.');
  const { host, port, user, database, password } = address;
  return {
    parameters: [`--host=${host}`, `--port=${port}`, `--username=${user}`, `--dbname=${database}`],
    variables: typeof password === 'string' ? { PGPASSWORD: password } : {},
  };
}

const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Runs psql and returns the exit code, 0 or 1; null if it is not installed. */
async function runPsql(
  parameters: readonly string[],
  variables: Record<string, string>,
): Promise<number | null> {
  // By default, psql continues after an error in a file or a pipe, and exits with 0.
  const stops = process.stdin.isTTY ? [] : ['--set=ON_ERROR_STOP=1'];
  const child = spawn('psql', [...stops, ...parameters], {
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  });
  try {
    // psql handles Ctrl-C itself: it cancels a statement.
    process.on('SIGINT', ignore);
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0 ? 0 : 1;
  } catch {
    return null;
  } finally {
    process.off('SIGINT', ignore);
  }
}

const ignore = () => undefined;

export const psql = command({
  help: `Usage: npm run barometer -- psql

Opens psql on the configured database. Runs the statements of standard input if that is a file or a pipe, up to the first
error, after which it exits with 1. Prints the command line for another client if psql is not installed.`,
  flags: {},
  run: (context) =>
    withDatabase(context, async () => {
      const { parameters, variables } = connectionOf(context.environment);
      const code = await runPsql(parameters, variables);
      if (code !== null) return code;
      context.stdout.write(`${['psql', ...parameters].map(quoted).join(' ')}\n`);
      context.stderr.write(
        'psql is not installed. Install it, or connect another client as above while a server runs.\n',
      );
      return 1;
    }),
});
