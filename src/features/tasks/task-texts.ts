// Tasks as their notes have them at this moment. Knows no filter.
import type { NotePath, Task } from '../../base/note.ts';
import type { FoundTask } from '../../contracts/tasks.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { parseNote } from '../../markdown/parse/parse-note.ts';
import { readTexts } from '../notes/note-content.ts';

export type WrittenTask = FoundTask & Task;

/** Those whose note has changed so that no task stands there any more are left out and counted. @throws VAULT_UNAVAILABLE */
export async function writtenTasks(
  found: readonly FoundTask[],
  vault: Vault,
  call: CallContext,
): Promise<readonly WrittenTask[]> {
  const texts = await readTexts([...new Set(found.map(({ path }) => path))], vault, call.signal);
  const notes = new Map([...texts].map(([path, text]) => [path, tasksByLine(text)]));
  const written = found.flatMap(({ path, line, heading }) => {
    const task = notes.get(path as NotePath)?.get(line);
    return task === undefined ? [] : [{ path, ...task, ...(heading === undefined ? {} : { heading }) }];
  });
  const count = found.length - written.length;
  const message = `${count} tasks left out: their notes have changed or cannot be read`;
  if (count > 0) call.warn({ code: 'EXTRA_MISSING', message, count });
  return written;
}

function tasksByLine(text: string): ReadonlyMap<number, Task> {
  return new Map(parseNote(text).tasks.map((task) => [task.line, task]));
}
