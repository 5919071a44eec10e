import PostalMime from 'postal-mime';

/** Matches headers of which a saved mail has at least one. */
const MIME_HEADER = /^(mime-version|content-transfer-encoding):/im;

/** Returns the decoded text of a saved mail, because quoted-printable changes lines; else the bytes as text. */
export async function mailText(bytes: Buffer): Promise<string> {
  const text = bytes.toString();
  const [head = ''] = text.split(/\r?\n\r?\n/, 1);
  if (!MIME_HEADER.test(head)) return text;
  return (await PostalMime.parse(bytes)).text ?? text;
}
