// From an edited text back to the bytes of its file, with the byte order mark it had.

const MARK = Uint8Array.of(0xef, 0xbb, 0xbf);

/** @param before the bytes that the text was decoded from: where they begin with a mark, so does what is written */
export function encodeEdited(text: string, before: Uint8Array): Uint8Array {
  const marked = MARK.every((byte, index) => before[index] === byte);
  const encoded = new TextEncoder().encode(text);
  if (!marked) return encoded;
  const bytes = new Uint8Array(MARK.length + encoded.length);
  bytes.set(MARK);
  bytes.set(encoded, MARK.length);
  return bytes;
}
