import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasSystemd } from '#tests/support/debian.ts';
import { documentedSettings } from '#tests/support/documented-settings.ts';
import { PROGRAM } from '#tests/support/product.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { readEnvironment } from '../../src/cli/settings/environment.ts';

const FOLDER = join(ROOT, 'deploy', 'systemd');
const unit = readFileSync(join(FOLDER, 'barometer.service'), 'utf8');
/** All values of a directive in the unit. */
const directive = (name: string) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value).join(' ');

/** The highest exposure score of a service that is allowed, as systemd-analyze computes it (0–100). */
const MOST_EXPOSED = 20;

describe('the unit for systemd', () => {
  it('starts the built program and sets only settings that exist', () => {
    const [node, program = '', ...parameters] = directive('ExecStart').split(' ');
    expect([node, ...parameters]).toEqual(['/usr/bin/node', 'serve']);
    expect(join(ROOT, program)).toBe(PROGRAM);
    const named = [...directive('Environment').matchAll(/([A-Z_]+)=/g)].map(([, name]) => name);
    expect(named).toEqual(['NODE_ENV', 'BAROMETER_DATA_DIR', 'PORT']);
    expect(documentedSettings()).toEqual(expect.arrayContaining(named.slice(1)));
    // Each server has its own data folder and port.
    expect(directive('StateDirectory')).toBe('barometer/%i');
    expect(unit).toContain('BAROMETER_DATA_DIR=/var/lib/barometer/%i ');
  });

  it('takes the port from the settings or from the name of the instance', () => {
    expect(readEnvironment({ PORT: '' }).port).toBe(4321);
    expect(unit).toContain(' PORT=%i\n');
  });

  it('waits longer for a draining server than it may drain', () => {
    expect(Number(directive('TimeoutStopSec'))).toBeGreaterThanOrEqual(60 + 15);
    expect(directive('KillMode')).toBe('mixed');
  });

  describe.runIf(hasSystemd())('checked by systemd-analyze', () => {
    const folder = folderForTests();
    const files = ['barometer.service', 'barometer@.service'].map((name) => join(folder, name));
    // systemd refuses a unit whose program does not exist, and this machine may have Node elsewhere.
    for (const file of files) writeFileSync(file, unit.replaceAll('/usr/bin/node', process.execPath));

    const run = (program: string, ...parameters: string[]) => {
      const { status, stdout, stderr } = spawnSync(program, parameters, { encoding: 'utf8' });
      return { status, said: stdout + stderr };
    };

    it('is valid for one server and for several', () => {
      expect(run('systemd-analyze', 'verify', ...files)).toEqual({ status: 0, said: '' });
    });

    it('has a low exposure score in systemd-analyze security', () => {
      const [file = ''] = files;
      const threshold = `--threshold=${MOST_EXPOSED}`;
      const { status, said } = run('systemd-analyze', 'security', '--offline=true', threshold, file);
      expect(said).toContain('Overall exposure level for barometer.service');
      expect([status, said]).toEqual([0, said]);
    });

    it('creates its user', () => {
      mkdirSync(join(folder, 'etc'));
      const made = run('systemd-sysusers', `--root=${folder}`, join(FOLDER, 'barometer.sysusers'));
      expect(made.status).toBe(0);
      const users = readFileSync(join(folder, 'etc', 'passwd'), 'utf8');
      expect(users).toMatch(/^barometer:x:\d+:\d+:Barometer:\/var\/lib\/barometer:\/usr\/sbin\/nologin$/m);
      expect(directive('User')).toBe('barometer');
    });
  });
});
