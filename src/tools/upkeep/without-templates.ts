// The filter of a folder without templates: those of the settings, and folders that are named after them.
import { currentDialect, foldersAbove } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { ComputeFromIndex } from '../../contracts/session.ts';
import type { NamesMark } from '../../contracts/store.ts';
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
  const { folders } = await call.storeCache.get(namedTemplateFolders, granted.store, call.signal);
  const isOutside = (template: string): boolean => set.folder === undefined || !isInFolder(`${set.folder}/`, template);
  const exceptFolders = [...new Set([...(set.exceptFolders ?? []), ...folders.filter(isOutside)])];
  return exceptFolders.length === 0 ? set : { ...set, exceptFolders };
}

const TEMPLATES =
  /^[^\p{L}]*(?:templates?|vorlagen?|plantillas?|modèles?|modelos?|modelli|sjablonen|szablony|šablony|mallar|maler|skabeloner|mallit|şablonlar|шаблоны|шаблони|πρότυπα|قوالب|टेम्पलेट|টেমপ্লেট|templat|mẫu|模板|模版|範本|テンプレート|ひな形|템플릿|서식)$/iu;
/** The folder from which Hugo makes new pages. */
const ARCHETYPES = 'archetypes';

interface TemplateFolders {
  readonly mark: NamesMark;
  readonly folders: readonly string[];
}

/** Folders that are named after templates, whatever the settings of Obsidian say; the same until a note comes, goes or has another name. */
const namedTemplateFolders: ComputeFromIndex<TemplateFolders> = async (store, signal, previous) => {
  const { mark, isWhole, notes, removed } = await store.changedNames(previous?.mark, signal);
  if (previous !== undefined && !isWhole && notes.length + removed.length === 0) return { ...previous, mark };
  const found = new Set<string>();
  const listed = (await store.fileStates(signal)).filter(({ excluded }) => excluded !== true);
  const folders = new Set(listed.map(({ path }) => path.slice(0, path.lastIndexOf('/') + 1)));
  for (const folder of folders) {
    const isOfTemplates = (name: string): boolean =>
      TEMPLATES.test(name.normalize('NFC')) || (name === ARCHETYPES && currentDialect() === 'hugo');
    const named = foldersAbove(folder).find((above) => isOfTemplates(above.slice(above.lastIndexOf('/') + 1)));
    if (named !== undefined) found.add(named);
  }
  return { mark, folders: [...found] };
};
