import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WAYS } from '../support/ways.ts';
import { bombs } from './bombs.ts';
import { cachePoisoning } from './cache-poisoning.ts';
import { forgedTokens } from './forged-tokens.ts';
import { linkAttacks } from './links.ts';
import { watchLoop } from './loop-watch.ts';
import { oversizedAndSlow } from './oversized-slow.ts';
import { pathTricks } from './paths.ts';
import { roleEscape } from './role-escape.ts';
import { ALL_THE_SAME, scriptInText } from './script-in-text.ts';
import {
  CANARY,
  type Inventory,
  inventoryOf,
  PREPARE_AND_INVENTORY,
  secretsOf,
  type Target,
  takeInventory,
} from './target.ts';
import { headerInjection, wireTricks } from './wire.ts';

/** A hostile product name; it appears in titles, headings and mails. */
const HOSTILE_NAME = `Barometer</title><script>planted=1</script><!--"'&`;

/** Runs all attacks on one way to serve the product, one after another on the same server. */
export function attacksOn(name: (typeof WAYS)[number]['name']): void {
  const way = WAYS.find((one) => one.name === name);
  if (way === undefined) throw new Error(`The product cannot be served as "${name}".`);
  const isOurs = name !== 'static build over PostgREST';
  /** True if this server differs from the embedded way in its database only. Some attacks are then not repeated. */
  const isSameServer = name === 'server over Postgres';
  const productName = isOurs ? HOSTILE_NAME : 'Barometer';
  const watch = isOurs ? watchLoop() : null;
  let attacked: Target | undefined;
  let after: Inventory | undefined;
  const target = (): Target => {
    if (attacked === undefined) throw new Error('The product is not served before the tests run.');
    return attacked;
  };

  describe(`attacks: ${name}`, () => {
    beforeAll(async () => {
      if (!way.isThere()) return;
      const settings = { PRODUCT_NAME: productName, ...watch?.settings };
      const served = await way.start({ before: `${ALL_THE_SAME}; ${PREPARE_AND_INVENTORY}`, settings });
      const inventory = inventoryOf(served.found);
      const secrets = secretsOf(inventory);
      attacked = { ...served, isOurs, productName, inventory, secrets, subscribed: new Set() };
      // Discards the stalls of the event loop during the startup.
      watch?.take();
    });
    afterAll(async () => {
      await attacked?.stop();
      watch?.remove();
    });
    beforeEach((context) => {
      if (!way.isThere()) context.skip('its programs are not installed on this machine');
    });

    roleEscape(target);
    forgedTokens(target);
    if (isOurs) linkAttacks(target);
    if (name === 'embedded') {
      wireTricks(target);
      pathTricks(target);
      cachePoisoning(target);
      oversizedAndSlow(target);
    }
    if (!isSameServer) headerInjection(target);
    bombs(target, watch, { areParsed: !isSameServer });

    it('the log of the server has no error and no secret', () => {
      const { server, secrets, anonKey } = target();
      const log = server?.output() ?? '';
      expect(log.split('\n').filter((line) => line.includes('"level":"error"'))).toEqual([]);
      expect([...secrets, anonKey].filter((secret) => log.includes(secret))).toEqual([]);
    });

    // Records the contents of the tables before the attacks change them.
    if (!isSameServer) {
      scriptInText(target, async (sql) => {
        after = await takeInventory(target(), sql);
      });
    }

    it('no table has changed but for the expected subscribers', async () => {
      const { inventory, subscribed } = target();
      after ??= await takeInventory(target());
      expect(after.digests).toEqual(inventory.digests);
      const expected = [...subscribed, ...(isOurs ? [] : [CANARY])];
      expect(after.emails ?? []).toEqual(expected.sort());
      expect(after).toMatchObject({ relations: inventory.relations, functions: inventory.functions });
    });
  });
}
