// Starts npm and the programs of packages with the running Node, without a shell, so that it works on every platform.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Path of npm's own script. A script that npm runs gets the path in a variable. Otherwise npm's script is beside Node:
 * in Node's folder on Windows, in `lib` elsewhere. Undefined if it is in neither place. A test passes another
 * `machine`.
 */
export function npmScript({ environment = process.env, node = process.execPath, isThere = existsSync } = {}) {
  const named = environment.npm_execpath;
  if (named !== undefined && /[\\/]npm-cli\.js$/.test(named) && isThere(named)) return named;
  const folder = dirname(node);
  const script = join('node_modules', 'npm', 'bin', 'npm-cli.js');
  return [join(folder, script), join(folder, '..', 'lib', script)].find((path) => isThere(path));
}

/**
 * The program and the first parameters that start npm: Node with npm's script, or the command `npm` if that script is
 * not found.
 */
export function npmCommand(machine) {
  const script = npmScript(machine);
  return script === undefined ? ['npm'] : [process.execPath, script];
}

/**
 * The program and the first parameters that start a program of an installed package. Throws if the package is not
 * installed.
 */
export function packageCommand(root, name, program = name) {
  const folder = join(root, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return [process.execPath, join(folder, bin[program])];
}

/** Installs a version of Node from npm and returns the path of its program; undefined if npm has none for this machine. */
export function installNode(version, folder) {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const parameters = [
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--prefix',
    folder,
    `${name}@${version}`,
  ];
  const { status } = spawnSync(process.execPath, [npmScript(), ...parameters], { stdio: ['ignore', 2, 2] });
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  return status === 0 ? join(folder, 'node_modules', name, 'bin', program) : undefined;
}
