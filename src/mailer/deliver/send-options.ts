import type { Database } from '#database/port.ts';
import type { MailSettings } from '../settings.ts';
import type { MakeLetter } from './letter.ts';
import type { SendProgress } from './send-report.ts';
import type { MailTransport } from './transport.ts';

/** What a run of sending is given. */
export interface SendOptions {
  readonly database: Database;
  readonly transport: MailTransport;
  readonly settings: MailSettings;
  readonly signingKey: Uint8Array;
  /** Who sends, in words, and unlike any other process: 'serve on host, process 12, 8f3a'. */
  readonly holder: string;
  readonly now: () => number;
  /** Once it is set no mail is begun any more; what is under way is finished. */
  readonly signal: AbortSignal;
  readonly report?: (progress: SendProgress) => void;
  /** Calls `tick` every so many milliseconds until stopped. */
  readonly every?: (ms: number, tick: () => void) => () => void;
  /** Makes the mail of a delivery; without it that of its issue, or the question to confirm. */
  readonly makeLetter?: MakeLetter | undefined;
}
