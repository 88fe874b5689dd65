// Makes foreign text safe to stand inside one line of ours.

/** C0, DEL and C1 controls, line and paragraph separators, and the marks that turn the reading direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** The text on one line, each control character as its escape. */
export function escapeControls(text: string): string {
  return text.replace(
    UNSAFE,
    (character) => SHORT_ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** At most `longest` bytes of UTF-8 and a mark that counts the characters cut. */
export function cutText(text: string, longest: number): string {
  if (Buffer.byteLength(text) <= longest) return text;
  // A decoder that streams holds back the bytes of a character cut in two.
  const kept = new TextDecoder().decode(Buffer.from(text).subarray(0, longest), { stream: true });
  return `${kept}… (${text.length - kept.length} characters cut)`;
}
