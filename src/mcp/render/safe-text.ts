// Makes external text safe to show on one line, and hides local paths.

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
  const start = new TextDecoder().decode(Buffer.from(text).subarray(0, longest), { stream: true });
  return `${start}… (${text.length - start.length} characters cut)`;
}

interface HiddenFolder {
  /** Absolute, as the system writes it. */
  readonly folder: string;
  /** Its replacement, such as `~` or `<vault>`. */
  readonly shown: string;
}

export type PathMask = (text: string) => string;

const CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/** The mask replaces the longest folder first, so that a vault inside the home folder is called by its own name. */
export function createPathMask(folders: readonly HiddenFolder[]): PathMask {
  const wholes = folders.filter(({ folder }) => folder.length > 1).sort((a, b) => b.folder.length - a.folder.length);
  const rules = wholes.map(({ folder, shown }) => ({ pattern: folderPattern(folder), shown }));
  return (text) => {
    const masked = rules.reduce((kept, { pattern, shown }) => kept.replace(pattern, () => shown), text);
    return masked.replace(CREDENTIALS, '$1***@');
  };
}

/** `/home/ann` is hidden, `/home/anna` is another folder. */
function folderPattern(folder: string): RegExp {
  const whole = folder.replace(/[/\\]+$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`${whole}(?![\\p{L}\\p{N}_.-])`, 'gu');
}
