// Doctor check for the database server of the store: rights, version, settings, clock and sizes.
import { NEVER } from '../../base/until-aborted.ts';
import type { Loaded } from '../../lifecycle/loader.ts';
import { type Finding, ok } from './finding.ts';

const INSPECT_LIMIT_MS = 20_000;
/** From the best to the worst. */
const ORDER = ['ok', 'warning', 'failing'] as const;

export async function databaseServerFinding({ providers: [row] }: Loaded): Promise<Finding> {
  if (row?.inspect === undefined) return ok('not used: the index is a file');
  const found = await row.inspect(NEVER, INSPECT_LIMIT_MS);
  const detail = found.map((each) => each.detail).join('; ');
  const status = ORDER[Math.max(...found.map((each) => ORDER.indexOf(each.status)))] ?? 'ok';
  if (status === 'ok') return ok(detail);
  return { status, detail, hint: found.flatMap(({ hint }) => (hint === '' ? [] : [hint])).join('; ') };
}
