// The title of a note where it says something that its path does not.
import { noteName } from '../../base/note.ts';

/** As a field to spread. */
export function titleBeside(path: string, title: string | undefined): { readonly title?: string } {
  return title === undefined || title === noteName(path) ? {} : { title };
}
