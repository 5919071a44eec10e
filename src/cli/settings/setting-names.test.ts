import { expect, it } from 'vitest';
import { documentedSettings } from '#tests/support/documented-settings.ts';
import { SETTING_NAMES, unknownSettings } from './setting-names.ts';

it('are those that .env.example documents', () => {
  expect([...SETTING_NAMES].sort()).toEqual([...new Set(documentedSettings())].sort());
});

it('warn about a name in .env that is none of them', () => {
  expect(unknownSettings(['PORT', 'PGSSLROOTCERT', 'NODE_EXTRA_CA_CERTS', 'MARKET_SORCE'])).toEqual([
    '.env sets MARKET_SORCE, which is no setting of Barometer and has no effect; .env.example lists all.',
  ]);
});
