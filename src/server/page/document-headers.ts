import { createHash } from 'node:crypto';
import { DOCUMENT_STYLE } from '#web/documents/document-page.tsx';
import { COMMON_HEADERS, PERMISSIONS } from '../http/security-headers.ts';

const STYLE_HASH = createHash('sha256').update(DOCUMENT_STYLE).digest('base64');

/** Headers of a document: no script, no frame, and nothing from elsewhere. */
export const DOCUMENT_HEADERS = {
  ...COMMON_HEADERS,
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join(';'),
  ...PERMISSIONS,
} as const;
