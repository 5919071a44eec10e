import { domainToASCII, domainToUnicode } from 'node:url';
import type { Database } from '#database/port.ts';

/** The ways in which the same address may have been written: its domain may have letters of its own. */
function spellings(address: string): string[] {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  const domains = [domain, domainToASCII(domain), domainToUnicode(domain)].filter((one) => one !== '');
  const written = domains.map((one) => address.slice(0, at) + one);
  return [...new Set(written.flatMap((one) => [one, one.toLowerCase()]))];
}

/**
 * Removes every row of an address, whatever its case and the space around it, active or not, and what is known
 * of mails to it, and answers how many rows; this survives a power cut before it resolves.
 */
export async function eraseSubscriber(database: Database, address: string): Promise<number> {
  const removed = await database.transaction(
    (transaction) =>
      transaction.query(
        `delete from public.email_subscribers
         where lower(btrim(email)) in (
           select lower(spelling) from jsonb_array_elements_text($1::jsonb) as spelling
         )
         returning id`,
        [JSON.stringify(spellings(address.trim()))],
      ),
    { durable: true },
  );
  return removed.length;
}
