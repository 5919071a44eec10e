// Writes `x.br` and `x.gz` beside each text file of the built page, at the best compression. Static hosts send them, and
// no visitor waits for the compression.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TEXTS = ['.html', '.js', '.css', '.json', '.map', '.webmanifest', '.svg', '.txt', '.xml'];
const SMALLEST_TO_COMPRESS = 600;

/** Sizes of the encoder's blocks, as powers of two. The size with the smallest result differs from file to file. */
const BLOCK_SIZES = [16, 17, 18];

const parameters = (length, bits) => ({
  [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
  [constants.BROTLI_PARAM_SIZE_HINT]: length,
  [constants.BROTLI_PARAM_LGBLOCK]: bits,
});

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Compresses every text file below a folder, off the main thread. Skips a file that would not get smaller. */
export async function compressBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = entries.filter((entry) => entry.isFile() && TEXTS.includes(extname(entry.name)));
  await Promise.all(
    texts.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const content = await readFile(path);
      if (content.length < SMALLEST_TO_COMPRESS) return;
      const versions = BLOCK_SIZES.map((bits) =>
        brotli(content, { params: parameters(content.length, bits) }),
      );
      const [gz, ...brs] = await Promise.all([gzipped(content, { level: 9 }), ...versions]);
      const [br] = brs.sort((one, other) => one.length - other.length);
      if (br.length < content.length) await writeFile(`${path}.br`, br);
      if (gz.length < content.length) await writeFile(`${path}.gz`, gz);
    }),
  );
}
