/** The body of an answer as text, however it is packed; null, and no further read, when it is beyond `limit` bytes. */
export async function readBody(
  response: Response,
  limit: number,
  onBytes: (bytes: number) => void,
): Promise<string | null> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  for (let length = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.byteLength;
    onBytes(value.byteLength);
    if (length > limit) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}
