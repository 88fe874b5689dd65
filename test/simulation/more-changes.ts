// Further changes of a vault by other programs: a save beside a backup, an older copy, a rename of the case only, a conflict that is merged.
import type { Model } from './model.ts';
import type { Step } from './other-programs.ts';
import type { OutsideFiles, Written } from './outside-files.ts';

export const MORE_CHANGES = ['backup', 'older copy', 'case only', 'conflict merged'] as const;

export interface Means {
  readonly files: OutsideFiles;
  readonly model: Model;
  readonly pause: () => number;
  /** The text as a user of an editor would save it now. */
  readonly edited: () => { readonly text: string; readonly mark: string };
  /** A text that the file once had. */
  readonly earlier: string;
  readonly link: string;
  readonly number: number;
  /** A text was written to an open file. */
  readonly saved: (mark: string, written: Written) => void;
  /** Any time below the limit. */
  readonly awayMs: (max: number) => number;
}

export function moreSteps(kind: (typeof MORE_CHANGES)[number], path: string, means: Means): readonly Step[] {
  switch (kind) {
    case 'backup':
      return besideBackup(path, means);
    case 'older copy':
      return olderCopy(path, means);
    case 'case only':
      return [
        [
          () =>
            means.files.rename(
              path,
              path.replace(/[^/]+(?=\.md$)/, (name) => swapCase(name)),
            ),
          0,
        ],
      ];
    default:
      return mergedConflict(path, means);
  }
}

const swapCase = (name: string): string => (name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase());

/** As Vim saves a file that it may not overwrite. */
function besideBackup(path: string, { files, model, pause, edited }: Means): readonly Step[] {
  const made = { text: '', mark: '' };
  return [
    [() => void Object.assign(made, edited()), pause()],
    [() => files.rename(path, `${path}~`), pause()],
    [() => arrive(path, made.text, made.mark, files, model), pause()],
    [() => removeCopy(`${path}~`, path, files, model), 0],
  ];
}

/** As a sync client or a backup restores it. */
function olderCopy(path: string, { files, earlier, number, pause }: Means): readonly Step[] {
  const temporary = `.~older ${number}.tmp`;
  return [
    [() => files.put(temporary, earlier), pause()],
    [() => files.rename(temporary, path), 0],
  ];
}

function mergedConflict(path: string, { files, model, pause, number }: Means): readonly Step[] {
  const copy = path.replace(/\.md$/, ` (conflict ${number}).md`);
  const mark = model.newMark();
  const merge = (): void => files.put(path, `${files.text(copy) ?? ''}${files.text(path) ?? ''}`);
  return [
    [() => files.rename(path, copy), pause()],
    [() => arrive(path, `# Remote\n\n${mark}\n`, mark, files, model), pause() * 20],
    [merge, pause()],
    [() => removeCopy(copy, path, files, model), 0],
  ];
}

function arrive(path: string, text: string, mark: string, files: OutsideFiles, model: Model): void {
  files.put(path, text);
  model.set(mark, 'confirmed');
}

/** What was in the copy is in the file too, unless that was changed since. */
function removeCopy(copy: string, path: string, files: OutsideFiles, model: Model): void {
  files.remove(copy);
  model.replaces('', files.text(path) ?? '');
}
