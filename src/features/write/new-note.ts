// Where a new note is to be and what it begins with: a day's own path and template, or a path and a template as given. Writes nothing.
import type { NotePath } from '../../base/note.ts';
import { noteName } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import { readContent } from '../notes/note-content.ts';
import { locateNote } from '../notes/note-reference.ts';
import { type DailyNote, dailyNote, namesDay } from './daily-note.ts';
import { newPathOf } from './new-path.ts';
import { fillTemplate } from './note-template.ts';
import { isFault, templateSettings } from './vault-settings.ts';

export interface NewNote {
  readonly path: NotePath;
  /** Of a path that names a day. */
  readonly daily?: DailyNote;
}

type Sources = Granted<'store' | 'vault'>;
/** Refuses the argument `template`. */
type Refuse = (rule: string) => Error;

/** @throws PATH_NOT_ALLOWED */
export async function newNote(written: string, { vault }: Sources, signal: AbortSignal, now: Date): Promise<NewNote> {
  if (!namesDay(written)) return { path: newPathOf(written, '.md') };
  const daily = await dailyNote(written, vault, signal, now);
  return { path: daily.path, daily };
}

/**
 * @param template a note reference, or true for the template that the vault's settings name for daily notes
 * @throws what finding and reading the template's note throws, and what `refuse` makes
 */
export async function templateText(
  template: string | true,
  { path, daily }: NewNote,
  sources: Sources,
  signal: AbortSignal,
  now: Date,
  refuse: Refuse,
): Promise<string> {
  const named = template === true ? daily?.settings.template : template;
  if (named === undefined) throw refuse("true goes with a path such as @today; give the template's path");
  if (named === '') throw refuse('the settings of the vault name no template for daily notes; give its path');
  const formats = await templateSettings(sources.vault, signal);
  if (isFault(formats)) throw refuse(formats.fault);
  const found = await locateNote(named, 'template', sources, signal);
  const { text } = await readContent(found.path, sources.vault, signal);
  const filled = fillTemplate(text, { title: noteName(path), date: daily?.date ?? now, formats });
  if ('unknown' in filled)
    throw refuse(`${found.path} has the format letter \`${filled.unknown}\`, which is not known here`);
  return filled.text;
}
