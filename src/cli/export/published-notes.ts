// Chooses the notes that a site shows, and the file of each one's page.
import { withoutNoteExtension } from '../../base/note.ts';

/** What the export has of a note. */
export interface PublishableNote {
  readonly path: string;
  readonly kind: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly path: string | null }[];
}

export interface PublishedNote {
  readonly path: string;
  readonly title: string;
  /** The file of its page in the site, with `/`. */
  readonly page: string;
  /** The published notes that link to it. */
  readonly linkedFrom: readonly string[];
}

/** The notes by path, ascending. */
export type Published = ReadonlyMap<string, PublishedNote>;

export const INDEX_PAGE = 'index.html';
export const STYLE_FILE = 'site.css';

/**
 * A note with `publish: true`; with tags, one that has any of them or a tag below one. `publish: false` always keeps a note back.
 * @param tags with or without `#`
 */
function selects(note: PublishableNote, tags: readonly string[]): boolean {
  if (note.kind !== 'note' || note.properties.publish === false) return false;
  if (tags.length === 0) return note.properties.publish === true;
  const tagKeys = note.tags.map(tagKey);
  return tags.map(tagKey).some((tag) => tagKeys.some((one) => one === tag || one.startsWith(`${tag}/`)));
}

const tagKey = (tag: string): string => tag.replace(/^#/, '').toLowerCase();

/** The notes that `selects` names, in the order of their paths, with the published notes that link to each. */
export async function publishedNotes(
  notes: AsyncIterable<PublishableNote>,
  tags: readonly string[],
): Promise<Published> {
  const selected: PublishableNote[] = [];
  for await (const note of notes) if (selects(note, tags)) selected.push(note);
  const paths = new Set(selected.map(({ path }) => path));
  const linkedFrom = new Map<string, Set<string>>();
  for (const { path, links } of selected)
    for (const { path: target } of links) {
      if (target === null || target === path || !paths.has(target)) continue;
      linkedFrom.set(target, (linkedFrom.get(target) ?? new Set()).add(path));
    }
  const pages = createPageNames();
  return new Map(
    selected.map(({ path, title }) => [
      path,
      { path, title, page: pages(path), linkedFrom: [...(linkedFrom.get(path) ?? [])] },
    ]),
  );
}

/** Two notes whose pages would be one file, also where case does not count, get a number. */
function createPageNames(): (path: string) => string {
  const taken = new Set([INDEX_PAGE, STYLE_FILE]);
  return (path) => {
    const stem = withoutNoteExtension(path);
    let page = `${stem}.html`;
    for (let at = 2; taken.has(page.toLowerCase()); at += 1) page = `${stem} ${at}.html`;
    taken.add(page.toLowerCase());
    return page;
  };
}
