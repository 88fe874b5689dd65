// Chooses the notes whose statements find_conflicts compares, and reads them.
import { fileKindOf, type NotePath, noteName } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { ConflictQuery } from '../../markdown/claims/conflicts.ts';
import { pathsWithin } from '../links/gap-query.ts';
import { readTexts } from '../notes/note-content.ts';
import { resolveNote } from '../notes/note-reference.ts';
import { relatedNotes } from '../related/related-notes.ts';
import type { QueryVector } from '../search/embed-query.ts';
import { parseQuestion } from '../search/text-query.ts';
import { topicNotes } from '../timeline/timeline-notes.ts';

type Sources = Granted<'store' | 'vault'>;

/** Limits of one call, so that it ends within seconds. */
const MAX_NOTES = 1_000;
const MAX_CHARACTERS = 2_000_000;
const MAX_CHARACTERS_OF_NOTE = 200_000;
const RELATED = 30;
const NOTES_PER_READ = 100;

export interface Compared extends ConflictQuery {
  /** Notes that were not compared, because there are too many. */
  readonly left: number;
}

/** @throws RESOLVE_FAILURES */
export async function notesToCompare(
  chosen: { readonly topic?: string | undefined; readonly notes?: readonly string[] | undefined },
  filter: NoteFilter,
  vector: Promise<QueryVector | undefined>,
  sources: Sources,
  call: CallContext,
): Promise<Compared> {
  const { topic, notes } = chosen;
  if (notes !== undefined) {
    const of = await namedPaths(notes, sources, call);
    return {
      ...(await withTexts([...of, ...(await relatedTo(of, filter, sources, call))], sources, call)),
      of,
      ...(topic !== undefined && { topic }),
    };
  }
  if (topic === undefined) return withTexts(await newestFirst(filter, sources, call), sources, call);
  const topicHits = await topicNotes(parseQuestion(topic, 'any'), vector, filter, undefined, sources, call);
  return {
    ...(await withTexts(
      topicHits.notes.map(({ path }) => path),
      sources,
      call,
    )),
    topic,
  };
}

async function namedPaths(notes: readonly string[], sources: Sources, call: CallContext): Promise<NotePath[]> {
  const paths = new Set<NotePath>();
  for (const note of notes) paths.add((await resolveNote(note, 'notes', sources, call)).path);
  return [...paths];
}

async function relatedTo(paths: readonly NotePath[], filter: NoteFilter, sources: Sources, call: CallContext) {
  const chosen: NotePath[] = [];
  for (const path of paths) {
    const { related } = await relatedNotes(path, filter, new Set(paths), sources, call);
    chosen.push(...related.slice(0, RELATED).map((note) => note.path));
  }
  return chosen;
}

/** Without a list of notes from the index, which reads what find_conflicts does not need. */
async function newestFirst(filter: NoteFilter, { store }: Sources, { signal }: CallContext): Promise<NotePath[]> {
  const isWithin = await pathsWithin(filter, store, signal);
  const notes = (await store.fileStates(signal)).filter(
    ({ path, kind, hash }) => kind === 'note' && hash !== null && isWithin(path),
  );
  return notes.sort((one, other) => other.modifiedMs - one.modifiedMs).map(({ path }) => path);
}

async function withTexts(all: readonly NotePath[], { store, vault }: Sources, call: CallContext) {
  const paths = [...new Set(all)].filter((path) => fileKindOf(path) === 'note');
  const chosen = paths.slice(0, MAX_NOTES);
  const titles = await store.titles(chosen, call.signal);
  const notes: { path: string; title: string; text: string }[] = [];
  let characters = 0;
  let count = 0;
  for (; count < chosen.length && characters < MAX_CHARACTERS; count += NOTES_PER_READ) {
    const texts = await readTexts(
      chosen.slice(count, count + NOTES_PER_READ),
      vault,
      call,
      'lines',
      MAX_CHARACTERS_OF_NOTE,
    );
    for (const [path, text] of texts) {
      notes.push({ path, title: titles.get(path as NotePath) ?? noteName(path), text });
      characters += text.length;
    }
    call.progress(Math.min(count, chosen.length), chosen.length, 'notes read');
    await letOthersRun(call.signal);
  }
  return { notes, left: paths.length - Math.min(count, chosen.length) };
}
