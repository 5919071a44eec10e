import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

export interface SiteFile {
  /** Its path below the folder, with slashes. */
  readonly path: string;
  readonly content: Buffer;
  /** The digest of the card from which an image was drawn. */
  readonly card?: string | undefined;
}

/** The site that the folder shows before it is written again. */
export interface LastSite {
  /** Returns the image that was drawn from a card with this digest; null if there is none. */
  readonly drawn: (card: string) => Promise<Buffer | null>;
}

export interface WrittenSite {
  readonly files: number;
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly bytes: number;
}

interface Mark {
  /** The SHA-256 of each file, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** The path of the image of each card, by the digest of the card. */
  readonly cards: Readonly<Record<string, string>>;
}

/** The file that marks a folder as a whole site. It is empty until the site is complete. */
const MARK = '.publication.json';

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';

/** Reads the mark of a folder; null if the folder is not a whole site. */
async function readMark(folder: string): Promise<Mark | null> {
  try {
    return JSON.parse(await fs.readFile(join(folder, MARK), 'utf8')) as Mark;
  } catch {
    return null;
  }
}

/** Returns the mark of the site that `out` shows; null if there is none. Throws if it has other files. */
async function checkOut(out: string): Promise<Mark | null> {
  const found = await fs.lstat(out).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return null;
  const mark = found.isSymbolicLink() ? await readMark(out) : null;
  const isEmpty = found.isDirectory() && (await fs.readdir(out)).length === 0;
  if (mark !== null || isEmpty) return mark;
  throw new Error(
    `${out} has files that "publish" did not write. Name a folder that does not exist or is empty.`,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'the folder above it is not writable',
  EPERM: 'the folder above it is not writable',
  EROFS: 'the file system is read-only',
  ENOENT: 'the folder above it does not exist, or another "publish" removed its files',
};

/**
 * Writes a site beside `out`, and lets the link `out` lead to it in one step: it always shows a whole site. A file with the
 * content of the last site is a hard link to that of the last site.
 */
export async function writeSite(
  out: string,
  files: (last: LastSite) => AsyncIterable<SiteFile>,
  now: () => number,
): Promise<WrittenSite> {
  try {
    return await writeFolder(resolve(out), files, now);
  } catch (error) {
    const reason = REASONS[codeOf(error)];
    if (reason === undefined) throw error;
    throw new Error(`${resolve(out)} cannot be published: ${reason}. The last publication is unchanged.`, {
      cause: error,
    });
  }
}

async function writeFolder(
  out: string,
  files: (last: LastSite) => AsyncIterable<SiteFile>,
  now: () => number,
): Promise<WrittenSite> {
  const last = await checkOut(out);
  const [above, name] = [dirname(out), basename(out)];
  await fs.mkdir(above, { recursive: true });
  const begun = now();
  const folder = join(above, `.${name}.${begun}-${process.pid}`);
  await fs.mkdir(folder);
  try {
    await fs.writeFile(join(folder, MARK), '', { flag: 'wx' });
    const drawn = async (card: string) => {
      const path = last?.cards[card];
      return path === undefined ? null : fs.readFile(join(out, path)).catch(() => null);
    };
    const mark = { files: {} as Record<string, string>, cards: {} as Record<string, string> };
    const written: string[] = [];
    let bytes = 0;
    for await (const { path, content, card } of files({ drawn })) {
      const digest = createHash('sha256').update(content).digest('hex');
      mark.files[path] = digest;
      if (card !== undefined) mark.cards[card] = path;
      bytes += content.length;
      const file = join(folder, ...path.split('/'));
      await fs.mkdir(dirname(file), { recursive: true });
      const isLinked =
        last?.files[path] === digest &&
        (await fs
          .link(join(out, path), file)
          .then(() => true)
          .catch(() => false));
      if (isLinked) continue;
      await fs.writeFile(file, content, { flag: 'wx' });
      written.push(path);
    }
    // Fails if another run has removed this folder meanwhile.
    await fs.writeFile(join(folder, MARK), JSON.stringify(mark), { flag: 'r+' });
    await show(folder, out);
    await removeOthers(above, name, folder, begun);
    const removed = Object.keys(last?.files ?? {}).filter((path) => mark.files[path] === undefined);
    return { files: Object.keys(mark.files).length, written, removed, bytes };
  } catch (error) {
    await fs.rm(folder, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

async function show(folder: string, out: string): Promise<void> {
  const place = `${folder}.link`;
  await fs.symlink(basename(folder), place, 'junction');
  try {
    const isFolder = (await fs.lstat(out).catch(() => null))?.isDirectory() === true;
    if (isFolder) await fs.rmdir(out);
    // Windows does not replace a junction.
    if (process.platform === 'win32') await fs.rm(out, { force: true });
    await fs.rename(place, out);
  } catch (error) {
    await fs.rm(place, { force: true });
    throw error;
  }
}

/** Removes the last site and the remains of killed runs. Leaves runs that began later. */
async function removeOthers(above: string, name: string, folder: string, begun: number): Promise<void> {
  for (const entry of await fs.readdir(above)) {
    const rest = entry.startsWith(`.${name}.`) ? entry.slice(name.length + 2) : '';
    const [, at] = /^(\d+)-\d+(?:\.link)?$/.exec(rest) ?? [];
    if (at === undefined || Number(at) > begun || entry === basename(folder)) continue;
    await fs.rm(join(above, entry), { recursive: true, force: true }).catch(() => undefined);
  }
}
