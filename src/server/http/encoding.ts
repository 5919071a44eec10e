import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

const ENCODINGS = ['br', 'gzip'] as const;
// Each file is compressed once a run, so close to the best is affordable; the very best takes ten times as long.
const BROTLI_QUALITY = 9;
const GZIP_LEVEL = 8;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Compresses content, off the main thread. */
export function encode(content: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return gzipped(content, { level: GZIP_LEVEL });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  return brotli(content, { params });
}

/** The best encoding of ours that an `Accept-Encoding` header takes; null for none. */
export function chooseEncoding(header: string | undefined): Encoding | null {
  const taken = (header ?? '').split(',').flatMap((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [name];
  });
  return ENCODINGS.find((encoding) => taken.includes(encoding)) ?? null;
}
