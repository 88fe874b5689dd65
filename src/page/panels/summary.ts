// The line that names the vault and counts its notes and links.
import { element, part } from '../elements.ts';
import type { Model } from '../source/model.ts';

export function tellSummary({ picture }: Model): void {
  const links = picture.links.reduce((sum, value, at) => (at % 3 === 2 ? sum + value : sum), 0);
  const facts = [
    notesText(picture.notes),
    counted(links, 'link'),
    ...(picture.unresolvedTotal === 0 ? [] : [`${picture.unresolvedTotal.toLocaleString('en')} unresolved`]),
  ];
  part('summary').replaceChildren(element('strong', {}, picture.vault), `  ·  ${facts.join('  ·  ')}`);
  document.title = `${picture.vault} · vaultgraph`;
}

/** Bases are in no graph, so they are not counted here as they are in lists of notes. */
function notesText(notes: Model['picture']['notes']): string {
  const canvases = notes.filter(({ kind }) => kind === 'canvas').length;
  const texts = counted(notes.length - canvases, 'note');
  return canvases === 0 ? texts : `${texts}  ·  ${counted(canvases, 'canvas', 'canvases')}`;
}

const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : nouns}`;
