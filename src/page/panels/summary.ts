// The line that names the vault and counts its notes and links.
import { element, part } from '../elements.ts';
import type { Model } from '../source/model.ts';

export function tellSummary({ picture }: Model): void {
  const links = picture.links.reduce((sum, value, at) => (at % 3 === 2 ? sum + value : sum), 0);
  const facts = [
    counted(picture.notes.length, 'note'),
    counted(links, 'link'),
    ...(picture.unresolvedTotal === 0 ? [] : [`${picture.unresolvedTotal.toLocaleString('en')} unresolved`]),
  ];
  part('summary').replaceChildren(element('strong', {}, picture.vault), `  ·  ${facts.join('  ·  ')}`);
  document.title = `${picture.vault} · vaultgraph`;
}

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
