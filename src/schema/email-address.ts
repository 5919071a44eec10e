/**
 * Normalises the characters of an address as `mailer.plain_address` in the database does: compatibility characters as
 * plain ones, lower case (a capital sigma is always `σ`), no surrounding space. Leaves the domain unchanged.
 */
export function foldAddress(text: string): string {
  return text.trim().normalize('NFKC').replaceAll('Σ', 'σ').toLowerCase().normalize('NFKC');
}
