import { fstatSync, fsyncSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { syncFile, syncFolder } from './sync-to-disk.ts';

interface Stream {
  nfd?: number;
  node: object;
}

/** The part of Emscripten's NODEFS that PGlite's types leave out. */
interface NodeFileSystem {
  realPath(node: object): string;
  node_ops: {
    mknod(parent: object, name: string, mode: number, device: number): object;
    setattr(node: object, attributes: Attributes): void;
  };
  stream_ops: { fsync?: (stream: Stream) => number; setattr(stream: Stream, attributes: Attributes): void };
}

interface Attributes {
  mode?: number | undefined;
}

/** Removes the rights of other users from a mode. */
const privateMode = (mode: number): number => mode & ~0o077;

const withPrivateMode = (attributes: Attributes): Attributes =>
  attributes.mode === undefined ? attributes : { ...attributes, mode: privateMode(attributes.mode) };

/** Makes new files private to their user: PGlite creates them with mode 0666, and a thread cannot set a umask. */
function makeFilesPrivate({ node_ops, stream_ops }: NodeFileSystem): void {
  const { mknod, setattr } = node_ops;
  node_ops.mknod = (parent, name, mode, device) => mknod(parent, name, privateMode(mode), device);
  node_ops.setattr = (node, attributes) => setattr(node, withPrivateMode(attributes));
  const setStreamAttributes = stream_ops.setattr;
  stream_ops.setattr = (stream, attributes) => setStreamAttributes(stream, withPrivateMode(attributes));
}

function fsyncStream(nodefs: NodeFileSystem, { nfd, node }: Stream): number {
  if (nfd === undefined || fstatSync(nfd).isDirectory()) {
    syncFolder(nodefs.realPath(node));
    return 0;
  }
  try {
    fsyncSync(nfd);
  } catch (error) {
    // Windows refuses to flush a file that Postgres has open for reading only.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    syncFile(nodefs.realPath(node));
  }
  return 0;
}

type EmscriptenOptions = Parameters<NodeFS['init']>[1];

/**
 * PGlite's folder on disk, private to its user, with the system call that PGlite leaves out: fsync. With it, Postgres
 * writes the log to the disk before a commit returns, and the tables before a checkpoint ends.
 */
export class SyncedFileSystem extends NodeFS {
  override async init(
    pglite: PGlite,
    options: EmscriptenOptions,
  ): Promise<{ emscriptenOpts: EmscriptenOptions }> {
    const started = await super.init(pglite, options);
    const amend: NonNullable<EmscriptenOptions['preRun']>[number] = (module) => {
      const nodefs = module.FS.filesystems.NODEFS as unknown as NodeFileSystem;
      nodefs.stream_ops.fsync = (stream) => fsyncStream(nodefs, stream);
      makeFilesPrivate(nodefs);
    };
    const preRun = [...(started.emscriptenOpts.preRun ?? []), amend];
    return { emscriptenOpts: { ...started.emscriptenOpts, preRun } };
  }
}
