import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { hasCurl } from '#tests/support/debian.ts';
import { startTestServer } from '#tests/support/gate-server.ts';
import { MIDDLING } from '#tests/support/market-tables.ts';
import { writeTables } from '#tests/support/page-over-rows.ts';
import { sendRequest } from '#tests/support/send-request.ts';
import { shared } from '#tests/support/shared.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { readEnvironment } from '../../src/cli/settings/environment.ts';

/** The pages whose snippets need a server. */
const PAGES = ['docs/elsewhere.md', 'docs/api.md'];
const ADDRESS = /(?:https:\/\/barometer\.example|http:\/\/127\.0\.0\.1:4321)/g;
const BLOCK = /(?:<!-- not run in tests: ([^\n]+) -->\n)?^```(\w+)\n(.*?)^```$/gms;

const snippets = PAGES.flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(BLOCK)].map(([, reason, language = '', code = '']) => ({
    ...{ page, language, code, first: code.split('\n')[0], isRun: reason === undefined },
  })),
);
const run = snippets.filter(({ isRun }) => isRun);

const { database } = databaseOfTheseTests();
const server = shared(async () => {
  await writeTables(database, MIDDLING);
  return startTestServer(database, { now: () => Date.parse('2026-11-13T21:30:00Z') });
});

const atServer = (code: string) => code.replaceAll(ADDRESS, server.url);
const textAt = async (path: string) => (await sendRequest(server.url, path)).body.toString();

/** Runs a program. Returns its standard output, or its error if it fails. */
async function outputOf(program: string, parameters: readonly string[]): Promise<string> {
  const child = spawn(program, parameters, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return code === 0 ? output : `exit ${code}: ${errors}`;
}

describe.each(run.filter(({ language }) => language === 'sh'))(
  'in $page, the commands from $first',
  ({ code }) => {
    it.runIf(hasCurl())('print data', async () => {
      const output = await outputOf('bash', ['-e', '-c', atServer(code)]);
      expect(output).toMatch(/"verdict":"HOLD"|"index_value":50/);
    });
  },
);

describe.each(run.filter(({ language }) => language === 'js'))(
  'in $page, the program from $first',
  ({ code }) => {
    it('prints data', async () => {
      const output = await outputOf(process.execPath, ['--input-type=module', '-e', atServer(code)]);
      expect(output).toMatch(/^HOLD 50 as of 2026-11-13|index_value: 50/);
    });
  },
);

it('the settings are valid', () => {
  const settings = run.filter(({ language }) => language === 'ini').map(({ code }) => code.trim());
  const kinds = settings.map((line) => {
    const [, name = '', value = ''] = /^(\w+)="(.*)"$/.exec(line) ?? [];
    return readEnvironment({ [name]: value }).alerts.webhooks.map(({ kind }) => kind);
  });
  expect(kinds).toEqual([['slack', 'discord', 'ntfy']]);
});

it('the configuration of an MCP client leads to the tools', async () => {
  const [code = ''] = run.filter(({ language }) => language === 'json').map((snippet) => snippet.code);
  const { url } = JSON.parse(atServer(code)).mcpServers.barometer;
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { tools } = await client.listTools();
  await client.close();
  expect(tools).toHaveLength(6);
});

it('every address in a page exists', async () => {
  const pages = PAGES.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n');
  const addresses = pages.matchAll(
    /(?:https:\/\/barometer\.example|http:\/\/127\.0\.0\.1:4321)(\/[\w./-]*)?/g,
  );
  const paths = [...new Set([...addresses].map(([, path = '/']) => path))].filter(
    (path) => path !== '/rest/v1',
  );
  expect(paths.length).toBeGreaterThan(9);
  const statuses = await Promise.all(
    paths.map(async (path) => [path, (await sendRequest(server.url, path)).status]),
  );
  expect(statuses).toEqual(paths.map((path) => [path, path === '/mcp' ? 405 : 200]));
});

it('every field in a snippet that is not run exists', async () => {
  const fields = Object.keys(JSON.parse(await textAt('/signal.json')));
  const columns = (await Promise.all(['/signals.csv', '/fear-greed.csv'].map(textAt))).flatMap(
    (csv) => csv.split('\r\n')[0]?.split(',') ?? [],
  );
  const named = snippets
    .filter(({ isRun }) => !isRun)
    .flatMap(({ code }) => [
      ...code.matchAll(
        /value_json\.(\w+)|\.JSON\.\w+ "(\w+)"|\["(\w+)"\]|json_attributes: \[(.+)\]|by\("(\w+)"/g,
      ),
    ])
    .flatMap((groups) => groups.slice(1).flatMap((names) => names?.split(', ') ?? []));
  expect(named.length).toBeGreaterThan(12);
  expect(named.filter((name) => ![...fields, ...columns].includes(name))).toEqual([]);
});

it('every snippet is run here or says why not', () => {
  const languages = new Set(run.map(({ language }) => language));
  // Addresses of `html` are in the test of all addresses.
  expect([...languages].sort()).toEqual(['html', 'ini', 'js', 'json', 'sh']);
});
