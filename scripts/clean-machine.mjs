// npm run clean-machine [-- test files and options of vitest]: runs npm test, or some tests, as root and as another user in a
// new root folder that has only Node, npm and Debian's Chromium, and prints one line per user at the end.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { npmCommand, npmScript } from './programs.mjs';
import { installDebianPackages, ROOT } from './set-up.mjs';

const BROWSER = 'chromium';
/** The users with their ids and home folders. Root's home is closed to others, as on most machines. */
const USERS = [
  { name: 'root', id: '0', home: '/root', mode: 0o700 },
  { name: 'guest', id: '1000', home: '/home/guest', mode: 0o755 },
];
const PASSWD = `${USERS.map(({ name, id, home }) => `${name}:x:${id}:${id}::${home}:/bin/sh`).join('\n')}
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
`;
const GROUP = `${USERS.map(({ name, id }) => `${name}:x:${id}:`).join('\n')}\nnogroup:x:65534:\n`;
/** Files of /etc that the scripts of Debian's packages make, and the network of this machine. */
const COPIED = [
  'alternatives',
  'ld.so.cache',
  'ssl',
  'fonts',
  'chromium.d',
  'nsswitch.conf',
  'resolv.conf',
  'hosts',
];
const UNNEEDED = /^\/usr\/share\/(doc|man|locale|info|lintian)\//;
/** Settings of this machine that npm needs to reach its registry. */
const FOR_NPM = /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs)$/i;

/** Runs "$@" as the user $2 in the root folder $1, with its own processes, devices and memory. */
const INSIDE = `
  set -eu
  root=$1 id=$2
  shift 2
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs -o mode=1777 barometer "$root/dev/shm"
  exec chroot "$root" setpriv --reuid "$id" --regid "$id" --clear-groups "$@"`;

/** Prints one plain sentence and ends the process. */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

const linesOf = (program, ...parameters) =>
  execFileSync(program, parameters, { encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n');

/** Names of the installed packages that every Debian has, and of the browser, with those that they depend on. */
function packages() {
  const fields = ['Package', 'Essential', 'Priority', 'db:Status-Status'].map((field) => `\${${field}}`);
  const installed = linesOf('dpkg-query', '-W', '-f', `${fields.join(' ')}\n`)
    .map((line) => line.split(' '))
    .filter(([, , , status]) => status === 'installed');
  const common = installed
    .filter(([, essential, priority]) => essential === 'yes' || priority === 'required')
    .map(([name]) => name);
  const kinds = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'];
  const options = ['--recurse', '--installed', ...kinds.map((kind) => `--no-${kind}`)];
  const needed = new Set(linesOf('apt-cache', 'depends', ...options, BROWSER, ...common));
  return installed.map(([name]) => name).filter((name) => needed.has(name));
}

/** Makes the root folder. */
function makeRoot(root) {
  chmodSync(root, 0o755);
  for (const name of readdirSync('/')) {
    if (!lstatSync(join('/', name)).isSymbolicLink()) continue;
    const target = readlinkSync(join('/', name));
    if (!target.startsWith('usr/')) continue;
    mkdirSync(join(root, target), { recursive: true });
    symlinkSync(target, join(root, name));
  }
  const files = linesOf('dpkg', '-L', ...packages()).filter(
    (path) => path.startsWith('/') && !UNNEEDED.test(path) && existsSync(path),
  );
  const tar = `tar -C / --no-recursion -cf - -T - | tar -C "$1" --keep-directory-symlink -xpf -`;
  execFileSync('sh', ['-c', tar, 'sh', root], {
    input: [...new Set(files)].map((path) => `.${path}`).join('\n'),
    stdio: ['pipe', 2, 2],
  });
  for (const name of COPIED) {
    const from = join('/etc', name);
    if (existsSync(from)) execFileSync('cp', ['-a', from, join(root, 'etc')]);
  }
  for (const folder of ['proc', 'dev', 'sys', 'run', 'var/lib', 'usr/local/bin'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ['tmp', 'var/tmp']) {
    mkdirSync(join(root, folder), { recursive: true });
    chmodSync(join(root, folder), 0o1777);
  }
  writeFileSync(join(root, 'etc/passwd'), PASSWD);
  writeFileSync(join(root, 'etc/group'), GROUP);
  const programs = join(root, 'usr/local');
  cpSync(process.execPath, join(programs, 'bin/node'));
  cpSync(dirname(dirname(npmScript())), join(programs, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(programs, 'bin', name));
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (authorities) cpSync(authorities, join(root, authorities));
}

/** Copies the sources to the home folder of a user, and runs the command there. Returns true if it succeeded. */
function passes(root, { name, id, home, mode }, command) {
  const folder = join(home, 'barometer');
  mkdirSync(join(root, folder), { recursive: true });
  const sources = linesOf('git', '-C', ROOT, 'ls-files', '--cached', '--others', '--exclude-standard');
  for (const path of sources)
    if (existsSync(join(ROOT, path)) && path !== '') cpSync(join(ROOT, path), join(root, folder, path));
  execFileSync('chown', ['-R', `${id}:${id}`, join(root, home)]);
  chmodSync(join(root, home), mode);
  const [npm, ...script] = npmCommand();
  const environment = {
    npm_config_registry: linesOf(npm, ...script, 'config', 'get', 'registry')[0],
    ...Object.fromEntries(Object.entries(process.env).filter(([variable]) => FOR_NPM.test(variable))),
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: home,
    CHROME_PATH: `/usr/bin/${BROWSER}`,
    USER: name,
  };
  const isolated = ['--mount', '--pid', '--fork', '--kill-child'];
  const inside = ['sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', folder, ...command];
  const { status } = spawnSync('unshare', [...isolated, 'sh', '-c', INSIDE, 'sh', root, id, ...inside], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: environment,
  });
  return status === 0;
}

if (process.platform !== 'linux' || !existsSync('/usr/bin/dpkg')) fail('clean-machine works on Debian only.');
if (process.getuid() !== 0) fail('clean-machine mounts folders, which needs root. Run it with sudo.');
if (spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status !== 0)
  fail('unshare cannot make a mount namespace. Allow it: a container needs the capability SYS_ADMIN.');
if (!existsSync(`/usr/bin/${BROWSER}`) && !installDebianPackages([BROWSER]))
  fail(`clean-machine needs Debian's Chromium. Install it: apt-get install ${BROWSER}`);

const parameters = process.argv.slice(2);
const some = `node -e "import('./scripts/set-up.mjs').then((setUp) => setUp.ensureInstalled())" && exec npx vitest run "$@"`;
const command = parameters.length === 0 ? ['npm', 'test'] : ['sh', '-c', some, 'sh', ...parameters];
const root = mkdtempSync(join(tmpdir(), 'barometer-clean-'));
const lines = [];
try {
  makeRoot(root);
  for (const user of USERS) {
    console.log(`As ${user.name}:`);
    const isPassed = passes(root, user, command);
    lines.push(`${user.name}: ${isPassed ? 'passed' : 'failed'}`);
    if (!isPassed) process.exitCode = 1;
  }
} finally {
  rmSync(root, { recursive: true });
}
console.log(lines.join('\n'));
