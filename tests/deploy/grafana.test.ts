import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ROOT } from '../../scripts/set-up.mjs';
import { databaseOfTheseTests } from '../support/database-of-each-test.ts';
import { serveGate } from '../support/gate-server.ts';
import { sendRequest } from '../support/send-request.ts';
import { shared } from '../support/shared.ts';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
}

const dashboard: Dashboard = JSON.parse(
  readFileSync(join(ROOT, 'deploy', 'grafana', 'barometer.json'), 'utf8'),
);

/** Names of metrics in an expression: our prefixes, which no function of Prometheus has. */
const namesIn = (expression: string) => expression.match(/\b(?:barometer|process|nodejs)_\w+/g) ?? [];

const { database } = databaseOfTheseTests();
const server = shared(() => serveGate(database));
let exposed: Set<string>;
beforeAll(async () => {
  const text = (await sendRequest(server.url, '/metrics')).body.toString();
  exposed = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name],
    ),
  );
});

it('every panel of the dashboard uses only metrics that the server has', () => {
  const panels = dashboard.panels.filter(({ targets }) => targets !== undefined);
  expect(panels.length).toBeGreaterThan(20);
  for (const { title, targets = [] } of panels) {
    for (const { expr } of targets) {
      const names = namesIn(expr);
      expect([title, names.length > 0, names.filter((name) => !exposed.has(name))]).toEqual([
        title,
        true,
        [],
      ]);
    }
  }
});

it('every variable of the dashboard uses only metrics that the server has', () => {
  const queries = dashboard.templating.list.map(({ query }) =>
    typeof query === 'string' ? query : query.query,
  );
  expect(queries.flatMap(namesIn).filter((name) => !exposed.has(name))).toEqual([]);
});

it('the dashboard shows every metric of the server', () => {
  const shown = new Set(
    dashboard.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namesIn(expr))),
  );
  const base = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
  const missing = [...exposed].filter((name) => ![...shown].some((one) => base(one) === base(name)));
  expect(missing).toEqual([]);
});

it('the names of metrics follow the conventions of Prometheus', async () => {
  const text = (await sendRequest(server.url, '/metrics')).body.toString();
  const counters = [...text.matchAll(/^# TYPE (\S+) counter$/gm)].map(([, name]) => name);
  expect(counters.length).toBeGreaterThan(5);
  expect(counters.filter((name) => !name?.endsWith('_total'))).toEqual([]);
  expect(text).toMatch(/^barometer_build_info\{version="[^"]+",node="v\d[^"]*"\} 1$/m);
});
