import { spawnSync } from 'node:child_process';

/** Runs a program as process 1 of a PID namespace of its own, as in a container; it ends with `unshare`. */
export const IN_PID_NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

/** True if this user may make PID namespaces. Throws in CI if not. */
export function hasPidNamespaces(): boolean {
  const [program = '', ...parameters] = IN_PID_NAMESPACE;
  if (spawnSync(program, [...parameters, 'true']).status === 0) return true;
  if (process.env.CI) throw new Error('unshare cannot make a PID namespace, which the tests need.');
  return false;
}
