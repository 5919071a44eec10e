import { createTransport } from 'nodemailer';
import { expect, it } from 'vitest';
import {
  createLedgerKey,
  openCheckpoint,
  parseVerifierKey,
  signCheckpoint,
} from '#record/ledger/checkpoint.ts';
import { mailText } from './saved-mail.ts';

const KEY = createLedgerKey(Buffer.alloc(32, 7));
const CHECKPOINT = signCheckpoint({ size: 9, root: Buffer.alloc(32, 1) }, KEY);
const TEXT = `The verdict is HOLD.\n\n${CHECKPOINT}`;

it.each(['quoted-printable', 'base64'] as const)('finds the checkpoint in a mail in %s', async (encoding) => {
  const transport = createTransport({ streamTransport: true, buffer: true });
  const { message } = await transport.sendMail({ text: TEXT, html: '<p>HOLD</p>', textEncoding: encoding });
  const key = parseVerifierKey(KEY.verifierKey);
  if (key === null) throw new Error('no key');
  expect(openCheckpoint(String(message), key)).toBeNull();
  expect(openCheckpoint(await mailText(message as Buffer), key)).toMatchObject({ size: 9 });
});

it('leaves the text of another file as it is', async () => {
  expect(await mailText(Buffer.from(TEXT))).toBe(TEXT);
});
