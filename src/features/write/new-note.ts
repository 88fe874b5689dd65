// Works out the path of a new note and the text that its template gives it.
import { type NotePath, noteName } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { formatMoment } from '../../markdown/frontmatter/moment-format.ts';
import { type DailyNote, dailyNote, namesDay } from '../notes/daily-note.ts';
import { readContent } from '../notes/note-content.ts';
import { locateNote } from '../notes/note-reference.ts';
import { isFault, type TemplateSettings, templateSettings } from '../notes/obsidian-settings.ts';
import { newPathOf } from './editable-note.ts';
import type { Refuse } from './run-write.ts';

type Sources = Granted<'store' | 'vault'>;

export interface NewNote {
  readonly path: NotePath;
  /** For a path such as `@today`. */
  readonly daily?: DailyNote;
}

/** @throws PATH_NOT_ALLOWED */
export async function newNote(requested: string, sources: Sources, call: CallContext, now: Date): Promise<NewNote> {
  if (!namesDay(requested)) return { path: newPathOf(requested, '.md') };
  const daily = await dailyNote(requested, sources, call, now);
  return { path: daily.path, daily };
}

/**
 * The template's text with its variables filled in.
 * @param reference the template note
 * @param refuse refuses the template; the rule completes a sentence that begins with its argument
 */
export async function templateText(
  reference: string,
  { path, daily }: NewNote,
  sources: Sources,
  call: CallContext,
  now: Date,
  refuse: (rule: string) => ReturnType<Refuse>,
): Promise<string> {
  const formats = await templateSettings(sources.vault, call.signal);
  if (isFault(formats)) throw refuse(formats.fault);
  const found = await locateNote(reference, 'template', sources, call);
  if (found.part.kind !== 'whole') throw refuse('must name a whole note, not a part of one');
  const { text } = await readContent(found.path, sources.vault, call.signal);
  const filled = fillTemplate(text, { title: noteName(path), date: daily?.date ?? now, formats });
  if ('unknown' in filled) throw refuse(`${found.path} uses the unsupported format letter \`${filled.unknown}\``);
  return filled.text;
}

interface Filling {
  readonly title: string;
  readonly date: Date;
  readonly formats: TemplateSettings;
}

const VARIABLES = /\{\{\s*(date|time|title)\s*(?::([^}\r\n]*))?\}\}/gi;

/** Leaves other text in braces alone: it may be another plugin's. `unknown` is an unsupported format letter. */
function fillTemplate(
  text: string,
  { title, date, formats }: Filling,
): { readonly text: string } | { readonly unknown: string } {
  let unknown: string | undefined;
  const filled = text.replace(VARIABLES, (_, name: string, format: string | undefined) => {
    if (name.toLowerCase() === 'title') return title;
    const usual = name.toLowerCase() === 'date' ? formats.dateFormat : formats.timeFormat;
    const formatted = formatMoment(date, format?.trim() || usual);
    if ('text' in formatted) return formatted.text;
    unknown ??= formatted.unknown;
    return '';
  });
  return unknown === undefined ? { text: filled } : { unknown };
}
