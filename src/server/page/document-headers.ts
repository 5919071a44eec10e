import { createHash } from 'node:crypto';
import { DOCUMENT_STYLE } from '#web/documents/document-page.tsx';
import { COMMON_HEADERS, PERMISSIONS } from '../http/security-headers.ts';

/** Headers of a document with this stylesheet. It may have no script, no frame and no content from other sites. */
export function documentHeaders(style: string) {
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    ...COMMON_HEADERS,
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "img-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join(';'),
    ...PERMISSIONS,
    'Cross-Origin-Opener-Policy': 'same-origin',
  } as const;
}

export const DOCUMENT_HEADERS = documentHeaders(DOCUMENT_STYLE);
