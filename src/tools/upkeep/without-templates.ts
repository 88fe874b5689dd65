// The filter of a folder without templates: those of the settings, and folders that are named after them.
import { foldersAbove } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { ComputeFromIndex } from '../../contracts/session.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { isInFolder } from '../notes/file-names.ts';
import { filterWithoutTemplates } from '../notes/vault-filter.ts';

/** @throws as `filterWithoutTemplates` */
export async function withoutTemplates(
  folder: string | undefined,
  granted: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<NoteFilter> {
  const set = await filterWithoutTemplates({ folder }, granted, call);
  const named = await call.storeCache.get(namedTemplateFolders, granted.store, call.signal);
  const isOutside = (template: string): boolean => set.folder === undefined || !isInFolder(`${set.folder}/`, template);
  const exceptFolders = [...new Set([...(set.exceptFolders ?? []), ...named.filter(isOutside)])];
  return exceptFolders.length === 0 ? set : { ...set, exceptFolders };
}

const TEMPLATES =
  /^[^\p{L}]*(?:templates?|vorlagen?|plantillas?|modèles?|modelos?|modelli|sjablonen|szablony|шаблоны|模板|テンプレート|템플릿)$/iu;

/** Folders that are named after templates, whatever the settings of Obsidian say. */
const namedTemplateFolders: ComputeFromIndex<readonly string[]> = async (store, signal) => {
  const folders = new Set<string>();
  for (const { path } of await store.fileStates(signal)) {
    await letOthersRun(signal);
    const found = foldersAbove(path).find((folder) => TEMPLATES.test(folder.slice(folder.lastIndexOf('/') + 1)));
    if (found !== undefined) folders.add(found);
  }
  return [...folders];
};
