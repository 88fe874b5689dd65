// Doctor check for tags, aliases and CSS classes in forms that Obsidian does not read.
import { letOthersRun } from '../../base/threads/turns.ts';
import { NEVER } from '../../base/until-aborted.ts';
import type { Store } from '../../contracts/store.ts';
import { type Finding, ok, SAMPLES, warning } from './finding.ts';

const NOTES_AT_ONCE = 200;

export async function ignoredPropertiesFinding(store: Store): Promise<Finding> {
  const paths = (await store.names(NEVER)).map(({ path }) => path);
  const found: { path: string; notice: string }[] = [];
  for (let at = 0; at < paths.length; at += NOTES_AT_ONCE) {
    const records = await store.notes(paths.slice(at, at + NOTES_AT_ONCE), NEVER);
    for (const { path, notices } of records) if (notices[0] !== undefined) found.push({ path, notice: notices[0] });
    await letOthersRun();
  }
  if (found.length === 0) return ok('Obsidian reads the tags, aliases and CSS classes of all indexed notes');
  const samples = found.slice(0, SAMPLES).map(({ path, notice }) => `${path} (${notice.replace(/\.$/, '')})`);
  const more = found.length > SAMPLES ? `; and ${found.length - SAMPLES} more` : '';
  return warning(
    `${found.length} notes have properties that Obsidian ignores: ${samples.join('; ')}${more}`,
    'correct them in Obsidian, or let an assistant do it with set_properties; read_notes shows the notice of each note',
  );
}
