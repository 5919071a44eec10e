/** Bytes that can move to another thread instead of being copied: those given, or a copy where they share a buffer. */
export function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const ownsAll = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return ownsAll ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
