import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../scripts/set-up.mjs';

const SERVER = join(ROOT, 'dist', 'server');

const code = readdirSync(SERVER)
  .filter((name) => name.endsWith('.js'))
  .map((name) => readFileSync(join(SERVER, name), 'utf8'))
  .join('\n');

it("the built server renders with React's production build in any environment", () => {
  expect(code).toContain('renderToString');
  // React selects its build by this variable. Our build has replaced the variable by a constant.
  expect(code).not.toContain('process.env.NODE_ENV');
  expect(code).not.toMatch(/(?:from|import|require\()\s*["']react(?:-dom)?(?:\/[\w.-]+)?["']/);
  // Only React's development build has this warning.
  expect(code).not.toContain('Each child in a list should have a unique');
});

it('the built server loads the library of MCP on demand only', () => {
  const loads = [...code.matchAll(/.{9}["'`]@modelcontextprotocol\//g)].map(([text]) => text);
  expect(loads).toEqual([expect.stringContaining('import(')]);
});
