import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasYaml } from '#tests/support/debian.ts';
import { documentedSettings } from '#tests/support/documented-settings.ts';
import { smallMarket } from '#tests/support/market-folder.ts';
import { PROGRAM } from '#tests/support/product.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { readYaml } from '#tests/support/yaml.ts';
import { ROOT } from '../../scripts/set-up.mjs';

interface Workflow {
  env: Record<string, string>;
  jobs: { publish: { steps: { run?: string; uses?: string; with?: Record<string, string> }[] } };
}

/** `npm` runs the built program, and `gh` has the artifact of the last run, if there was one. */
const PROGRAMS = {
  npm: `#!/bin/sh
case "$1 $2" in ci\\ |run\\ build) exit 0;; esac
[ "$1 $2 $3" = "run barometer --" ] || exit 97
shift 3
exec "$NODE" "$PROGRAM" "$@"
`,
  gh: `#!/bin/sh
case "$1 $2" in
  run\\ list) [ ! -e ../artifact ] || echo 42;;
  run\\ download) [ "$3 $4 $5" = "42 --name database" ] && cp ../artifact/barometer.archive .;;
  *) exit 97;;
esac
`,
};

// Without Python's YAML parser, which CI has, nothing can be checked.
describe.runIf(hasYaml())('the workflow for GitHub Pages', () => {
  const workflow = hasYaml() ? readYaml<Workflow>(join(ROOT, 'deploy', 'static', 'github-pages.yaml')) : null;
  const steps = workflow?.jobs.publish.steps ?? [];
  const folder = folderForTests();

  it('has only known settings', () => {
    expect(Object.keys(workflow?.env ?? {}).filter((name) => !documentedSettings().includes(name))).toEqual(
      [],
    );
  });

  it('publishes, and the next run continues the database of its artifact', () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    for (const [name, text] of Object.entries(PROGRAMS)) {
      writeFileSync(join(bin, name), text);
      chmodSync(join(bin, name), 0o755);
    }
    const market = join(folder, 'market');
    mkdirSync(market);
    for (const [name, text] of Object.entries(smallMarket('2026-10-01', '2026-11-20')))
      writeFileSync(join(market, name), text);
    const keys = ['first', 'second'].map((run) => {
      const cwd = join(folder, run);
      mkdirSync(cwd);
      chmodSync(cwd, 0o777);
      for (const { run: script, uses, with: given } of steps) {
        if (uses?.startsWith('actions/upload-artifact@')) {
          mkdirSync(join(folder, 'artifact'), { recursive: true });
          const archive = readFileSync(join(cwd, given?.path ?? ''));
          writeFileSync(join(folder, 'artifact', 'barometer.archive'), archive);
        }
        if (script === undefined) continue;
        const { status, stderr } = spawnSync('bash', ['-e', '-c', script], {
          cwd,
          encoding: 'utf8',
          env: {
            PUBLIC_URL: workflow?.env.PUBLIC_URL,
            AUDIENCE: workflow?.env.AUDIENCE,
            ...{ LICENSES: 'own', MARKET_SOURCE: 'csv', MARKET_CSV_DIR: market },
            ...{
              PATH: `${bin}:${process.env.PATH}`,
              HOME: process.env.HOME,
              NODE: process.execPath,
              PROGRAM,
            },
          },
        });
        expect([script, status, stderr.replace(/^.*(?:publishing|fetching|…).*\n/gm, '')]).toEqual([
          script,
          0,
          expect.anything(),
        ]);
      }
      const site = join(
        cwd,
        steps.find(({ uses }) => uses?.includes('upload-pages-artifact'))?.with?.path ?? '',
      );
      expect(readdirSync(site)).toContain('index.html');
      return readFileSync(join(site, 'ledger', 'key'), 'utf8');
    });
    expect(keys[1]).toBe(keys[0]);
  });
});
