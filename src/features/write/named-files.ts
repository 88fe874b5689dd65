// Files by their names, as links look for them.
import type { NotePath } from '../../base/note.ts';
import { nameKeyOf } from '../../markdown/links/fold.ts';
import type { CandidatesFor } from '../../markdown/links/resolve-link.ts';

export function candidatesAmong(paths: Iterable<NotePath>): CandidatesFor {
  const byName = Map.groupBy(paths, nameKeyOf);
  return (nameKey) => byName.get(nameKey) ?? [];
}
