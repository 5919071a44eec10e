import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sessionClose, sessionOpen, sessionsBetween } from '#domain/calendar/sessions.ts';
import { noise } from '#tests/support/bars.ts';
import { type LiveSettings, type LiveStep, runKilled, runUndisturbed } from '#tests/support/killed-runs.ts';
import type { Figure } from './figure.ts';
import { benchMembers } from './live.ts';

const KILLS = 20;
const MINUTE = 60_000;

/** A backfill before Thanksgiving, then four runs in each of five sessions, including a half-day. */
function steps(): LiveStep[] {
  const runs = sessionsBetween('2025-11-26', '2025-12-03').flatMap((session) => {
    const open = sessionOpen(session);
    const close = sessionClose(session);
    return [open + 30 * MINUTE, open + 150 * MINUTE, close + 30 * MINUTE, close + 240 * MINUTE];
  });
  // A price of the second evening is wrong. The run of the next morning corrects it.
  const wrong = { provider: 'alpaca', fault: 'unadjusted split', options: { symbols: ['JPM'] } } as const;
  return [
    { job: 'backfill', now: '2025-11-26T02:00:00Z', kills: KILLS },
    ...runs.slice(0, KILLS).map(
      (now, at): LiveStep => ({
        job: 'collect',
        now: new Date(now).toISOString(),
        kills: 1,
        faults: at === 6 ? [wrong] : [],
      }),
    ),
  ];
}

/** Kills a first fill of the whole universe and its runs. Compares all tables with those of an undisturbed process. */
export async function benchKills(): Promise<Figure[]> {
  const parent = mkdtempSync(join(tmpdir(), 'barometer-bench-'));
  const program = fileURLToPath(new URL('./live-child.js', import.meta.url));
  const settings: Omit<LiveSettings, 'folder'> = {
    migrations: resolve('supabase', 'migrations'),
    members: await benchMembers(),
    first: '2013-01-02',
    steps: steps(),
  };
  try {
    const undisturbed = await runUndisturbed(program, { ...settings, folder: join(parent, 'undisturbed') });
    const killed = await runKilled(
      program,
      { ...settings, folder: join(parent, 'killed') },
      { lengths: undisturbed.lengths, random: noise(20_261_121) },
    );
    const other = undisturbed.tables.filter((table) => !killed.tables.includes(table));
    for (const table of other) console.log(`  table differs from that of the undisturbed process: ${table}`);
    const rows = undisturbed.tables.reduce((sum, table) => sum + Number(table.split(' ')[1]), 0);
    return [
      { what: 'symbols', value: settings.members.length, unit: '' },
      { what: 'runs, the first fill among them', value: settings.steps.length, unit: '' },
      { what: 'kills', value: killed.kills, unit: '', bound: { exactly: 2 * KILLS } },
      ...Object.entries(killed.moments).map(([moment, count]) => ({
        what: `killed after "${moment}"`,
        value: count,
        unit: '',
      })),
      { what: 'tables compared', value: undisturbed.tables.length, unit: '' },
      { what: 'rows compared', value: rows, unit: '' },
      { what: 'tables that differ', value: other.length, unit: '', bound: { exactly: 0 } },
      { what: 'undisturbed', value: undisturbed.seconds, unit: 's' },
      { what: 'with the kills', value: killed.seconds, unit: 's' },
    ];
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}
