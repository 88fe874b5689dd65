// Exports the whole index as plain rows, one note at a time.
import type { NotePath } from '../../base/note.ts';
import type { QuarantineEntry } from '../../contracts/change-set.ts';
import type { NoteRecord, ResolvedLink, Store } from '../../contracts/store.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { resolveSubpath } from '../../markdown/links/section.ts';
import { type Suggestion, suggestNotes } from './name-index.ts';

const NOTES_PER_READ = 200;
const ROWS_PER_READ = 1_000;

/** One note, canvas or base as `export` prints it. The field names are a public contract. */
export type ExportedNote = Readonly<Record<string, unknown>> & { readonly path: NotePath };

type Outline = Pick<NoteRecord, 'headings' | 'blocks'>;

/** What is known about link targets; kept for the whole export, because many notes link to the same targets. */
interface LinkTargets {
  /** The outlines of notes that some link names a part of. */
  readonly outlines: Map<NotePath, Outline>;
  /** By unresolved name; undefined where no note fits. */
  readonly suggestions: Map<string, Suggestion | undefined>;
}

/** Ascending by path, without those that Obsidian's settings exclude. A note that was not read completely has `faults`. */
export async function* exportedNotes(store: Store, context: ReadContext): AsyncGenerator<ExportedNote> {
  const { signal } = context;
  const states = await store.fileStates(signal);
  const exported = states.filter(({ kind, excluded }) => kind !== 'attachment' && excluded !== true);
  const paths = exported.map(({ path }) => path);
  const quarantine = await allRows((page) => store.quarantine(page, signal));
  const faults = Map.groupBy(quarantine, ({ path }) => path);
  const targets: LinkTargets = { outlines: new Map(), suggestions: new Map() };
  for (let at = 0; at < paths.length; at += NOTES_PER_READ) {
    for (const note of await store.notes(paths.slice(at, at + NOTES_PER_READ), signal)) {
      const links = await allRows((page) => store.links(note.path, 'out', page, signal));
      await addTargets(links, targets, store, context);
      yield exportedNote(note, links, targets, faults.get(note.path) ?? []);
    }
  }
}

async function allRows<T>(read: (page: { limit: number; offset: number }) => Promise<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for (;;) {
    const page = await read({ limit: ROWS_PER_READ, offset: rows.length });
    rows.push(...page);
    if (page.length < ROWS_PER_READ) return rows;
  }
}

async function addTargets(
  links: readonly ResolvedLink[],
  { outlines, suggestions }: LinkTargets,
  store: Store,
  context: ReadContext,
): Promise<void> {
  const withPart = links.flatMap(({ target, subpath }) => (target === null || subpath === '' ? [] : [target]));
  const unknown = [...new Set(withPart)].filter((path) => !outlines.has(path));
  const records = unknown.length === 0 ? [] : await store.notes(unknown, context.signal);
  for (const { path, kind, hash, headings, blocks } of records) {
    if (kind !== 'attachment' && hash !== null) outlines.set(path, { headings, blocks });
  }
  const unresolved = links.filter(({ target }) => target === null).map(({ targetPath }) => targetPath);
  const names = unresolved.filter((name) => !suggestions.has(name));
  const suggested = await suggestNotes(names, store, context);
  for (const name of names) suggestions.set(name, suggested.get(name));
}

function exportedNote(
  note: NoteRecord,
  links: readonly ResolvedLink[],
  targets: LinkTargets,
  faults: readonly QuarantineEntry[],
): ExportedNote {
  return {
    path: note.path,
    kind: note.kind,
    title: note.title,
    aliases: note.aliases,
    tags: note.tagPlaces.map(({ tag }) => tag),
    properties: note.properties,
    ...(note.fields && { inline_fields: note.fields }),
    headings: note.headings.map(({ text, level, line, column, offset }) => ({ text, level, line, column, offset })),
    blocks: note.blocks.map(({ id, line, endLine }) => ({ id, line, end_line: endLine })),
    links: links.map((link) => exportedLink(link, targets)),
    tag_places: note.tagPlaces,
    ...(note.notices.length === 0 ? {} : { notices: note.notices }),
    ...(note.encoding === 'utf-8' ? {} : { encoding: note.encoding }),
    ...(faults.length === 0 ? {} : { faults: faults.map(exportedFault) }),
  };
}

function exportedFault({ phase, code, reason, line, column }: QuarantineEntry): object {
  return { phase, code, reason, line, column };
}

function exportedLink(link: ResolvedLink, { outlines, suggestions }: LinkTargets): object {
  const { kind, key, target, subpath, display, line, column, offset, end, match, others } = link;
  return {
    kind,
    key,
    link: link.link,
    path: target,
    subpath,
    display,
    line,
    column,
    offset,
    end,
    match,
    others,
    ...(target === null ? suggestions.get(link.targetPath) : targetLine(subpath, outlines.get(target))),
  };
}

/** The line of the subpath in the target; null if the target has no such part. */
function targetLine(subpath: string, outline: Outline | undefined): { target_line?: number | null } {
  if (outline === undefined || subpath.replaceAll('#', '').trim() === '') return {};
  return { target_line: resolveSubpath(subpath, outline, Number.POSITIVE_INFINITY)?.line ?? null };
}
