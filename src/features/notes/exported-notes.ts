// The whole index as plain rows for other programs, a note at a time.
import type { NotePath } from '../../base/note.ts';
import type { NoteRecord, QuarantineEntry, ResolvedLink, Store } from '../../contracts/store.ts';
import { resolveSubpath } from '../../markdown/links/section.ts';
import { createSuggest, type Suggest } from './name-index.ts';

const NOTES_AT_ONCE = 200;
const ROWS_AT_ONCE = 1_000;

/** One note, canvas or base as `export` prints it; names are part of the contract with other programs. */
export type ExportedNote = Readonly<Record<string, unknown>> & { readonly path: NotePath };

type Faults = ReadonlyMap<string, readonly QuarantineEntry[]>;
type Outline = Pick<NoteRecord, 'headings' | 'blocks'>;

interface Lookups {
  readonly faults: Faults;
  /** Of notes that links name a part of. */
  readonly outlines: Map<NotePath, Outline>;
  readonly suggest: Suggest;
}

/** Ascending by path. What was not read whole says so in `faults`. */
export async function* exportedNotes(store: Store, signal: AbortSignal): AsyncGenerator<ExportedNote> {
  const states = await store.fileStates(signal);
  const paths = states.filter(({ kind }) => kind !== 'attachment').map(({ path }) => path);
  const faults = Map.groupBy(await wholeLedger(store, signal), ({ path }) => path);
  const lookups: Lookups = { faults, outlines: new Map(), suggest: rememberingSuggest(store, signal) };
  for (let at = 0; at < paths.length; at += NOTES_AT_ONCE) {
    for (const note of await store.notes(paths.slice(at, at + NOTES_AT_ONCE), signal)) {
      const links = await pagesOf((page) => store.links(note.path, 'out', page, signal));
      await learnOutlines(links, lookups.outlines, store, signal);
      yield await exportedNote(note, links, lookups);
    }
  }
}

const wholeLedger = (store: Store, signal: AbortSignal) => pagesOf((page) => store.quarantine(page, signal));

async function pagesOf<T>(ask: (page: { limit: number; offset: number }) => Promise<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for (;;) {
    const page = await ask({ limit: ROWS_AT_ONCE, offset: rows.length });
    rows.push(...page);
    if (page.length < ROWS_AT_ONCE) return rows;
  }
}

/** The same wrong name stands in many notes. */
function rememberingSuggest(store: Store, signal: AbortSignal): Suggest {
  const known = new Map<string, ReturnType<Suggest>>();
  const suggest = createSuggest(store, signal);
  return (name) => {
    const suggestion = known.get(name) ?? suggest(name);
    known.set(name, suggestion);
    return suggestion;
  };
}

async function learnOutlines(
  links: readonly ResolvedLink[],
  outlines: Map<NotePath, Outline>,
  store: Store,
  signal: AbortSignal,
): Promise<void> {
  const named = links.flatMap(({ target, subpath }) => (target === null || subpath === '' ? [] : [target]));
  const unknown = [...new Set(named)].filter((path) => !outlines.has(path));
  if (unknown.length === 0) return;
  for (const { path, kind, hash, headings, blocks } of await store.notes(unknown, signal)) {
    if (kind !== 'attachment' && hash !== null) outlines.set(path, { headings, blocks });
  }
}

async function exportedNote(note: NoteRecord, links: readonly ResolvedLink[], lookups: Lookups): Promise<ExportedNote> {
  const faults = lookups.faults.get(note.path) ?? [];
  const rows: object[] = [];
  for (const link of links) rows.push(await exportedLink(link, lookups));
  return {
    path: note.path,
    kind: note.kind,
    title: note.title,
    aliases: note.aliases,
    tags: note.tagPlaces.map(({ tag }) => tag),
    properties: note.properties,
    headings: note.headings.map(({ text, level, line, column, offset }) => ({ text, level, line, column, offset })),
    blocks: note.blocks.map(({ id, line, endLine }) => ({ id, line, end_line: endLine })),
    links: rows,
    tag_places: note.tagPlaces,
    ...(note.notices.length === 0 ? {} : { notices: note.notices }),
    ...(note.encoding === 'utf-8' ? {} : { encoding: note.encoding }),
    ...(faults.length === 0 ? {} : { faults: faults.map(exportedFault) }),
  };
}

function exportedFault({ phase, code, reason, line, column }: QuarantineEntry): object {
  return { phase, code, reason, line, column };
}

async function exportedLink(link: ResolvedLink, { outlines, suggest }: Lookups): Promise<object> {
  const { kind, key, target, subpath, display, line, column, offset, end, match, others } = link;
  return {
    ...{ kind, key, link: link.link, path: target, subpath, display, line, column, offset, end, match, others },
    ...(target === null ? await suggest(link.targetPath) : partOf(subpath, outlines.get(target))),
  };
}

/** The line of what the subpath names in the target; null when the target has no such part. */
function partOf(subpath: string, outline: Outline | undefined): { target_line?: number | null } {
  if (outline === undefined || subpath.replaceAll('#', '').trim() === '') return {};
  return { target_line: resolveSubpath(subpath, outline, Number.POSITIVE_INFINITY)?.line ?? null };
}
