import type { Resource } from '../http/resource.ts';
import { type Log, reasonOf } from '../log.ts';
import type { MarketWatch } from '../market-watch.ts';
import { TooManyWaiting } from './in-turn.ts';
import { RELEASE_TIMES } from './releases.ts';

/** A resource that a request gets. */
export interface Served {
  readonly resource: Resource;
  /** Seconds since the resource was last known to be current; null if it is current. */
  readonly age: number | null;
}

interface Version {
  readonly resource: Resource;
  /** Version of the data, and the time of the build (epoch ms). */
  readonly version: number;
  readonly at: number;
}

interface Entry {
  last: Version | null;
  building: { readonly version: number; readonly resource: Promise<Resource> } | null;
}

interface LastVersionsOptions {
  readonly watch: MarketWatch;
  /** Maximum number of resources; 1 by default. */
  readonly most?: number;
  /** Maximum time for which a resource of the current data is current (ms); unlimited by default. */
  readonly currentMs?: number;
  /** Time that a request waits for a build (ms). After it, the request gets the last version, if there is one. */
  readonly waitMs?: number | undefined;
  /** Returns the current time (epoch milliseconds). */
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Returns the current version of a resource by its key, built by `build` if there is none. If the build fails or takes
 * too long, returns the last version with its age. Rejects with the error of the build if there is no last version.
 */
export type LastVersions = (key: string, build: () => Promise<Resource>) => Promise<Served>;

/** Stores the last version of resources. Only resources with the status 200 are stored. */
export function createLastVersions(options: LastVersionsOptions): LastVersions {
  const { watch, most = 1, currentMs = Number.POSITIVE_INFINITY, now, log } = options;
  const waitMs = options.waitMs ?? RELEASE_TIMES.waitMs;
  const entries = new Map<string, Entry>();

  const isCurrent = ({ version, at }: Version) =>
    version === watch.version && watch.isWatching && Math.abs(now() - at) < currentMs;

  const stale = ({ resource, version, at }: Version): Served => {
    const currentAt = version === watch.version ? Math.max(at, watch.knownAt) : at;
    return { resource, age: Math.max(0, Math.floor((now() - currentAt) / 1_000)) };
  };

  function begin(key: string, entry: Entry, build: () => Promise<Resource>): Promise<Resource> {
    const { version } = watch;
    const at = now();
    const building = { version, resource: build() };
    entry.building = building;
    const end = (resource: Resource | null) => {
      if (entry.building === building) entry.building = null;
      if (resource?.status === 200) entry.last = { resource, version, at };
      if (entry.last === null && entry.building === null && entries.get(key) === entry) entries.delete(key);
    };
    building.resource.then(end, (error: unknown) => {
      if (entry.last !== null && !(error instanceof TooManyWaiting)) {
        log.error('document failed', { path: key, reason: reasonOf(error) });
      }
      end(null);
    });
    return building.resource;
  }

  function entryOf(key: string): Entry {
    const known = entries.get(key);
    if (known !== undefined) return known;
    const [oldest] = entries.keys();
    if (entries.size >= most && oldest !== undefined) entries.delete(oldest);
    const entry: Entry = { last: null, building: null };
    entries.set(key, entry);
    return entry;
  }

  return async (key, build) => {
    const entry = entryOf(key);
    const { last, building } = entry;
    if (last !== null && isCurrent(last)) return { resource: last.resource, age: null };
    const isShared = building !== null && building.version === watch.version;
    const resource = isShared ? building.resource : begin(key, entry, build);
    if (last === null) return { resource: await resource, age: null };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, waitMs, null);
    });
    const built = await Promise.race([resource.catch(() => null), late]);
    clearTimeout(timer);
    return built === null ? stale(last) : { resource: built, age: null };
  };
}
