import { damagedRecords } from '#record/quality.ts';
import { type DatabaseCheck, fine, wrong } from './finding.ts';

/** Named records. The others are counted. */
const MOST_NAMED = 5;

/** The hashes of the journal and of the stored days. */
export const checkRecord: DatabaseCheck = async (transaction) => {
  const damaged = await damagedRecords(transaction, null);
  if (damaged.length === 0) return [fine('The journal and the stored days are as they were written.')];
  const named = damaged.slice(0, MOST_NAMED).join(', ');
  const more = damaged.length > MOST_NAMED ? ` and ${damaged.length - MOST_NAMED} more` : '';
  return [
    wrong(
      `The content of ${named}${more} was changed after it was written. Compare the database with a backup.`,
    ),
  ];
};
