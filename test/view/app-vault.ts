// Writes a small vault of three clusters, for the pictures beside answers.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function writeVault(folder: string): void {
  for (const [path, text] of Object.entries(notes())) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function notes(): Record<string, string> {
  const written: Record<string, string> = {
    'Sea/Tides.md':
      'The moon moves them, says [[Moon]]. They fill the [[Harbour]], [[Currents]] and [[Marsh]]; see [[Almanac]].\n',
    'Sea/Harbour.md': 'Boats wait for the [[Tides]]. The [[Market]] sells what [[Currents]] bring.\n',
    'Sea/Currents.md': 'Between [[Harbour]] and [[Marsh]].\n',
    'Sea/Marsh.md': 'Below the [[Tides]] line, near the [[Harbour]].\n',
    'Sky/Moon.md': 'Pulls at the [[Tides]]. A [[Telescope]] shows its craters.\n',
    'Sky/Telescope.md': 'Looks at the [[Moon]], the [[Sun]] and the [[Stars]].\n',
    'Sky/Sun.md': 'One of the [[Stars]]; pulls less than the [[Moon]].\n',
    'Sky/Stars.md': 'Seen by a [[Telescope]], hidden by the [[Sun]].\n',
    'Kitchen/Market.md': 'Sells for [[Cooking]].\n',
    'Kitchen/Cooking.md': 'Begins at the [[Market]].\n',
    'Alone.md': 'Links to nothing.\n',
  };
  for (let at = 0; at < 9; at++)
    written[`Kitchen/Recipe ${at}.md`] = `[[Cooking]], and then [[Recipe ${(at + 1) % 9}]].\n`;
  return written;
}
