import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { parseArgs } from 'node:util';
import type { Command, FlagValues } from './command.ts';
import { readEnvironment } from './environment.ts';
import { UsageError } from './usage-error.ts';

const COMMANDS: Readonly<Record<string, { summary: string; load: () => Promise<Command> }>> = {
  serve: {
    summary: 'serve the page and collect on schedule',
    load: async () => (await import('./serve.ts')).serve,
  },
  collect: {
    summary: 'one run: read the source, write the newest rows',
    load: async () => (await import('./collect.ts')).collect,
  },
  backfill: {
    summary: 'write the rows of every session that has data',
    load: async () => (await import('./backfill.ts')).backfill,
  },
  'fear-greed': {
    summary: 'score a CSV file of the seven raw series',
    load: async () => (await import('./fear-greed.ts')).fearGreed,
  },
  doctor: {
    summary: 'say what is configured, reachable and fresh, and what is wrong',
    load: async () => (await import('./doctor.ts')).doctor,
  },
};

const HELP = `Usage: npm run barometer -- <command> [flags]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`)
  .join('\n')}

Each command has --help. Settings come from the environment and from .env; .env.example lists them.`;

function parseFlags(name: string, command: Command, parameters: string[]): FlagValues {
  try {
    const options = { ...command.flags, help: { type: 'boolean' } } as const;
    return parseArgs({ args: parameters, options, allowPositionals: false }).values as FlagValues;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    throw new UsageError(`${reason.replace(/\.$/, '')}; see "${name} --help".`);
  }
}

async function main(parameters: string[]): Promise<number> {
  const [name, ...rest] = parameters;
  if (name === undefined || name === '--help' || name === 'help') {
    process.stdout.write(`${HELP}\n`);
    return name === undefined ? 2 : 0;
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined) {
    throw new UsageError(`"${name}" is no command; there are ${Object.keys(COMMANDS).join(', ')}.`);
  }
  const command = await entry.load();
  const flags = parseFlags(name, command, rest);
  if (flags.help) {
    process.stdout.write(`${command.help}\n`);
    return 0;
  }
  if (existsSync('.env')) loadEnvFile('.env');
  const environment = readEnvironment(process.env);
  const { stdout, stderr } = process;
  return command.run({ environment, now: Date.now, stdout, stderr }, flags);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (process.env.DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
