import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { folderForTests } from '#tests/support/shared.ts';
import { packageCommand } from '../../scripts/programs.mjs';
import { ROOT } from '../../scripts/set-up.mjs';

/** The rooms that each room may import: the table of docs/maintainers/architecture.md. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  schema: [],
  domain: [],
  queries: ['schema'],
  views: ['domain', 'schema'],
  web: ['queries', 'views', 'domain'],
  database: [],
  collector: ['domain', 'schema', 'database'],
  record: ['domain', 'schema', 'views', 'database'],
  mailer: ['domain', 'schema', 'queries', 'views', 'database', 'record'],
  server: ['schema', 'database', 'queries', 'views', 'web', 'collector', 'record', 'mailer'],
};
const ROOMS = Object.keys(MAY_IMPORT);

const LINTER = packageCommand(ROOT, '@biomejs/biome', 'biome');
const COMPILER = packageCommand(ROOT, 'typescript', 'tsc');

const copy = folderForTests();

/** Runs a check over the copy. Returns true if it passes. */
function passes([node = '', ...script]: readonly string[], ...parameters: string[]): boolean {
  return spawnSync(node, [...script, ...parameters], { cwd: copy, encoding: 'utf8' }).status === 0;
}

/** The files of the copy in which one run of the linter refuses an import. */
function refusedImports(): Set<string> {
  const [node = '', ...script] = LINTER;
  const parameters = [...script, 'lint', '--reporter=json', '--max-diagnostics=none', 'src'];
  const { stdout } = spawnSync(node, parameters, { cwd: copy, encoding: 'utf8' });
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string } }[];
  };
  return new Set(
    diagnostics
      .filter(({ category }) => category === 'lint/style/noRestrictedImports')
      .map(({ location }) => location.path),
  );
}

beforeAll(() => {
  for (const file of ['package.json', 'biome.json', 'tsconfig.base.json', '.gitignore']) {
    cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const room of ROOMS) {
    mkdirSync(join(copy, 'src', room), { recursive: true });
    cpSync(join(ROOT, 'src', room, 'tsconfig.json'), join(copy, 'src', room, 'tsconfig.json'));
    writeFileSync(join(copy, 'src', room, 'thing.ts'), `export const ${room} = '${room}';\n`);
  }
});

describe('imports between the folders below src', () => {
  const pairs = ROOMS.flatMap((room) =>
    ROOMS.filter((other) => other !== room).map((other) => ({
      room,
      other,
      allowed: MAY_IMPORT[room]?.includes(other) ?? false,
    })),
  );

  it('the linter refuses exactly the imports that the table does not list', () => {
    const file = (room: string, other: string) => join(copy, 'src', room, `imports-${other}.ts`);
    for (const { room, other } of pairs) {
      writeFileSync(file(room, other), `export { ${other} } from '#${other}/thing.ts';\n`);
    }
    const refused = refusedImports();
    const wrong = pairs.filter(
      ({ room, other, allowed }) => refused.has(`src/${room}/imports-${other}.ts`) === allowed,
    );
    for (const { room, other } of pairs) rmSync(file(room, other));
    expect(wrong).toEqual([]);
  });

  it('the linter refuses a relative import instead of the alias', () => {
    const file = join(copy, 'src', 'domain', 'way-round.ts');
    writeFileSync(file, "export { database } from '../database/thing.ts';\n");
    expect(passes(LINTER, 'lint', 'src/domain/way-round.ts')).toBe(false);
    rmSync(file);
  });

  it('the compiler refuses an import of a room that is not referenced', () => {
    const file = join(copy, 'src', 'domain', 'reaches.ts');
    expect(passes(COMPILER, '-b', 'src/domain')).toBe(true);
    writeFileSync(file, "export { database } from '#database/thing.ts';\n");
    // Force the build: the compiler ignores a file that was written in the same clock tick as its last build.
    expect(passes(COMPILER, '-b', '--force', 'src/domain')).toBe(false);
    rmSync(file);
  });

  it('the compiler has no types of browsers and Node in schema, domain and views', () => {
    const file = join(copy, 'src', 'domain', 'ambient.ts');
    for (const ambient of ['window.name', 'process.pid', 'document.title']) {
      writeFileSync(file, `export const ambient: unknown = ${ambient};\n`);
      expect(passes(COMPILER, '-b', 'src/domain'), ambient).toBe(false);
    }
    rmSync(file);
  });
});
