// Finds names that differ from another name only by what copies, sync clients and people add to it.
import { foldText } from '../../markdown/excerpt/fold-text.ts';

const COPY_MARKS = [
  /\.sync-conflict-[\w-]+$/, // Syncthing
  /\s*[([（][^()[\]（）]*[)\]）]$/, // "(2)", "(course notes)", "(Ada's conflicted copy 2026-01-02)"
  /\s+-\s+(?:copy|kopie|copie|copia|cópia)$/,
  /\s+(?:copy|kopie|copie|copia)(?:\s+\d{1,2})?$/,
  /(?<=\D)\s+\d{1,2}$/, // iCloud, Finder
  /^(?:copy|kopie|copie|copia) (?:of|von|de|di) /,
];
const PLURAL = /(?<=\p{L}{3})(?<!s)s$/u;

/** Case, accents, separators and width do not count. */
export function plainName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/(?:\.excalidraw)?\.md$/i, '');
  return foldText(name)
    .replace(/[\s_]+/g, ' ')
    .trim();
}

/** The names that a name may be a variant of, and the name itself, each without a plural. */
export function baseNames(path: string): readonly string[] {
  const names = [plainName(path)];
  for (const name of names) {
    for (const mark of COPY_MARKS) {
      const base = name.replace(mark, '').trim();
      if (base !== name && base !== '' && !names.includes(base)) names.push(base);
    }
  }
  return [...new Set(names.map((name) => name.replace(PLURAL, '')))];
}
