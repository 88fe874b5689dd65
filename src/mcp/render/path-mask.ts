// Hides what an answer must not tell of this machine: absolute folders and credentials in URLs.

export interface HiddenFolder {
  /** Absolute, as the system writes it. */
  readonly folder: string;
  /** What stands in its place, `~` or `<vault>`. */
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
