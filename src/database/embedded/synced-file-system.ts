import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

interface Stream {
  nfd?: number;
  node: object;
}

/** The part of Emscripten's NODEFS that PGlite's types leave out. */
interface NodeFileSystem {
  realPath(node: object): string;
  stream_ops: { fsync?: (stream: Stream) => number };
}

function fsyncStream(nodefs: NodeFileSystem, stream: Stream): number {
  if (stream.nfd !== undefined) {
    fsyncSync(stream.nfd);
    return 0;
  }
  const directory = openSync(nodefs.realPath(stream.node), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
  return 0;
}

type EmscriptenOptions = Parameters<NodeFS['init']>[1];

/**
 * PGlite's folder on disk, with the one system call it leaves out: fsync. With it Postgres's own order
 * holds (write-ahead log before the commit is answered, data before the checkpoint that relies on it).
 */
export class SyncedFileSystem extends NodeFS {
  override async init(
    pglite: PGlite,
    options: EmscriptenOptions,
  ): Promise<{ emscriptenOpts: EmscriptenOptions }> {
    const started = await super.init(pglite, options);
    const addFsync: NonNullable<EmscriptenOptions['preRun']>[number] = (module) => {
      const nodefs = module.FS.filesystems.NODEFS as unknown as NodeFileSystem;
      nodefs.stream_ops.fsync = (stream) => fsyncStream(nodefs, stream);
    };
    const preRun = [...(started.emscriptenOpts.preRun ?? []), addFsync];
    return { emscriptenOpts: { ...started.emscriptenOpts, preRun } };
  }
}
