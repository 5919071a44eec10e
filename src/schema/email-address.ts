/**
 * An address in the one spelling of its characters, as `mailer.plain_address` in the database makes it: compatibility
 * characters as plain ones, lower case (a capital sigma is `σ` everywhere), no surrounding space. The domain stays as it is.
 */
export function foldAddress(text: string): string {
  return text.trim().normalize('NFKC').replaceAll('Σ', 'σ').toLowerCase().normalize('NFKC');
}
