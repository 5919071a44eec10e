import { expect, test } from 'vitest';
import { assetResponse, fillShell, kindOf, pageResponse, removeOldShells, type Shell } from './shell.ts';

const SCOPE = 'https://host.example/market/';
const NAME = 'assets/index-AbCd1234.js';
const ASSET = SCOPE + NAME;

type Kind = 'page' | 'script';

/** A response from this host; without a content type by default. */
function responseOf(
  kind: Kind,
  body: string,
  { status = 200, redirected = false, caching = 'no-cache' } = {},
): Response {
  const type = kind === 'page' ? 'text/html; charset=utf-8' : 'text/javascript';
  const response = new Response(body, {
    status,
    headers: { 'content-type': type, 'cache-control': caching },
  });
  Object.defineProperties(response, { type: { value: 'basic' }, redirected: { value: redirected } });
  response.clone = () => responseOf(kind, body, { status, redirected, caching });
  return response;
}

const urlOf = (request: RequestInfo | URL) => (request instanceof Request ? request.url : String(request));

/** A minimal version of a browser's caches. */
function fakeCaches() {
  const stores = new Map<string, Map<string, Response>>();
  const caches = {
    open: async (name: string) => {
      const entries = stores.get(name) ?? new Map<string, Response>();
      stores.set(name, entries);
      return {
        match: async (request: RequestInfo) => entries.get(urlOf(request)),
        put: async (request: RequestInfo, response: Response) => {
          entries.set(urlOf(request), response);
        },
        keys: async () => [...entries.keys()].map((url) => new Request(url)),
        delete: async (request: RequestInfo) => entries.delete(urlOf(request)),
      };
    },
    has: async (name: string) => stores.has(name),
    keys: async () => [...stores.keys()],
    delete: async (name: string) => stores.delete(name),
    match: async (request: RequestInfo) =>
      [...stores.values()].map((entries) => entries.get(urlOf(request))).find((found) => found !== undefined),
  };
  return { caches: caches as unknown as CacheStorage, stores };
}

/** The page of a build that contains the given text. */
const pageOf = (words: string, file = NAME, options = {}) =>
  responseOf('page', `<script src="./${file}"></script>${words}`, options);

/** A host with the page and its files. */
const wholeHost = async (url: string) => (url === SCOPE ? pageOf('kept') : responseOf('script', url));

const wordsOf = async (response: Response) => (await response.text()).replace(/<.*>/, '');

interface World {
  fetch?: (url: string) => Promise<Response>;
  wait?: () => Promise<void>;
  assets?: readonly string[];
}

const never = () => new Promise<never>(() => {});
const nothing = Promise.resolve(undefined);

function shellOf({ fetch = never, wait = never, assets = [NAME] }: World = {}) {
  const { caches, stores } = fakeCaches();
  const shell: Shell = {
    scope: SCOPE,
    build: 'now',
    assets,
    caches,
    wait,
    fetch: (request) => fetch(urlOf(request)),
  };
  const kept = () => [...(stores.get(`barometer-shell ${SCOPE} now`)?.keys() ?? [])];
  return { shell, stores, kept };
}

/** A shell with a cached page. */
async function filledShell() {
  const made = shellOf({ fetch: wholeHost });
  await fillShell(made.shell);
  return made;
}

/** A shell with a cached page, and the response that a visitor then gets. */
async function revisited(world: World) {
  const { shell, kept } = await filledShell();
  const later: Shell = { ...shell, ...shellOf(world).shell, caches: shell.caches };
  const response = await pageResponse(later, new Request(SCOPE), nothing);
  return { text: await wordsOf(response), kept, shell };
}

const noNetwork = () => Promise.reject(new TypeError('Failed to fetch'));
/** The text of the page without a network. */
const textOffline = async (shell: Shell) =>
  wordsOf(await pageResponse({ ...shell, fetch: noNetwork }, new Request(SCOPE), nothing));

test('handles only the page and its files', () => {
  const kind = (url: string, method = 'GET') => kindOf({ url, method }, SCOPE);
  for (const page of [SCOPE, `${SCOPE}index.html`, `${SCOPE}?utm=1`]) expect(kind(page), page).toBe('page');
  expect(kind(ASSET)).toBe('asset');
  for (const other of [
    `${SCOPE}rest/v1/market_metrics?select=*`,
    `${SCOPE}assets/icon.svg`,
    `${SCOPE}assets/deep/index-AbCd1234.js`,
    `${SCOPE}service-worker.js`,
    `${SCOPE}healthz`,
    `${SCOPE}record`,
    `${SCOPE}on`,
    `${SCOPE}on/2026-10-05`,
    `${SCOPE}quality`,
    `${SCOPE}unsubscribe/D4-tW9nLRp-hZXCGdyiVDiAbmXv96ZrSChBXkKjsiWc`,
    'https://host.example/',
    'https://other.example/market/assets/index-AbCd1234.js',
  ]) {
    expect(kind(other), other).toBeNull();
  }
  expect(kind(ASSET, 'POST')).toBeNull();
});

