// Remembers in how many notes a term stands, for as long as the index does not change. Knows nothing of what is done with it.
import type { CountNotes } from './search-text.ts';

const KEPT_TERMS = 1_000;

export function createTermCounts(): CountNotes {
  const kept = new Map<string, number>();
  let revision: number | undefined;
  return (rows, quoted, most) => {
    const [now] = rows.column<number>('SELECT revision FROM state');
    if (now !== revision || kept.size >= KEPT_TERMS) kept.clear();
    revision = now;
    const known = kept.get(quoted);
    if (known !== undefined) return known;
    const sql = 'SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ? LIMIT ?)';
    const [count = 0] = rows.column<number>(sql, quoted, most);
    kept.set(quoted, count);
    return count;
  };
}
