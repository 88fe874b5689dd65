// A vault read whole by the pure rules: each note parsed, each link resolved. Knows no database.
import { fileKindOf, type Link, type NotePath, noteName, type ParsedNote } from '../../src/base/note.ts';
import { parseCanvas } from '../../src/markdown/canvas.ts';
import { decodeText } from '../../src/markdown/decode.ts';
import { nameKeyOf } from '../../src/markdown/fold.ts';
import { splitLink } from '../../src/markdown/link-target.ts';
import { parseNote } from '../../src/markdown/parse-note.ts';
import { type Resolution, resolveLink } from '../../src/markdown/resolve-link.ts';
import { lineCountOf } from '../../src/markdown/section.ts';
import { resolveSubpath } from '../../src/markdown/subpath.ts';
import { type CalledNotes, createCalledNotes } from '../../src/queries/called-notes.ts';

export interface ReadVault {
  readonly parsed: ReadonlyMap<NotePath, ParsedNote>;
  readonly called: CalledNotes;
  resolve(link: Link, source: NotePath): Resolution;
  /** The line that the link's subpath names in `target`. */
  lineOf(link: Link, target: NotePath): number | null;
}

export function parseVault(files: ReadonlyMap<NotePath, Uint8Array>): ReadVault {
  const texts = new Map([...files].map(([path, bytes]) => [path, decodeText(bytes).text]));
  const parsed = new Map([...texts].map(([path, text]) => [path, parseFile(path, text)]));
  const byName = Map.groupBy(files.keys(), nameKeyOf);
  const notes = [...files.keys()].filter((path) => fileKindOf(path) === 'note');
  return {
    parsed,
    called: createCalledNotes(notes.map((path) => ({ path, title: noteName(path), aliases: [] }))),
    resolve: (link, source) => resolveIn(files, byName, link, source),
    lineOf: (link, target) => {
      const outline = parsed.get(target) ?? { headings: [], blocks: [] };
      return resolveSubpath(splitLink(link.link).subpath, outline, lineCountOf(texts.get(target) ?? ''))?.line ?? null;
    },
  };
}

function parseFile(path: NotePath, text: string): ParsedNote {
  return fileKindOf(path) === 'canvas' ? parseCanvas(text) : parseNote(fileKindOf(path) === 'note' ? text : '');
}

function resolveIn(
  files: ReadonlyMap<NotePath, Uint8Array>,
  byName: ReadonlyMap<string, readonly NotePath[]>,
  link: Link,
  source: NotePath,
): Resolution {
  if (link.kind !== 'canvas') return resolveLink(link.link, source, (key) => byName.get(key) ?? []);
  const path = link.link as NotePath;
  return files.has(path) ? { path, match: 'exact' } : { path: null };
}
