import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL } from '#tests/support/dashboard-rows.ts';
import { type EmbeddedForTest, embeddedForTest } from '#tests/support/embedded.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { currentView, dayOf, readDay, storeDay, VIEW_VERSION } from './days.ts';

const EVENING = Date.parse('2026-11-14T01:00:00Z');
const view = dashboardView(FULL, EVENING);

/** Returns the paths of all fields, such as 'signal.rows[].name'. The items of a list share one path. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, field]) =>
    fieldsOf(field, path === '' ? name : `${path}.${name}`),
  );
}

const fixture = (version: number): unknown =>
  JSON.parse(readFileSync(join(ROOT, 'tests', 'support', 'past-views', `view-${version}.json`), 'utf8'));

let embedded: EmbeddedForTest;
beforeAll(async () => {
  embedded = await embeddedForTest();
});
afterAll(() => embedded.remove());

describe('the page of a session', () => {
  it('has the kind `close` from the closing bell and `final` four hours later', () => {
    expect(dayOf(view, EVENING - 1)).toMatchObject({ session: '2026-11-13', kind: 'close' });
    expect(dayOf(view, EVENING)).toMatchObject({
      session: '2026-11-13',
      kind: 'final',
      publishedAt: EVENING,
    });
  });

  it('is stored only if the closing rows of the newest session are there', () => {
    expect(dayOf(dashboardView({ ...FULL, indices: [] }, EVENING), EVENING)).not.toBeNull();
    expect(dayOf({ ...view, age: null }, EVENING)).toBeNull();
    expect(dayOf(view, Date.parse('2026-11-16T14:30:00Z'))).toBeNull();
    expect(dayOf(view, Date.parse('2026-11-16T21:30:00Z'))).toBeNull();
  });

  it('is stored once for each kind and returned byte for byte', async () => {
    const { database } = embedded;
    const day = { session: '2026-11-13', kind: 'close', publishedAt: EVENING, view } as const;
    const later = { ...view, demo: null, insights: null };
    const stored = await database.transaction(async (transaction) => {
      await storeDay(transaction, day, 'live');
      await storeDay(transaction, { ...day, kind: 'final' }, 'live');
      await storeDay(transaction, { ...day, kind: 'final', view: later }, 'live');
      return readDay(transaction, '2026-11-13');
    });
    expect(stored).toEqual({ ...day, kind: 'final', text: JSON.stringify(view), isIntact: true });
    const none = await database.transaction((transaction) => readDay(transaction, '2026-11-12'));
    expect(none).toBeNull();
  });

  it('is reported as changed if its text does not match its hash', async () => {
    const damaged = await embedded.database.transaction(async (transaction) => {
      await transaction.query(
        `insert into archive.days (session, kind, published_at, view_version, view, sha256)
         select '2026-11-12', kind, published_at, view_version, view, '\\x00' from archive.days limit 1`,
      );
      return readDay(transaction, '2026-11-12');
    });
    expect(damaged?.isIntact).toBe(false);
  });
});

describe('the version of a stored view', () => {
  it('changes with the fields of the view; the fixture has the fields of this version', () => {
    const today = [...new Set(fieldsOf(view))].sort();
    expect([...new Set(fieldsOf(fixture(VIEW_VERSION)))].sort()).toEqual(today);
  });

  it.each(Array.from({ length: VIEW_VERSION }, (_, at) => at + 1))(
    '%i is read as the current version',
    (version) => {
      const fields = fieldsOf(currentView(fixture(version), version));
      expect([...new Set(fields)].sort()).toEqual([...new Set(fieldsOf(view))].sort());
    },
  );

  it('is refused if it is newer than this program', () => {
    expect(() => currentView({}, VIEW_VERSION + 1)).toThrow('Update this Barometer.');
  });
});
