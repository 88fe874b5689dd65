// Tells the copy that a sync client makes of a file changed on two sides from an ordinary note. Knows only names.

const CONFLICT_COPY = /\((?:[^()]* )?conflicted copy(?: [^()]*)?\)|\.sync-conflict-/i;

export function isConflictCopy(path: string): boolean {
  return CONFLICT_COPY.test(path.slice(path.lastIndexOf('/') + 1));
}
