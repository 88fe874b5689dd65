// Works out the path of a new note and the text that its template gives it.
import { type NotePath, noteName } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { readContent } from '../notes/note-content.ts';
import { locateNote } from '../notes/note-reference.ts';
import { isFault, templateSettings } from '../notes/obsidian-settings.ts';
import { fillTemplate } from '../periods/fill-template.ts';
import { namesPeriod, type PeriodicNote, periodicNote, vaultLanguage } from '../periods/periodic-note.ts';
import { newNotePathOf } from './editable-note.ts';
import type { Refuse } from './run-write.ts';

type Sources = Granted<'store' | 'vault'>;

export interface NewNote {
  readonly path: NotePath;
  /** For a path such as `@today`. */
  readonly periodic?: PeriodicNote;
}

/** @throws PATH_NOT_ALLOWED */
export async function newNote(requested: string, sources: Sources, call: CallContext, now: Date): Promise<NewNote> {
  if (!namesPeriod(requested)) return { path: newNotePathOf(requested) };
  const periodic = await periodicNote(requested, sources, call, now);
  return { path: periodic.path, periodic };
}

export interface FilledTemplate {
  readonly text: string;
  /** The note that it was read from; absent if there is none. */
  readonly template?: NotePath;
}

/**
 * The template's text with its variables filled in.
 * @param reference the template note
 * @param refuse refuses the template; the rule completes a sentence that begins with its argument
 */
export async function templateText(
  reference: string,
  { path, periodic }: NewNote,
  sources: Sources,
  call: CallContext,
  now: Date,
  refuse: (rule: string) => ReturnType<Refuse>,
): Promise<FilledTemplate> {
  const formats = await templateSettings(sources.vault, call.signal);
  if (isFault(formats)) throw refuse(formats.fault);
  const template = await locateNote(reference, 'template', sources, call);
  if (template.part.kind !== 'whole') throw refuse('must name a whole note, not a part of one');
  const { text } = await readContent(template.path, sources.vault, call.signal);
  const language = await vaultLanguage(sources, call);
  const nameFormat = periodic?.settings.format ?? formats.dateFormat;
  const of = { title: noteName(path), date: periodic?.date ?? now, isWeek: periodic?.unit === 'week' };
  const filled = fillTemplate(text, { ...formats, ...of, language, nameFormat });
  if ('unknown' in filled)
    throw refuse(`${template.path} uses the format letter \`${filled.unknown}\`, which is supported in English only`);
  return { text: filled.text, template: template.path };
}

/** In which language the name of the note is, and why, for the answer; empty for a name that is alike in all languages. */
export function languageView({ periodic }: NewNote): object {
  const { language, languageFrom } = periodic ?? {};
  return languageFrom === undefined ? {} : { language: language?.code, language_from: languageFrom };
}
