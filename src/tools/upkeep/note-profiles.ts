// What the rules compare of each note, read from the index once for each content.
import type { NotePath, Properties, PropertyValue } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { ComputeFromIndex } from '../../contracts/session.ts';
import type { NoteRecord } from '../../contracts/store.ts';
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
  /** The lines of sections that list sources. */
  readonly sources: readonly (readonly [from: number, to: number])[];
}

const NOTES_AT_ONCE = 50;
const ROWS_PER_TURN = 500;

const readProfiles: ComputeFromIndex<ReadonlyMap<NotePath, NoteProfile>> = async (store, signal, previous) => {
  const states = (await store.fileStates(signal)).filter(({ kind, hash }) => kind === 'note' && hash !== null);
  const profiles = new Map<NotePath, NoteProfile>();
  const missing: NotePath[] = [];
  for (const [row, { path, hash, modifiedMs }] of states.entries()) {
    if (row % ROWS_PER_TURN === 0) await letOthersRun(signal);
    const known = previous?.get(path);
    if (known?.hash === hash) profiles.set(path, { ...known, modifiedMs });
    else missing.push(path);
  }
  for (let at = 0; at < missing.length; at += NOTES_AT_ONCE) {
    for (const record of await store.notes(missing.slice(at, at + NOTES_AT_ONCE), signal)) {
      if (record.hash !== null) profiles.set(record.path, profileOf(record));
      await letOthersRun(signal);
    }
  }
  return profiles;
};

/** Those that pass the filter, by path. */
export async function noteProfiles({ granted, call, isWithin }: CheckQuery): Promise<readonly NoteProfile[]> {
  const all = await call.storeCache.get(readProfiles, granted.store, call.signal);
  const within: NoteProfile[] = [];
  for (const profile of all.values()) {
    await letOthersRun(call.signal);
    if (isWithin(profile.path)) within.push(profile);
  }
  return within;
}

const SOURCES =
  /^(?:sources?|references?|bibliography|quellen(?:angaben)?|literatur|fuentes|referencias|bibliograf[ií]a|références|bibliographie|fontes|referências|источники|литература|来源|參考|参考(?:文献|资料)?|出典|参考文献)$/iu;

function profileOf(record: NoteRecord): NoteProfile {
  const { path, hash, modifiedMs, sizeBytes, headings, properties, fields = [], tagPlaces } = record;
  const [first] = headings;
  const title = titleProperty(properties);
  return {
    path,
    hash: hash as string,
    modifiedMs,
    sizeBytes,
    isConflictCopy: record.conflictCopy,
    ...(first?.level === 1 && { h1: { text: first.text, line: first.line } }),
    ...(title !== undefined && { titleProperty: title }),
    tags: tagPlaces.map(({ tag, line, from }) => (from === 'body' ? { tag, line } : { tag })),
    properties: [...Object.entries(properties), ...fields.map(({ name, value }) => [name, value] as const)],
    sources: headings.flatMap(({ text, level, line }, at) => {
      if (!SOURCES.test(text.replace(/[:：]$/, '').trim())) return [];
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

export const isTemplateNote = (profile: NoteProfile): boolean =>
  textsIn(valueNamed(profile, 'type', 'kind', 'category')).some((text) => foldName(text) === 'template') ||
  profile.tags.some(({ tag }) => /^#templates?$/i.test(tag)) ||
  /(?:^|[\s_.-])template$/iu.test(profile.path.replace(/\.[^./]*$/, ''));

function textsIn(value: PropertyValue | Properties): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap(textsIn) : [];
}
