// Finds the title of a note in its properties.
import { noteName, type Properties } from '../../base/note.ts';
import { foldName } from '../links/fold.ts';

const TITLE = 'title';

/** The property `title`, in any case, if it is a non-empty string. */
export function titleProperty(properties: Properties): string | undefined {
  const key = Object.keys(properties).find((name) => name.length === TITLE.length && foldName(name) === TITLE);
  const value = key === undefined ? undefined : properties[key];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

export function noteTitle(path: string, properties: Properties): string {
  return titleProperty(properties) ?? noteName(path);
}