test('stores the page with every file, or fails', async () => {
  const { kept } = await filledShell();
  expect(kept().sort()).toEqual([SCOPE, ASSET]);
  const filled = (fetch: World['fetch']) => fillShell(shellOf({ ...(fetch && { fetch }) }).shell);
  const gone = async (url: string) =>
    url === SCOPE ? wholeHost(url) : responseOf('script', 'Not here', { status: 404 });
  await expect(filled(gone)).rejects.toThrow('404');
  const older = async (url: string) =>
    url === SCOPE ? pageOf('old', 'assets/index-Old01234.js') : wholeHost(url);
  await expect(filled(older)).rejects.toThrow('of another build');
});

test('serves the page from the network, or from the cache without a network', async () => {
  const { text, shell } = await revisited({ fetch: async () => pageOf('new') });
  expect([text, await textOffline(shell)]).toEqual(['new', 'new']);
});

test('serves the copy if the network fails, returns an error or times out', async () => {
  expect((await revisited({ fetch: noNetwork })).text).toBe('kept');
  expect((await revisited({ fetch: async () => responseOf('page', 'Bad', { status: 502 }) })).text).toBe(
    'kept',
  );
  expect((await revisited({ wait: async () => {} })).text).toBe('kept');
});

test('passes on every other response, and stores only pages of this build with status 200', async () => {
  for (const meant of [
    pageOf('Gone', NAME, { status: 404 }),
    pageOf('Sign in', NAME, { redirected: true }),
    responseOf('script', 'text'),
    responseOf('page', 'Down for maintenance'),
    pageOf('of the next build', 'assets/index-New01234.js'),
  ]) {
    const { text, shell } = await revisited({ fetch: async () => meant.clone() });
    expect(text).toBe(await wordsOf(meant.clone()));
    expect(await textOffline(shell)).toBe('kept');
  }
});

test('does not repeat a request that the browser has already begun', async () => {
  const { shell } = shellOf();
  const fresh = Promise.resolve(responseOf('page', 'preloaded'));
  expect(await (await pageResponse(shell, new Request(SCOPE), fresh)).text()).toBe('preloaded');
});

test('serves a stored file without a request, and any other from the network', async () => {
  const { shell, kept } = await filledShell();
  const later = { ...shell, fetch: async () => responseOf('script', 'of a newer build') };
  expect(await (await assetResponse(later, new Request(ASSET))).text()).toBe(ASSET);
  const newer = new Request(`${SCOPE}assets/index-New01234.js`);
  expect(await (await assetResponse(later, newer)).text()).toBe('of a newer build');
  expect(kept().sort()).toEqual([SCOPE, ASSET]);
});

test('stores no file of another type', async () => {
  const blocked = async (url: string) => {
    if (url === SCOPE) return pageOf('kept');
    const response = new Response('Blocked', { headers: { 'content-type': 'text/plain' } });
    return Object.defineProperty(response, 'type', { value: 'basic' });
  };
  const { shell, kept } = shellOf({ fetch: blocked });
  await expect(fillShell(shell)).rejects.toThrow(ASSET);
  expect(kept()).not.toContain(ASSET);
});

test.each(['open', 'match', 'put'] as const)(
  'shows the responses of the network if the browser cannot %s its caches',
  async (broken) => {
    const full = () => Promise.reject(new DOMException('Full.', 'QuotaExceededError'));
    const { shell } = await filledShell();
    const open = async (name: string) => ({ ...(await shell.caches.open(name)), [broken]: full });
    const caches = { ...shell.caches, open, ...(broken !== 'put' && { [broken]: full }) };
    const fetch = async (request: RequestInfo | URL) =>
      urlOf(request) === SCOPE ? pageOf('new') : responseOf('script', 'code');
    const later = { ...shell, fetch, caches: caches as unknown as CacheStorage };
    expect(await wordsOf(await pageResponse(later, new Request(SCOPE), nothing))).toBe('new');
    const other = new Request(`${SCOPE}assets/other-AbCd1234.js`);
    expect(await (await assetResponse(later, other)).text()).toBe('code');
  },
);

test('shows a page without data but never stores it in place of a page with data', async () => {
  const passing = responseOf('page', `<script src="./${NAME}"></script>without`, { caching: 'no-store' });
  const { text, shell } = await revisited({ fetch: async () => passing });
  expect([text, await textOffline(shell)]).toEqual(['without', 'kept']);
});

test('does not recreate the removed cache of an older build', async () => {
  const { shell, stores } = await filledShell();
  const fetch = async (request: RequestInfo | URL) => {
    stores.clear();
    return wholeHost(urlOf(request));
  };
  await pageResponse({ ...shell, fetch }, new Request(SCOPE), nothing);
  expect([...stores.keys()]).toEqual([]);
});

test('keeps the cache of the previous build and those of other pages', async () => {
  const { shell, stores } = shellOf();
  const names = ['first', 'second', 'last', 'now'].map((build) => `barometer-shell ${SCOPE} ${build}`);
  const others = ['barometer-shell https://host.example/ first', 'of somebody else'];
  for (const name of [...others, ...names]) await shell.caches.open(name);
  await removeOldShells(shell);
  expect([...stores.keys()]).toEqual([...others, ...names.slice(2)]);
});
