/** The files of the page, and the cache that holds them. */
export interface Shell {
  /** The address of the page, a folder. */
  scope: string;
  /** The files of the build below it, each with the digest of its content in its name. */
  assets: readonly string[];
  /** Differs from build to build. */
  build: string;
  caches: CacheStorage;
  fetch: typeof fetch;
  /** Resolves after the given time. */
  wait: (milliseconds: number) => Promise<void>;
}

/** Time (ms) to wait for the network before a cached copy of the page is used. */
export const NETWORK_TIMEOUT = 8000;

// The limits in the pattern bound the time of a match. The names in a build are shorter.
const HASHED = /^assets\/[^/]{1,60}-[\w-]{8,20}\.\w+$/;

const prefixOf = ({ scope }: Shell) => `barometer-shell ${scope} `;
const nameOf = (shell: Shell) => prefixOf(shell) + shell.build;

/** Kind of a request for this worker: the page, one of its files, or null for anything else. */
export function kindOf(
  { method, url }: Pick<Request, 'method' | 'url'>,
  scope: string,
): 'page' | 'asset' | null {
  if (method !== 'GET' || !url.startsWith(scope)) return null;
  const path = url.slice(scope.length).replace(/[?#].*$/s, '');
  if (path === '' || path === 'index.html') return 'page';
  return HASHED.test(path) ? 'asset' : null;
}

/** Required type of a response, by the end of its address. Browsers do not run or apply files of another type. */
const TYPES: Readonly<Record<string, RegExp>> = {
  '': /^text\/html\b/i,
  js: /\bjavascript\b/i,
  css: /^text\/css\b/i,
};
const NO_PAGE = /^(?!text\/html\b)/i;

/** True for the requested content. A host may send a page in place of a missing file, and a network portal its own. */
function isWhole(response: Response, url: string): boolean {
  const ending = /\.(\w+)(?:[?#]|$)/.exec(url)?.[1] ?? '';
  const isOfType = (TYPES[ending] ?? NO_PAGE).test(response.headers.get('content-type') ?? '');
  return response.status === 200 && response.type === 'basic' && !response.redirected && isOfType;
}

/** True for a page that names files, all of them of this build. A page of a newer build is stored by its own worker. */
function isOfBuild({ assets }: Shell, page: string): boolean {
  const named = page.match(/\bassets\/[^/"'\s>]{1,60}-[\w-]{8,20}\.\w+/g) ?? [];
  return named.length > 0 && named.every((path) => assets.includes(path));
}

/** Undefined if the browser has no space or forbids storage; the worker then stores nothing. */
const orNothing = <Value>(work: Promise<Value>) => work.catch(() => undefined);

/** Stores the page and all its files for later. Throws if one of them is unavailable. */
export async function fillShell(shell: Shell): Promise<void> {
  const cache = await shell.caches.open(nameOf(shell));
  const take = async (path: string) => {
    const url = shell.scope + path;
    const response = await shell.fetch(url, path === '' ? { cache: 'no-cache' } : {});
    if (!isWhole(response, url)) throw new Error(`${url} responded ${response.status}`);
    if (path === '' && !isOfBuild(shell, await response.clone().text())) {
      throw new Error(`${url} is of another build`);
    }
    await cache.put(url, response);
  };
  await Promise.all(['', ...shell.assets].map(take));
}

/** Removes the caches of older builds except the last one, whose page may still be open and request its files. */
export async function removeOldShells(shell: Shell): Promise<void> {
  const names = await shell.caches.keys();
  const older = names.filter((name) => name.startsWith(prefixOf(shell)) && name !== nameOf(shell));
  await Promise.all(older.slice(0, -1).map((name) => shell.caches.delete(name)));
}

/** The cache of this build, unless the worker of a newer build removed it: opening it would create it without a page. */
async function ownCache(shell: Shell): Promise<Cache | undefined> {
  const name = nameOf(shell);
  return (await shell.caches.has(name)) ? shell.caches.open(name) : undefined;
}

/** A file of the page: from the cache, because its name changes with its content, else from the network. */
export async function assetResponse(shell: Shell, request: Request): Promise<Response> {
  const kept = await orNothing(shell.caches.match(request, { ignoreVary: true }));
  return kept ?? shell.fetch(request);
}

/** True for a page that must not be stored: one without data, which a server sends while its database is down. */
const isPassing = (response: Response) => /\bno-store\b/i.test(response.headers.get('cache-control') ?? '');

async function keepPage(shell: Shell, response: Response): Promise<void> {
  if (!isOfBuild(shell, await response.clone().text())) return;
  await (await ownCache(shell))?.put(shell.scope, response);
}

async function keptPage(shell: Shell): Promise<Response | undefined> {
  return (await ownCache(shell))?.match(shell.scope, { ignoreVary: true });
}

/**
 * Returns the page from the network, or its cached copy if the network fails, returns an error or times out. `fresh` is
 * the response that the browser began to fetch by itself, if it did.
 */
export async function pageResponse(
  shell: Shell,
  request: Request,
  fresh: Promise<Response | undefined>,
): Promise<Response> {
  const copy = await orNothing(keptPage(shell));

  async function fromNetwork(): Promise<Response> {
    const response = (await fresh) ?? (await shell.fetch(request));
    if (isWhole(response, shell.scope) && !isPassing(response))
      await orNothing(keepPage(shell, response.clone()));
    return response;
  }

  if (copy === undefined) return fromNetwork();
  const fetched = fromNetwork().then(
    (response) => (response.status < 500 ? response : copy),
    () => copy,
  );
  return Promise.race([fetched, shell.wait(NETWORK_TIMEOUT).then(() => copy)]);
}
