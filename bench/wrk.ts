import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installDebianPackages } from '../scripts/set-up.mjs';
import type { AtEnd } from './ends.ts';

/** A request; all requests are repeated in turn. `path` includes the query. */
export interface Asked {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Load {
  /** The URL of the server, without a trailing slash. */
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Path of a Lua script that generates the requests. */
  readonly script: string;
}

export interface Answered {
  readonly requests: number;
  readonly perSecond: number;
  /** Median latency (ms). */
  readonly p50: number;
  readonly p99: number;
  /** Responses with status 400 or above, and failed connections. */
  readonly failed: number;
}

const isThere = () => spawnSync('wrk', ['-v']).error === undefined;

/** Installs wrk, which uses little CPU time, if it is missing. Throws if that fails. */
export function ensureWrk(): void {
  if (isThere() || (installDebianPackages(['wrk']) && isThere())) return;
  throw new Error(
    'This benchmark needs wrk, which could not be installed. Install it, for example with apt-get install wrk.',
  );
}

const REPORT = `done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format("figures %d %d %d %d %d\\n", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
`;

const luaText = (text: string) => `[==[${text}]==]`;

const luaRequest = ({ path, headers }: Asked, ending = '""') => {
  const fields = Object.entries(headers).map(([name, value]) => `[ ${luaText(name)} ] = ${luaText(value)}`);
  return `wrk.format("GET", ${luaText(path)} .. ${ending}, { ${fields.join(', ')} })`;
};

/** Lua that sends a request with another number at the end of its path each time. */
export const numbered = (request: Asked): MoreLua => ({
  setUp: 'local number = 0\n',
  before: `  number = number + 1\n  do return ${luaRequest(request, 'number')} end\n`,
});

/**
 * Additional Lua code: `setUp` runs at the start of the script. `before` runs at each request, and may return another
 * one.
 */
export interface MoreLua {
  readonly setUp: string;
  readonly before: string;
}

/** Writes a script for `Load`: `requests` in turn. */
export function writeScript(
  folder: string,
  name: string,
  requests: readonly Asked[],
  { setUp, before }: MoreLua = { setUp: '', before: '' },
): string {
  const file = join(folder, `${name}.lua`);
  const list = requests.map((request) => `  requests[#requests + 1] = ${luaRequest(request)}`);
  writeFileSync(
    file,
    `${setUp}local requests, at = {}, 0
init = function()
${list.join('\n')}
end
request = function()
${before}  at = at % #requests + 1
  return requests[at]
end
${REPORT}`,
  );
  return file;
}

/** Sends requests as fast as responses come, for `seconds`. Throws if wrk fails. */
export async function runWrk({ url, connections, seconds, script }: Load, atEnd: AtEnd): Promise<Answered> {
  const parameters = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, url];
  const child = spawn('wrk', parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
  atEnd(() => child.kill());
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await new Promise((resolve) => child.once('close', resolve));
  const [requests, duration, p50, p99, failed] = (/^figures (.*)$/m.exec(output)?.[1] ?? '')
    .split(' ')
    .map(Number);
  if (requests === undefined || !duration || p50 === undefined || p99 === undefined || failed === undefined) {
    throw new Error(`wrk failed: ${output}`);
  }
  return { requests, perSecond: requests / (duration / 1e6), p50: p50 / 1000, p99: p99 / 1000, failed };
}
