// A template's text with its variables filled in, as Obsidian fills them. Knows nothing of where the text goes.
import { formatMoment } from './moment-format.ts';
import type { TemplateSettings } from './vault-settings.ts';

export interface Filling {
  readonly title: string;
  readonly date: Date;
  readonly formats: TemplateSettings;
}

const VARIABLES = /\{\{\s*(date|time|title)\s*(?::([^}\r\n]*))?\}\}/gi;

/** Other text between braces stays: it may be another plugin's. `unknown` is a letter of a format that is not known here. */
export function fillTemplate(
  text: string,
  { title, date, formats }: Filling,
): { readonly text: string } | { readonly unknown: string } {
  let unknown: string | undefined;
  const filled = text.replace(VARIABLES, (_, name: string, given: string | undefined) => {
    if (name.toLowerCase() === 'title') return title;
    const usual = name.toLowerCase() === 'date' ? formats.dateFormat : formats.timeFormat;
    const written = formatMoment(date, given === undefined || given.trim() === '' ? usual : given.trim());
    if ('text' in written) return written.text;
    unknown ??= written.unknown;
    return '';
  });
  return unknown === undefined ? { text: filled } : { unknown };
}
