import { parseArgs } from 'node:util';
import { printable } from '#collector/problems.ts';
import { reasonOf } from '#server/log.ts';
import type { Command, Context, FlagValues } from './command.ts';
import { readEnvironment, type Values } from './settings/environment.ts';
import { UsageError } from './settings/usage-error.ts';

interface ProgramContext extends Omit<Context, 'environment'> {
  /** Returns the settings. Only called before a command runs, so that `--help` works even with wrong settings. */
  readonly settings: () => Values;
}

/** The commands in the order of the help text. */
const SUMMARIES = {
  serve: 'serve the page and collect on schedule',
  collect: 'one run: read the source, write the newest rows',
  backfill: 'write the rows of every session that has data',
  'fear-greed': 'score a CSV file of the seven raw series',
  'signal preview': 'write the weekly signal of the current rows to files',
  'signal send': 'issue the weekly signal if it is due, and send due mails',
  publish: 'write the page and all documents as files for a static host',
  'runs list': 'print the newest runs of the collector with their reasons',
  'alerts test': 'send a test message to each webhook',
  'subscribers export': 'print subscribers as CSV',
  'subscribers import': 'add subscribers of a CSV file; a dry run without --apply',
  'subscribers erase': 'delete all data of an address',
  export: 'write the whole database to a file',
  import: 'read a file of "export" into an empty database',
  'keys rotate': 'replace the public key, or the key of the links of mails',
  'ledger verify': 'verify the published ledger of a site',
  psql: 'open psql on the database',
  doctor: 'check settings, services, rows and runs',
};
type CommandName = keyof typeof SUMMARIES;

const LOADERS: Readonly<Record<CommandName, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serve,
  collect: async () => (await import('./commands/collect.ts')).collect,
  backfill: async () => (await import('./commands/collect.ts')).backfill,
  'fear-greed': async () => (await import('./commands/fear-greed.ts')).fearGreed,
  'signal preview': async () => (await import('./commands/signal.ts')).signalPreview,
  'signal send': async () => (await import('./commands/signal.ts')).signalSend,
  publish: async () => (await import('./commands/publish-site.ts')).publish,
  'runs list': async () => (await import('./commands/runs-list.ts')).runsList,
  'alerts test': async () => (await import('./commands/signal.ts')).alertsTest,
  'subscribers export': async () => (await import('./commands/subscribers.ts')).subscribersExport,
  'subscribers import': async () => (await import('./commands/subscribers.ts')).subscribersImport,
  'subscribers erase': async () => (await import('./commands/subscribers.ts')).subscribersErase,
  export: async () => (await import('./commands/transfer.ts')).exportCommand,
  import: async () => (await import('./commands/transfer.ts')).importCommand,
  'keys rotate': async () => (await import('./commands/keys-rotate.ts')).keysRotate,
  'ledger verify': async () => (await import('./commands/ledger-verify.ts')).ledgerVerify,
  psql: async () => (await import('./commands/psql.ts')).psql,
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
};

const NAMES = Object.keys(SUMMARIES) as CommandName[];
const WIDTH = 2 + Math.max(...NAMES.map((name) => name.length));

const listed = (names: readonly CommandName[]): string =>
  names.map((name) => `  ${name.padEnd(WIDTH)}${SUMMARIES[name]}`).join('\n');

const HELP = `Usage: npm run barometer -- <command> [flags]

${listed(NAMES)}

Each command has --help. Settings come from the environment and from .env; .env.example lists them.`;

const groupHelp = (group: string, names: readonly CommandName[]) =>
  `Usage: npm run barometer -- ${group} <command> [flags]\n\n${listed(names)}\n\nEach command has --help.`;

function parse(name: string, command: Command, parameters: string[]) {
  const names = command.positionals ?? [];
  const options = { ...command.flags, help: { type: 'boolean' } } as const;
  let parsed: { values: FlagValues<typeof options>; positionals: string[] };
  try {
    parsed = parseArgs({ args: parameters, options, allowPositionals: names.length > 0 });
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    throw new UsageError(`${reason.replace(/\.$/, '')}; see "${name} --help".`);
  }
  if (!parsed.values.help && parsed.positionals.length !== names.length) {
    throw new UsageError(`${name} takes exactly ${names.join(' ')} and flags. See "${name} --help".`);
  }
  return parsed;
}

/** Finds the command that one or two words name. If they name none, prints a help text and returns the exit code. */
function findCommand([first, second, ...rest]: readonly string[], { stdout }: ProgramContext) {
  const printHelp = (help: string, code: number) => {
    stdout.write(`${help}\n`);
    return code;
  };
  if (first === undefined || first === '--help' || first === 'help') return printHelp(HELP, first ? 0 : 2);
  const named = (words: string) => NAMES.find((name) => name === words);
  const alone = named(first);
  if (alone !== undefined) return { name: alone, rest: second === undefined ? [] : [second, ...rest] };
  const inGroup = NAMES.filter((name) => name.startsWith(`${first} `));
  const name = named(`${first} ${second}`);
  if (name !== undefined) return { name, rest };
  if (inGroup.length > 0 && (second === undefined || second === '--help')) {
    return printHelp(groupHelp(first, inGroup), second ? 0 : 2);
  }
  const [unknown, known] = inGroup.length > 0 ? [`${first} ${second}`, inGroup] : [first, NAMES];
  throw new UsageError(`"${unknown}" is not a command; use one of ${known.join(', ')}.`);
}

async function runCommand(parameters: readonly string[], context: ProgramContext): Promise<number> {
  const found = findCommand(parameters, context);
  if (typeof found === 'number') return found;
  const { name, rest } = found;
  const command = await LOADERS[name]();
  const { values, positionals } = parse(name, command, rest);
  const { settings, ...output } = context;
  if (values.help) {
    output.stdout.write(`${command.help}\n`);
    return 0;
  }
  return command.run({ ...output, environment: readEnvironment(settings()) }, values, positionals);
}

/** Runs the command that the parameters name, and returns the exit code. Reports an error as one sentence. */
export async function runProgram(parameters: readonly string[], context: ProgramContext): Promise<number> {
  try {
    return await runCommand(parameters, context);
  } catch (error) {
    context.stderr.write(`${reasonOf(error).split('\n').map(printable).join('\n')}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
