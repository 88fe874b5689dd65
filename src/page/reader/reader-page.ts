// What the reader shows, and what it asks of the page around it.
import type { NoteText } from '../source/graph-source.ts';

export interface ReaderPage {
  /** @param subpath `#Heading` or `#^block`; empty for the whole note */
  open(path: string, subpath: string): void;
  showTag(tag: string): void;
  /** Says something to the reader for a moment. */
  say(words: string): void;
  /** The name of the vault for Obsidian. */
  readonly vault: string;
  /** The text of another note, for an embed. @throws PageError */
  read(path: string): Promise<NoteText>;
  /** Where the page gets a file of the vault; undefined if it has none. */
  fileAddress(path: string): string | undefined;
}

export interface ShownNote extends NoteText {
  readonly path: string;
  /** A first heading that repeats it is left out. */
  readonly title: string;
}

/** The place with a slug; null if there is none. */
export function placeIn(body: HTMLElement, slug: string): HTMLElement | null {
  return slug === '' ? null : body.querySelector<HTMLElement>(`[data-slug="${CSS.escape(slug)}"]`);
}
