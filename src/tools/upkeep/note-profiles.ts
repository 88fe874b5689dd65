// What the rules compare of each note, read from the index once for each content.
import type { NotePath, Properties, PropertyValue } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { FileState } from '../../contracts/change-set.ts';
import type { ComputeFromIndex } from '../../contracts/session.ts';
import type { NoteRecord, Store } from '../../contracts/store.ts';
import { isSourceHeading } from '../../markdown/excerpt/source-headings.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { titleProperty } from '../../markdown/properties/note-title.ts';
import type { CheckQuery } from './check-rule.ts';

export interface NoteProfile {
  readonly path: NotePath;
  readonly hash: string;
  readonly modifiedMs: number;
  readonly sizeBytes: number;
  readonly isConflictCopy: boolean;
  /** The first heading, if it is of level 1. */
  readonly h1?: { readonly text: string; readonly line: number };
  readonly titleProperty?: string;
  /** Every occurrence of a tag, with `#`, in its own spelling; those in properties have no line. */
  readonly tags: readonly { readonly tag: string; readonly line?: number }[];
  /** Names as written, with their values; those inside maps are left out. */
  readonly properties: readonly (readonly [name: string, value: PropertyValue])[];
  readonly isTemplate: boolean;
  /** The lines of sections that list sources. */
  readonly sources: readonly (readonly [from: number, to: number])[];
}

const NOTES_AT_ONCE = 50;
const ROWS_PER_TURN = 500;

export interface KnownFiles {
  /** All files of the vault, ascending by path. */
  readonly states: readonly FileState[];
  /** In the same order. A note that is as it was has the same object as before, and so has each part of one that changed. */
  readonly profiles: ReadonlyMap<NotePath, NoteProfile>;
}

const readFiles: ComputeFromIndex<KnownFiles> = async (store, signal, previous) => {
  const states = await store.fileStates(signal);
  const notes = states.filter(({ kind, hash }) => kind === 'note' && hash !== null);
  const read = await changedProfiles(notes, previous?.profiles, store, signal);
  const profiles = new Map<NotePath, NoteProfile>();
  for (const [row, { path, modifiedMs }] of notes.entries()) {
    if (row % ROWS_PER_TURN === 0) await letOthersRun(signal);
    const profile = read.get(path) ?? previous?.profiles.get(path);
    if (profile !== undefined)
      profiles.set(path, profile.modifiedMs === modifiedMs ? profile : { ...profile, modifiedMs });
  }
  return { states, profiles };
};

/** The profiles of the notes that have another content than before. */
async function changedProfiles(
  notes: readonly FileState[],
  before: KnownFiles['profiles'] | undefined,
  store: Store,
  signal: AbortSignal,
) {
  const changed = notes.filter(({ path, hash }) => before?.get(path)?.hash !== hash).map(({ path }) => path);
  const profiles = new Map<NotePath, NoteProfile>();
  for (let at = 0; at < changed.length; at += NOTES_AT_ONCE) {
    for (const record of await store.notes(changed.slice(at, at + NOTES_AT_ONCE), signal)) {
      if (record.hash !== null) profiles.set(record.path, withPartsOf(before?.get(record.path), profileOf(record)));
      await letOthersRun(signal);
    }
  }
  return profiles;
}

function withPartsOf(earlier: NoteProfile | undefined, profile: NoteProfile): NoteProfile {
  if (earlier === undefined) return profile;
  const kept = (['h1', 'tags', 'properties', 'sources'] as const).filter(
    (part) => JSON.stringify(earlier[part]) === JSON.stringify(profile[part]),
  );
  return { ...profile, ...Object.fromEntries(kept.map((part) => [part, earlier[part]])) };
}

export const knownFiles = ({ granted, call }: CheckQuery): Promise<KnownFiles> =>
  call.storeCache.get(readFiles, granted.store, call.signal);

/** Those that pass the filter, ascending by path. */
export async function noteProfiles(query: CheckQuery): Promise<readonly NoteProfile[]> {
  const within: NoteProfile[] = [];
  let row = 0;
  for (const profile of (await knownFiles(query)).profiles.values()) {
    if (row++ % ROWS_PER_TURN === 0) await letOthersRun(query.call.signal);
    if (query.isWithin(profile.path)) within.push(profile);
  }
  return within;
}

function profileOf(record: NoteRecord): NoteProfile {
  const { path, hash, modifiedMs, sizeBytes, headings, properties, fields = [], tagPlaces } = record;
  const [first] = headings;
  const title = titleProperty(properties);
  const tags = tagPlaces.map(({ tag, line, from }) => (from === 'body' ? { tag, line } : { tag }));
  const all = [...Object.entries(properties), ...fields.map(({ name, value }) => [name, value] as const)];
  return {
    path,
    hash: hash as string,
    modifiedMs,
    sizeBytes,
    isConflictCopy: record.conflictCopy,
    ...(first?.level === 1 && { h1: { text: first.text, line: first.line } }),
    ...(title !== undefined && { titleProperty: title }),
    tags,
    properties: all,
    isTemplate: isTemplateNote({ path, tags, properties: all }),
    sources: headings.flatMap(({ text, level, line }, at) => {
      if (!isSourceHeading(text)) return [];
      const next = headings.slice(at + 1).find((other) => other.level <= level);
      return [[line, next?.line ?? Number.MAX_SAFE_INTEGER] as const];
    }),
  };
}

/** The value of the first of the properties that the note has, whatever their case. */
export function valueNamed(
  { properties }: Pick<NoteProfile, 'properties'>,
  ...names: readonly string[]
): PropertyValue {
  return properties.find(([name]) => names.includes(foldName(name)))?.[1] ?? null;
}

const isTemplateNote = (profile: Pick<NoteProfile, 'path' | 'tags' | 'properties'>): boolean =>
  textsIn(valueNamed(profile, 'type', 'kind', 'category')).some((text) => foldName(text) === 'template') ||
  profile.tags.some(({ tag }) => /^#templates?$/i.test(tag)) ||
  /(?:^|[\s_.-])template$/iu.test(profile.path.replace(/\.[^./]*$/, ''));

function textsIn(value: PropertyValue | Properties): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap(textsIn) : [];
}
