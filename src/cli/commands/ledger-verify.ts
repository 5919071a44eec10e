import { readFile } from 'node:fs/promises';
import { countRebuilt, type Entry, LedgerError, weeksWithoutDecision } from '#record/ledger/entries.ts';
import { verifySite } from '#record/ledger/verify-site.ts';
import { type Command, textFlag, UsageError } from '../command.ts';
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

/** Names up to this number of weeks; only counts the others. */
const MOST_NAMED = 5;

function describeGaps(entries: readonly Entry[]): string {
  const missing = weeksWithoutDecision(entries);
  const named = missing.slice(0, MOST_NAMED).join(', ');
  const more = missing.length > MOST_NAMED ? ` and ${missing.length - MOST_NAMED} more` : '';
  const weeks =
    missing.length === 0
      ? 'No week lacks its decision.'
      : `${writeCount(missing.length, 'week')} without a decision: ${named}${more}.`;
  const rebuilt = countRebuilt(entries);
  return rebuilt === 0
    ? weeks
    : `${weeks} ${writeCount(rebuilt, 'row')} computed later from stored data; nobody could see them at their time.`;
}

export const ledgerVerify: Command = {
  help: `Usage: npm run barometer -- ledger verify URL [--checkpoint FILE] [--days COUNT]

Downloads the ledger of the site at URL and verifies its signature, each entry and each file. Then compares with it what
visitors read: each row of the public tables, /signals.csv, the feeds, and the published rows of each past day. The ledger of a site
that was changed, shortened or begun anew does not match a checkpoint from before.

  --checkpoint FILE   a text file with an older checkpoint: the lines at the end of each weekly mail
  --days COUNT        compare only the published rows of the newest COUNT sessions, which is faster`,
  flags: { checkpoint: { type: 'string' }, days: { type: 'string' } },
  positionals: ['URL'],
  async run({ stdout, now }, flags, [url = '']) {
    const path = textFlag(flags, 'checkpoint');
    const older = path === undefined ? undefined : await readOlder(path);
    const count = textFlag(flags, 'days');
    if (count !== undefined && !/^[1-9]\d{0,6}$/.test(count))
      throw new UsageError(`--days must be a whole number above zero, not "${count}".`);
    const newestDays = count === undefined ? undefined : Number(count);
    const verified = await verifySite({ url, older, newestDays, fetch, now: now() });
    const { origin, size, entries, olderSize, rows, days, daysLeft } = verified;
    const countOf = (kind: string) => entries.filter((entry) => entry.kind === kind).length;
    const parts = [
      writeCount(countOf('signal'), 'decision'),
      writeCount(countOf('grade'), 'grade'),
      writeCount(countOf('publication'), 'publication'),
      writeCount(countOf('event'), 'quality event'),
      writeCount(countOf('change'), 'verdict change'),
    ];
    const left = daysLeft === 0 ? '' : ` Not compared: ${writeCount(daysLeft, 'older publication')}.`;
    stdout.write(
      `The ledger is complete and unchanged: ${parts.join(', ')}; ${size} entries of ${origin}.\n` +
        `The site shows what the ledger recorded: ${writeCount(rows, 'table row')}, /signals.csv, the feeds and the rows of ${writeCount(days, 'publication')}.${left}\n` +
        `${describeGaps(entries)}\n`,
    );
    stdout.write(
      olderSize === null
        ? 'To verify its past too, pass the checkpoint of an older weekly mail with --checkpoint FILE.\n'
        : `It contains all ${olderSize} entries of the older checkpoint, unchanged.\n`,
    );
    return 0;
  },
};
