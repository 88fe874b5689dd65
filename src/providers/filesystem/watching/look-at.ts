// What lies at the paths of some events now, as far as a watcher has to know it. Opens no file. Runs in a file thread.
import type { Exclusion } from '../exclusion.ts';
import type { Looked, LookedFor } from '../file-task.ts';
import { folderMark, surveyFolder } from './survey.ts';

/** In the given order. */
export function lookAt(root: string, paths: readonly LookedFor[], exclusion: Exclusion, beat: () => void): Looked[] {
  return paths.map(({ path, mark: known }) => {
    beat();
    const mark = exclusion.hidesFolder(path.normalize('NFC')) ? undefined : folderMark(root, path);
    if (mark === undefined) return { path };
    if (mark === known) return { path, mark };
    const { folders, files } = surveyFolder(root, path, exclusion, beat);
    return { path, mark, below: { folders, files } };
  });
}
