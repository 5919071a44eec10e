import { describe, expect, it } from 'vitest';
import { makeToken } from '#mailer/subscribers/token.ts';
import { onEach } from '../support/on-each.ts';
import { headerOf } from '../support/raw-http.ts';
import { ask, keyOf, type Target } from './target.ts';

type Header = readonly [name: string, value: string];

/** Headers of a request that another site's page makes in a visitor's browser. */
const FROM_ELSEWHERE: readonly Header[] = [
  ['Origin', 'https://evil.example'],
  ['Referer', 'https://evil.example/form'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Sec-Fetch-Mode', 'navigate'],
  ['Cookie', 'session=of-the-visitor'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
];

const LINKS = ['unsubscribe', 'confirm'] as const;

/** Checks that a link of a mail does only what its token allows, and only once its button is pressed. */
export function linkAttacks(target: () => Target): void {
  describe('links of mails', () => {
    const key = () => keyOf(target().inventory.signingKey);
    const tokenFor = (purpose: (typeof LINKS)[number]) =>
      makeToken(key(), purpose, target().inventory.reference);
    const open = (path: string, asked = {}) => ask(target(), target().pageUrl, path, asked);
    const titleOf = (body: Buffer) => /<h1>(.*?)<\/h1>/.exec(body.toString())?.[1];

    it('GET changes no subscription, whatever its headers [T15]', async () => {
      const path = `/unsubscribe/${tokenFor('unsubscribe')}`;
      const asked = ['GET', 'HEAD'].flatMap((method) => [
        { method },
        { method, headers: FROM_ELSEWHERE },
        {
          method,
          headers: [
            ['X-HTTP-Method-Override', 'POST'],
            ['X-Method-Override', 'POST'],
          ] as const,
        },
        {
          method,
          headers: [
            ['Purpose', 'prefetch'],
            ['Sec-Purpose', 'prefetch'],
          ] as const,
        },
        {
          method,
          body: 'List-Unsubscribe=One-Click',
          headers: [['Content-Type', 'application/x-www-form-urlencoded']] as const,
        },
      ]);
      const paths = [
        path,
        `${path}/`,
        `${path}?_method=POST`,
        `${path}?List-Unsubscribe=One-Click`,
        path.replace('unsubscribe', 'UNSUBSCRIBE'),
      ];
      const given = await onEach(
        paths.flatMap((one) => asked.map((how) => ({ one, how }))),
        async ({ one, how }) => {
          const answer = await open(one, how);
          return [answer.status, headerOf(answer, 'cache-control'), titleOf(answer.body)];
        },
      );
      const question = 'Unsubscribe from the weekly signal?';
      expect(
        given.filter(
          ([status, kept, title]) =>
            status !== 200 || kept !== 'no-store' || (title ?? question) !== question,
        ),
      ).toEqual([]);
      for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'])
        expect((await open(path, { method })).status).toBe(405);
    });

    it('a POST without a valid token of the purpose changes no subscription', async () => {
      const { reference } = target().inventory;
      const good = tokenFor('unsubscribe');
      const flipped = [0, 10, 21, 22, 30, 42].map(
        (at) => good.slice(0, at) + (good[at] === 'A' ? 'B' : 'A') + good.slice(at + 1),
      );
      const tokens = [
        ...flipped,
        tokenFor('confirm'),
        makeToken(Buffer.alloc(32), 'unsubscribe', reference),
        makeToken(Buffer.from(''), 'unsubscribe', reference),
        reference,
        Buffer.from(reference.replaceAll('-', ''), 'hex').toString('base64url'),
        `${good}A`,
        good.slice(0, -1),
        good.toLowerCase(),
        `${good}%00`,
        `${good}.`,
        `${good}%2f..`,
        `${good},${good}`,
        '',
        '*',
        "' or 1=1 --",
        '..%2funsubscribe',
        '%2e%2e',
        'A'.repeat(43),
        'A'.repeat(10_000),
      ];
      const given = await onEach(tokens, async (token) => {
        const path = `/unsubscribe/${encodeURI(token)}`;
        const { status, body } = await open(path, {
          method: 'POST',
          headers: FROM_ELSEWHERE,
          body: 'List-Unsubscribe=One-Click',
        });
        return { token, status, title: titleOf(body) };
      });
      expect(given.filter(({ status }) => status !== 404)).toEqual([]);
      // A token in a field, a cookie or the query has no effect.
      const elsewhere = ['/unsubscribe', '/unsubscribe/', `/unsubscribe?token=${good}`, `/confirm/${good}`];
      const statuses = await onEach(
        elsewhere,
        async (path) =>
          (
            await open(path, {
              method: 'POST',
              headers: [...FROM_ELSEWHERE, ['Cookie', `token=${good}`]],
              body: `token=${good}`,
            })
          ).status,
      );
      expect(statuses).toEqual(elsewhere.map(() => 404));
    });

    it('no path, parameter or header causes a redirect or a foreign link', async () => {
      const elsewhere = [
        '//evil.example',
        'https://evil.example',
        '/\\evil.example',
        'javascript:alert(1)',
        '%2f%2fevil.example',
        'data:text/html,x',
        '\\\\evil.example',
      ];
      const names = ['next', 'url', 'redirect_to'];
      const paths = elsewhere.flatMap((where) => [
        ...names.flatMap((name) =>
          ['/', `/unsubscribe/${tokenFor('unsubscribe')}`, '/confirm/x'].map(
            (at) => `${at}?${name}=${where}`,
          ),
        ),
        `/unsubscribe/${where}`,
        `/confirm/${where}`,
        `/${where}`,
        `/${where}/%2e%2e`,
      ]);
      // Trust in a host does not depend on the path, so each host is sent with some of the paths.
      const hosts: Header[][] = [[['Host', 'evil.example']], [['X-Forwarded-Host', 'evil.example']]];
      const some = paths.filter((path) => !path.includes('?') || path.includes('?next='));
      const asked = [
        ...paths.map((path) => ({ path, headers: [] })),
        ...hosts.flatMap((headers) => some.map((path) => ({ path, headers }))),
      ];
      const given = await onEach(asked, async ({ path, headers }) => {
        const { status, body } = await open(path.replaceAll(' ', '%20'), { headers });
        return {
          path,
          status,
          leads:
            /(?:href|action|src|content)="(?:https?:)?(?:\/\/|\\\\|javascript:|data:text)[^"]*evil/i.test(
              body.toString(),
            ),
        };
      });
      // `open` rejects if the response is a redirect.
      expect(given.filter(({ status, leads }) => leads || ![200, 404].includes(status))).toEqual([]);
    });

    it('the button of a link ends its subscription and no other [T17]', async () => {
      const path = `/unsubscribe/${tokenFor('unsubscribe')}`;
      const press = () =>
        open(path, { method: 'POST', headers: FROM_ELSEWHERE, body: 'List-Unsubscribe=One-Click' });
      expect(titleOf((await press()).body)).toBe('You have been unsubscribed');
      expect(titleOf((await press()).body)).toBe('You have already been unsubscribed');
    });
  });
}
