// Sketches the texts of all notes, without the lines that many notes have in common.
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { jobs } from '../../compute/jobs.ts';
import type { FileState } from '../../contracts/change-set.ts';
import type { Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { TextSketch } from '../../markdown/excerpt/text-signature.ts';
import { readTexts } from '../notes/note-content.ts';
import type { Sources } from './gap-query.ts';

const NOTES_PER_READ = 100;
/** A line that this many different notes have comes from a template or a page's footer. */
const MIN_NOTES_WITH_LINE = 4;

export interface NoteSketch {
  readonly whole: TextSketch;
  /** Without the lines of many notes. */
  readonly own: TextSketch;
}

interface KeptSketch {
  readonly whole: TextSketch;
  readonly lines: Uint32Array;
  /** By the lines left out. */
  readonly own: Map<string, TextSketch>;
}

/** By path. Notes that cannot be read have none. */
export async function noteSketches(states: readonly FileState[], sources: Sources, call: CallContext) {
  const kept = await call.storeCache.get(keepSketches, sources.store, call.signal);
  const missing = states.filter(({ hash }) => !kept.has(hash as string));
  await eachText(missing, sources, call, async (read, texts) => {
    const made = await call.compute.run(jobs.sketches, { texts }, call.signal);
    for (const [row, sketch] of made.entries()) kept.set(read[row]?.hash as string, { ...sketch, own: new Map() });
  });
  const common = await commonLines(kept);
  await sketchOwnTexts(states, kept, common, sources, call);
  const sketches = new Map<NotePath, NoteSketch>();
  for (const { path, hash } of states) {
    await letOthersRun();
    const found = kept.get(hash as string);
    if (found === undefined) continue;
    const { whole } = found;
    sketches.set(path, { whole, own: found.own.get(linesKey(found, common)) ?? whole });
  }
  return sketches;
}

/** A note with no line of many others is not read again. */
async function sketchOwnTexts(
  states: readonly FileState[],
  kept: ReadonlyMap<string, KeptSketch>,
  common: ReadonlySet<number>,
  sources: Sources,
  call: CallContext,
): Promise<void> {
  const unknown = [];
  for (const state of states) {
    await letOthersRun();
    const found = kept.get(state.hash as string);
    const key = found === undefined ? '' : linesKey(found, common);
    if (key !== '' && !found?.own.has(key)) unknown.push(state);
  }
  await eachText(unknown, sources, call, async (read, texts) => {
    const lines = new Set(read.flatMap(({ hash }) => sharedWith(common, kept.get(hash as string))));
    const made = await call.compute.run(jobs.ownSketches, { texts, common: [...lines] }, call.signal);
    for (const [row, sketch] of made.entries()) {
      const found = kept.get(read[row]?.hash as string) as KeptSketch;
      found.own.clear();
      found.own.set(linesKey(found, common), sketch);
    }
  });
}

const sharedWith = (common: ReadonlySet<number>, sketch: KeptSketch | undefined): number[] =>
  [...(sketch?.lines ?? [])].filter((line) => common.has(line));

const linesKey = (sketch: KeptSketch, common: ReadonlySet<number>): string => sharedWith(common, sketch).join(' ');

async function commonLines(kept: ReadonlyMap<string, KeptSketch>): Promise<ReadonlySet<number>> {
  const counts = new Map<number, number>();
  const common = new Set<number>();
  for (const { lines } of kept.values()) {
    await letOthersRun();
    for (const line of lines) {
      const count = (counts.get(line) ?? 0) + 1;
      counts.set(line, count);
      if (count === MIN_NOTES_WITH_LINE) common.add(line);
    }
  }
  return common;
}

async function eachText(
  states: readonly FileState[],
  { vault }: Sources,
  call: CallContext,
  use: (read: readonly FileState[], texts: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < states.length; at += NOTES_PER_READ) {
    const part = states.slice(at, at + NOTES_PER_READ);
    const paths = part.map(({ path }) => path);
    const texts = await readTexts(paths, vault, call.signal);
    const read = part.filter(({ path }) => texts.has(path));
    await use(
      read,
      read.map(({ path }) => texts.get(path) as string),
    );
    call.progress(at + part.length, states.length, 'notes compared');
  }
}

/** Whatever the index does, the sketch of a content stays the same. */
const keepSketches = async (
  store: Store,
  signal: AbortSignal,
  previous: Map<string, KeptSketch> | undefined,
): Promise<Map<string, KeptSketch>> => {
  const hashes = new Set((await store.fileStates(signal)).map(({ hash }) => hash));
  return new Map([...(previous ?? [])].filter(([hash]) => hashes.has(hash)));
};
