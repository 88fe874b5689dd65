// The line that names the vault and counts its notes and links.
import { element, part } from '../elements.ts';
import type { Model } from '../source/model.ts';

export function tellSummary({ picture }: Model): void {
  const links = picture.links.reduce((sum, value, at) => (at % 3 === 2 ? sum + value : sum), 0);
  const facts = [
    notesText(picture),
    counted(links, 'link'),
    ...(picture.unresolvedTotal === 0 ? [] : [`${picture.unresolvedTotal.toLocaleString('en')} unresolved`]),
  ];
  part('summary').replaceChildren(element('strong', {}, picture.vault), `  ·  ${facts.join('  ·  ')}`);
  part('summary').title = 'The links between notes; those to attachments are not drawn.';
  document.title = `${picture.vault} · vaultgraph`;
}

/** Lists of notes count all three as notes. */
function notesText({ notes, bases = 0 }: Model['picture']): string {
  const canvases = notes.filter(({ kind }) => kind === 'canvas').length;
  return [
    counted(notes.length - canvases, 'note'),
    ...(canvases === 0 ? [] : [counted(canvases, 'canvas', 'canvases')]),
    ...(bases === 0 ? [] : [counted(bases, 'base')]),
  ].join('  ·  ');
}

const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : nouns}`;
