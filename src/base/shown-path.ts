// Shortens local paths for people: a path in the home folder does not name the user.
import { homedir } from 'node:os';
import { sep } from 'node:path';

/** With the home folder as `~`. @param path absolute */
export function shownPath(path: string): string {
  const home = homedir() + sep;
  return path.startsWith(home) ? `~${sep}${path.slice(home.length)}` : path;
}
