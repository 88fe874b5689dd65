// Finds the title of a note in its properties.
import { noteName, type Properties } from '../../base/note.ts';
import { foldName } from '../links/fold.ts';

/** The property `title`, in any case, if it is a non-empty string. */
export function titleProperty(properties: Properties): string | undefined {
  const value = Object.entries(properties).find(([name]) => foldName(name) === 'title')?.[1];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

export function noteTitle(path: string, properties: Properties): string {
  return titleProperty(properties) ?? noteName(path);
}
