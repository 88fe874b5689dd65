// Changes of a vault by other programs that are not of the text of one note: canvases, bases, attachments, settings, and times alone.
import { join } from 'node:path';
import type { Means } from './more-changes.ts';
import type { Step } from './other-programs.ts';

export const OTHER_FILES = [
  ...(['canvas', 'base', 'attachment', 'settings'] as const),
  ...(['time set', 'mode set', 'restored as a whole', 'checked out'] as const),
] as const;

const MAX_AWAY_MS = 2_000;
const MAX_BACK_MS = 100_000_000;

export function otherFileSteps(kind: (typeof OTHER_FILES)[number], path: string, means: Means): readonly Step[] {
  const { files, pause, awayMs } = means;
  switch (kind) {
    case 'canvas':
      return canvas(path, means);
    case 'base':
      return [[() => files.put(`Base ${awayMs(3)}.base`, baseText(awayMs(3))), 0]];
    case 'attachment':
      return attachment(means);
    case 'settings':
      return [
        [() => files.put(SETTINGS, JSON.stringify({ userIgnoreFilters: ['Folder/'] })), pause() + awayMs(MAX_AWAY_MS)],
        [() => files.remove(SETTINGS), 0],
      ];
    case 'time set':
      return [[() => files.setTime(path, -awayMs(MAX_BACK_MS)), 0]];
    case 'mode set':
      return [[() => files.setMode(path), 0]];
    case 'restored as a whole':
      return [[() => files.restoreAll(), 0]];
    default:
      return checkOut(means);
  }
}

const SETTINGS = join('.obsidian', 'app.json');

const baseText = (number: number): string =>
  `filters:\n  and:\n    - file.inFolder("Folder")\nviews:\n  - type: table\n    name: View ${number}\n`;

/** As Obsidian saves one: written over in place, as a whole. */
function canvas(path: string, { files, model, awayMs }: Means): readonly Step[] {
  const mark = model.newMark();
  const file = `Board ${awayMs(3)}.canvas`;
  const nodes = [
    { id: 'a', type: 'text', text: `alpha ${mark}`, x: 0, y: 0, width: 100, height: 100 },
    { id: 'b', type: 'file', file: path, x: 200, y: 0, width: 100, height: 100 },
  ];
  const save = (): void => {
    files.put(file, JSON.stringify({ nodes, edges: [{ id: 'c', fromNode: 'a', toNode: 'b' }] }));
    model.set(mark, 'confirmed');
  };
  return [[save, 0]];
}

function attachment({ files, awayMs, pause }: Means): readonly Step[] {
  const [name, other] = [`Picture ${awayMs(3)}.png`, `Folder/Picture ${awayMs(3)}.png`];
  const bytes = `\u0089PNG ${awayMs(1_000)}`;
  return [
    [() => files.put(name, bytes), pause() * 20],
    [() => files.rename(name, other), pause() * 20],
    [() => files.put(other, bytes.toUpperCase()), 0],
  ];
}

/** As git does it: notes are removed, and come with other texts, one after the other. */
function checkOut({ files, model, pause, awayMs, number, link }: Means): readonly Step[] {
  const paths = files.paths();
  const first = awayMs(paths.length);
  const some = paths.slice(first, first + 3);
  const steps = some.map((path): Step => {
    const mark = model.newMark();
    const replace = (): void => {
      const text = files.text(path) ?? '';
      files.remove(path);
      files.put(path, `${text}beta ${mark}\n`);
      model.set(mark, 'confirmed');
    };
    return [replace, pause() / 10];
  });
  const mark = model.newMark();
  const add = (): void => {
    files.put(`Branch ${number}.md`, `${mark} ${link}\n`);
    model.set(mark, 'confirmed');
  };
  return [...steps, [add, 0]];
}
