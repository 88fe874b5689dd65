// Rarer changes of a vault by other programs: notes that are empty at first, files that stay open, times that are kept, notes that go and come back.
import { closeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Means } from './more-changes.ts';
import type { Step } from './other-programs.ts';

export const RARE_CHANGES = [
  ...(['empty first', 'held open', 'times kept', 'all away'] as const),
  ...(['decomposed name', 'file for folder', 'folder for file'] as const),
] as const;

const MAX_AWAY_MS = 3_000;
/** A file that was replaced is looked at for ten seconds. */
const MAX_LINE_MS = 2_500;

export function rareSteps(kind: (typeof RARE_CHANGES)[number], path: string, means: Means): readonly Step[] {
  const { files, number, pause } = means;
  switch (kind) {
    case 'empty first':
      return emptyFirst(`Empty ${number}.md`, means);
    case 'held open':
      return heldOpen(path, means);
    case 'times kept':
      return [[() => files.keepTimes(path, (text) => text.replaceAll('alpha', 'omega')), 0]];
    case 'all away':
      return allAway(means);
    case 'decomposed name': {
      const name = join(dirname(path), `Café ${number}.md`);
      return [
        [() => files.rename(path, name.normalize('NFD')), pause() * 20],
        [() => files.rename(name.normalize('NFD'), name), 0],
      ];
    }
    case 'file for folder':
      return fileForFolder('Folder', `Folder ${number}`, means);
    default:
      return folderForFile(path, means);
  }
}

/** As a program does that first takes the name, and has the content later. */
function emptyFirst(path: string, { files, model, pause, link }: Means): readonly Step[] {
  const mark = model.newMark();
  const fill = (): void => {
    files.put(path, `${mark} ${link}\n`);
    model.set(mark, 'confirmed');
  };
  return [
    [() => files.put(path, ''), pause() * 20],
    [fill, 0],
  ];
}

/** As a program that writes a log: the file may be replaced between two lines. */
function heldOpen(path: string, { files, model, pause, saved, awayMs }: Means): readonly Step[] {
  let file = 0;
  const line = (): Step => {
    const mark = model.newMark();
    return [() => saved(mark, files.write(file, `beta ${mark}\n`)), awayMs(MAX_LINE_MS)];
  };
  const open = (): void => {
    file = files.open(path, 'a');
  };
  return [[open, pause()], line(), line(), line(), [() => closeSync(file), 0]];
}

/** As a sync client whose account is signed out and in again. */
function allAway({ files, pause, awayMs }: Means): readonly Step[] {
  const away = new Map<string, string>();
  const remove = (path: string): Step => [
    () => {
      away.set(path, files.text(path) ?? '');
      files.remove(path);
    },
    pause() / 10,
  ];
  const bringBack = (): void => {
    for (const [path, text] of away) if (files.text(path) === undefined) files.put(path, text);
  };
  return [...files.paths().map(remove), [() => undefined, awayMs(MAX_AWAY_MS)], [bringBack, 0]];
}

function fileForFolder(folder: string, place: string, { files, pause }: Means): readonly Step[] {
  return [
    [() => files.rename(folder, place), pause()],
    [() => files.put(folder, 'Not a folder.\n'), pause() * 20],
    [() => files.remove(folder), pause()],
    [() => files.rename(place, folder), 0],
  ];
}

/** A folder may have a name that ends as that of a note does. */
function folderForFile(path: string, { files, pause }: Means): readonly Step[] {
  const inner = join(path, 'Inner.md');
  let text = '';
  const replace = (): void => {
    text = files.text(path) ?? '';
    files.remove(path);
    files.put(inner, text);
  };
  const bringBack = (): void => {
    files.rename(inner, `${path}.tmp`);
    files.removeFolder(path);
    files.rename(`${path}.tmp`, path);
  };
  return [
    [replace, pause() * 20],
    [bringBack, 0],
  ];
}
