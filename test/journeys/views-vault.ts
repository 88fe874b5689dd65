// Makes a vault with folders that a view can hide, and the vault that holds only what a view shows.
import { copyFileSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { createView } from '../../src/providers/filesystem/view-globs.ts';
import { createSeededRandom } from '../bench/random.ts';
import { temporaryFolder } from './session.ts';

const FOLDERS = ['', 'Work', 'Work/Diary', 'Work/Diary/2026', 'Home', 'Home/Plans', 'Archive (old)'] as const;
const NAMES = ['Harbour', 'Index', 'Anchor', 'Tide pool', 'Überfahrt'] as const;
const TEXTS = [
  'The spring tide fills the harbour at noon.',
  'A lamp on the quay, and nobody saw the ferry leave.',
  'Rope, tar and canvas are kept in the loft.',
  '- [ ] mend the net 📅 2026-11-20\n- [x] paint the hull ✅ 2026-11-18',
  '## Berths\n\nOuter berth is free. ^outer',
] as const;

/** The paths of all notes that the vault can have. */
export const NOTE_PATHS: readonly string[] = FOLDERS.flatMap((folder) =>
  NAMES.map((name) => (folder === '' ? `${name}.md` : `${folder}/${name} ${FOLDERS.indexOf(folder)}.md`)),
);
/** With the same name in several folders. */
export const TWINS: readonly string[] = FOLDERS.map((folder) => (folder === '' ? 'Twin.md' : `${folder}/Twin.md`));

/**
 * @param hiddenFrom what does not link out of what the globs hide, so that a client may write; all notes link to each other without it
 */
export function writeVault(folder: string, seed: number, hiddenFrom?: readonly string[]): void {
  const random = createSeededRandom(seed);
  const shows = hiddenFrom === undefined ? () => true : createView({ read: hiddenFrom, write: ['**'] }).shows;
  const all = [...NOTE_PATHS, ...TWINS];
  for (const path of all) {
    const nameOf = (target: string): string => {
      const plain = target.replace(/\.md$/, '');
      return random.chance(0.5) ? plain : (plain.split('/').at(-1) ?? plain);
    };
    const links = all.filter(() => random.chance(0.08)).map((target) => `[[${nameOf(target)}]]`);
    const tag = `#${random.chance(0.5) ? 'log' : `place/${path.split('/')[0]?.replace(/\W/g, '').toLowerCase()}`}`;
    const texts = TEXTS.filter(() => random.chance(0.4));
    const body = shows(path) ? [...links, tag, ...texts] : texts;
    const alias = random.chance(0.2) ? `---\naliases: [Alias of ${path.length}]\nrank: ${path.length}\n---\n` : '';
    writeAt(folder, path, `${alias}# ${path.split('/').at(-1)}\n\n${body.join('\n\n')}\n`);
  }
  writeAt(folder, 'Work/lamp.svg', '<svg/>');
  writeAt(folder, 'Home/secret.png', 'no image');
  if (hiddenFrom === undefined) writeAt(folder, 'Home/Board.canvas', '{"nodes":[],"edges":[]}');
  writeAt(folder, 'Work/All.base', 'views:\n  - type: table\n    name: Table\n    order: [file.name]\n');
}

function writeAt(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const time = new Date(Date.UTC(2024, 1, 1 + (path.length % 27)));
  utimesSync(file, time, time);
}

/** A copy of the files that the globs show, with the same times, in a folder of the same name. */
export function copyOfShown(context: TestContext, vault: string, read: readonly string[]): string {
  const { shows } = createView({ read, write: ['**'] });
  const copy = join(temporaryFolder(context), 'Notes');
  mkdirSync(copy);
  const entries = readdirSync(vault, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const file of files) {
    const path = file.slice(vault.length + 1);
    if (!shows(path)) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    copyFileSync(file, join(copy, path));
    const { atime, mtime } = statSync(file);
    utimesSync(join(copy, path), atime, mtime);
  }
  return copy;
}
