// Which new names every system that may hold the vault can keep: Windows, macOS, Linux and Obsidian's own links. Knows no disk.

const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
const FOREIGN_TO_WINDOWS = /[<>:"|?*\\]/;
const FOREIGN_TO_LINKS = /[#^[\]]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** Of UTF-8, in one name: what Linux and macOS hold. */
const LONGEST_NAME_BYTES = 255;
/** Windows holds 260 in all, with the folder of the vault before it. */
const LONGEST_PATH = 200;

/** The rule that a new path breaks by its length; undefined when it breaks none. */
export function unportablePathRule(path: string): string | undefined {
  return path.length > LONGEST_PATH
    ? `it is longer than ${LONGEST_PATH} characters, more than Windows may hold`
    : undefined;
}

/** The rule that a new file's or folder's name breaks, for PATH_NOT_ALLOWED; undefined when every system can hold it. */
export function unportableNameRule(name: string): string | undefined {
  if (!name.isWellFormed()) return 'it holds half a character';
  if (name !== name.normalize('NFC')) return 'it is not in composed Unicode (NFC)';
  if (CONTROL.test(name)) return 'it holds a control character';
  if (FOREIGN_TO_WINDOWS.test(name)) return 'a name holds one of < > : " | ? * \\, which Windows cannot';
  if (FOREIGN_TO_LINKS.test(name)) return 'a name holds one of # ^ [ ], which no link can name';
  if (/[. ]$/.test(name)) return 'a name ends in a dot or a space, which Windows drops';
  if (name.startsWith(' ')) return 'a name begins with a space';
  if (WINDOWS_DEVICE.test(name)) return 'a name is reserved by Windows';
  if (Buffer.byteLength(name) > LONGEST_NAME_BYTES) return `a name is longer than ${LONGEST_NAME_BYTES} bytes`;
  return undefined;
}
