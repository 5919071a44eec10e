import { readFile } from 'node:fs/promises';
import { LedgerError, verifyLedger } from '#record/ledger/verify-ledger.ts';
import { type Command, textFlag } from '../command.ts';
import { writeCount } from '../terminal/wording.ts';

/** Maximum length of a file that is searched for a checkpoint (bytes). A mail has a few KB. */
const LONGEST_FILE = 1 << 20;

async function readOlder(path: string): Promise<string> {
  try {
    const text = await readFile(path, 'utf8');
    if (text.length <= LONGEST_FILE) return text;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new LedgerError(`${path} cannot be read (${code}). Name a file with a checkpoint.`, {
      cause: error,
    });
  }
  throw new LedgerError(`${path} is larger than 1 MB. Name a file with a checkpoint, such as a weekly mail.`);
}

export const ledgerVerify: Command = {
  help: `Usage: npm run barometer -- ledger verify URL [--checkpoint FILE]

Downloads the ledger of the site at URL and verifies every decision, grade and day in it: the signature, each entry and
each file. The ledger of a site that was changed, shortened or begun anew does not match a checkpoint from before.

  --checkpoint FILE   a text file with an older checkpoint: the lines at the end of each weekly mail`,
  flags: { checkpoint: { type: 'string' } },
  positionals: ['URL'],
  async run({ stdout }, flags, [url = '']) {
    const path = textFlag(flags, 'checkpoint');
    const older = path === undefined ? undefined : await readOlder(path);
    const { origin, size, counts, olderSize } = await verifyLedger({ url, older, fetch });
    const parts = [
      writeCount(counts.signal ?? 0, 'decision'),
      writeCount(counts.grade ?? 0, 'grade'),
      writeCount(counts.day ?? 0, 'day'),
    ];
    stdout.write(
      `The ledger is complete and unchanged: ${parts.join(', ')}; ${size} entries of ${origin}.\n`,
    );
    stdout.write(
      olderSize === null
        ? 'To verify its past too, pass the checkpoint of an older weekly mail with --checkpoint FILE.\n'
        : `It contains all ${olderSize} entries of the older checkpoint, unchanged.\n`,
    );
    return 0;
  },
};
