import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LastSite, type SiteFile, writeSite } from './site-folder.ts';

let above: string;
let out: string;
let clock = 0;

beforeEach(() => {
  above = fs.mkdtempSync(join(tmpdir(), 'barometer-files-'));
  out = join(above, 'public');
});
afterEach(() => {
  fs.chmodSync(above, 0o755);
  fs.rmSync(above, { recursive: true, force: true });
});

const now = () => ++clock;
const fileOf = (path: string, text: string): SiteFile => ({ path, content: Buffer.from(text) });

/** Publishes these texts by path. Awaits `before` before each file. */
const publish = (texts: Readonly<Record<string, string>>, before: (path: string) => unknown = () => {}) =>
  writeSite(
    out,
    async function* () {
      for (const [path, text] of Object.entries(texts)) {
        await before(path);
        yield fileOf(path, text);
      }
    },
    now,
  );

/** All files of the site that a host serves, except its mark. */
const shown = () =>
  Object.fromEntries(
    fs
      .readdirSync(out, { recursive: true, encoding: 'utf8' })
      .filter((path) => !path.startsWith('.') && fs.statSync(join(out, path)).isFile())
      .map((path) => [path.replaceAll('\\', '/'), fs.readFileSync(join(out, path), 'utf8')]),
  );

const MONDAY = { 'index.html': 'Monday', 'on/1/index.html': 'day', 'signal.json': '1' };
const TUESDAY = { 'index.html': 'Tuesday', 'on/1/index.html': 'day', 'on/2/index.html': 'new' };

it('shows the files, and next time writes only those that changed and removes the others', async () => {
  const first = await publish(MONDAY);
  expect(first).toEqual({ files: 3, bytes: 10, written: Object.keys(MONDAY), removed: [] });
  expect(shown()).toEqual(MONDAY);
  const { ino } = fs.statSync(join(out, 'on/1/index.html'));
  expect(await publish(TUESDAY)).toMatchObject({
    written: ['index.html', 'on/2/index.html'],
    removed: ['signal.json'],
  });
  expect(shown()).toEqual(TUESDAY);
  expect(fs.statSync(join(out, 'on/1/index.html')).ino).toBe(ino);
  expect(await publish(TUESDAY)).toMatchObject({ written: [], removed: [] });
  expect(fs.readdirSync(above)).toHaveLength(2);
});

it('returns the images of the last site by the digest of their card', async () => {
  const image = { ...fileOf('og.png', 'image'), card: 'digest' };
  const of = (seen: (last: LastSite) => Promise<unknown>) =>
    writeSite(
      out,
      async function* (last) {
        await seen(last);
        yield image;
      },
      now,
    );
  await of(async ({ drawn }) => expect(await drawn('digest')).toBeNull());
  await of(async ({ drawn }) => {
    expect(String(await drawn('digest'))).toBe('image');
    expect(await drawn('other')).toBeNull();
  });
});

describe('a run that ends early', () => {
  const paths = Object.keys(TUESDAY);

  it.each(paths)('before %s leaves the whole last site', async (last) => {
    await publish(MONDAY);
    const failing = publish(TUESDAY, (path) => {
      expect(shown()).toEqual(MONDAY);
      if (path === last) throw new Error('No more.');
    });
    await expect(failing).rejects.toThrow('No more.');
    expect(shown()).toEqual(MONDAY);
    expect(fs.readdirSync(above)).toHaveLength(2);
  });

  it.each(paths)('by a kill before %s leaves the whole last site', async (last) => {
    await publish(MONDAY);
    await new Promise<void>((reached) => {
      // A run that never continues.
      void publish(TUESDAY, (path) => {
        if (path !== last) return undefined;
        reached();
        return new Promise(() => {});
      });
    });
    expect(shown()).toEqual(MONDAY);
    await publish(TUESDAY);
    expect(shown()).toEqual(TUESDAY);
    expect(fs.readdirSync(above)).toHaveLength(2);
  });

  it('by a kill before the last step leaves the whole last site', async () => {
    await publish(MONDAY);
    const [, folder = ''] = fs.readdirSync(above).sort().reverse();
    fs.symlinkSync(folder, join(above, '.public.0-1.link'));
    fs.mkdirSync(join(above, '.public.0-1'));
    expect(shown()).toEqual(MONDAY);
    await publish(TUESDAY);
    expect(shown()).toEqual(TUESDAY);
    expect(fs.readdirSync(above)).toHaveLength(2);
  });

  it('because a later run is done changes nothing', async () => {
    await publish(MONDAY);
    const overtaken = publish({ 'index.html': 'older', 'new/index.html': 'older' }, (path) =>
      path === 'index.html' ? undefined : publish(TUESDAY),
    );
    await expect(overtaken).rejects.toThrow(/another "publish" removed its files/);
    expect(shown()).toEqual(TUESDAY);
    expect(fs.readdirSync(above)).toHaveLength(2);
  });
});

describe('refuses with one sentence', () => {
  it('a folder with other files', async () => {
    fs.mkdirSync(out);
    fs.writeFileSync(join(out, 'mine.txt'), 'mine');
    await expect(publish(MONDAY)).rejects.toThrow(
      /public has files that "publish" did not write\. Name a folder/,
    );
    expect(shown()).toEqual({ 'mine.txt': 'mine' });
  });

  it('a link to a folder with other files', async () => {
    fs.mkdirSync(join(above, 'other'));
    fs.symlinkSync('other', out);
    await expect(publish(MONDAY)).rejects.toThrow(/public has files that "publish" did not write\./);
  });

  it('a file', async () => {
    fs.writeFileSync(out, 'mine');
    await expect(publish(MONDAY)).rejects.toThrow(/public has files that "publish" did not write\./);
  });

  it.each([
    ['ENOSPC', 'the disk is full'],
    ['EROFS', 'the file system is read-only'],
    ['EACCES', 'the folder above it is not writable'],
  ])('a folder that fails with %s', async (code, reason) => {
    await publish(MONDAY);
    const failing = publish(TUESDAY, (path) => {
      if (path !== 'index.html') throw Object.assign(new Error(code), { code });
    });
    await expect(failing).rejects.toThrow(
      `${out} cannot be published: ${reason}. The last publication is unchanged.`,
    );
    expect(shown()).toEqual(MONDAY);
  });
});

it('replaces an empty folder', async () => {
  fs.mkdirSync(out);
  await publish(MONDAY);
  expect(shown()).toEqual(MONDAY);
  expect([fs.lstatSync(out).isSymbolicLink(), fs.existsSync(join(out, '.publication.json'))]).toEqual([
    true,
    true,
  ]);
});
