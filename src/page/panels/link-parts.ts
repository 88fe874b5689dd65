// The parts of the panel below the text: links in both directions, unresolved links, files and related notes.
import { button, element } from '../elements.ts';
import type { Reading } from '../reading.ts';
import type { NoteLink, NoteLinks, RelatedNote } from '../source/graph-source.ts';
import { unresolvedKey } from '../source/unresolved.ts';
import { noteEntry } from './note-entry.ts';
import { plainWords } from './plain-words.ts';

export function linkParts(page: Reading, facts: NoteLinks): Node[] {
  const isDrawn = ({ path }: NoteLink): boolean => page.model()?.nodes.has(path) ?? false;
  const out = facts.links.filter((link) => link.direction === 'out' && isDrawn(link));
  const back = facts.links.filter((link) => link.direction === 'in' && isDrawn(link));
  const files = facts.links.filter((link) => link.direction === 'out' && !isDrawn(link));
  const left = facts.linkTotal - new Set(facts.links.map(({ path }) => path)).size;
  return [
    ...linkPart(page, 'Links to', out),
    ...linkPart(page, 'Linked from', back),
    ...(left > 0 ? [element('p', { class: 'quiet' }, `and ${left} more`)] : []),
    ...unresolvedPart(page, facts.unresolved),
    ...filePart(page, files),
  ];
}

function linkPart(page: Reading, title: string, links: readonly NoteLink[]): Node[] {
  if (links.length === 0) return [];
  const rows = links.map(({ path, sentences }) => noteEntry(page, path, sentences.map(plainWords).join(' … ')));
  return [element('h2', {}, `${title} ${links.length}`), element('ul', { class: 'entries' }, ...rows)];
}

function filePart({ source }: Reading, files: readonly NoteLink[]): Node[] {
  if (files.length === 0) return [];
  const rows = files.map(({ path }) => {
    const href = source.fileAddress(path);
    const shown =
      href === undefined ? element('span', {}, path) : element('a', { href, target: '_blank', rel: 'noopener' }, path);
    return element('li', { class: 'entry file' }, shown);
  });
  return [element('h2', {}, `Files ${files.length}`), element('ul', { class: 'entries' }, ...rows)];
}

export function relatedPart(page: Reading, related: readonly RelatedNote[]): Node[] {
  if (related.length === 0) return [];
  const rows = related.map(({ path, why }) => noteEntry(page, path, why));
  return [element('h2', {}, 'Related by words'), element('ul', { class: 'entries' }, ...rows)];
}

function unresolvedPart(page: Reading, names: readonly string[]): Node[] {
  if (names.length === 0) return [];
  const rows = names.map((name) =>
    element(
      'li',
      {},
      button(
        { class: 'entry' },
        () => page.choose(unresolvedKey(name)),
        element('span', { class: 'hollow', 'aria-hidden': 'true' }),
        element('span', {}, name),
      ),
    ),
  );
  return [element('h2', {}, `Unresolved ${names.length}`), element('ul', { class: 'entries' }, ...rows)];
}
