// Finds the existing note of a date, in whichever language its name is written, and the language of most of these notes.
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { DayNames } from '../../markdown/frontmatter/day-names.ts';
import { dependsOnLanguage } from '../../markdown/frontmatter/moment-format.ts';
import { ENGLISH, everyLanguage, type Language } from '../../markdown/frontmatter/moment-language.ts';
import { foldName } from '../../markdown/links/fold.ts';
import type { PeriodicSettings } from './periodic-settings.ts';

const NAMES_PER_TURN = 500;
/** The latest ones tell the language; each is compared with all languages. */
const COMPARED_NAMES = 60;
const NAMES_COMPARED_PER_TURN = 4;

type Naming = Pick<PeriodicSettings, 'folder' | 'format'>;

/** The notes of one folder and format. */
export class ExistingNames {
  readonly #names: DayNames;
  /** By what follows the folder, folded, without the extension. */
  readonly #paths: ReadonlyMap<string, NotePath>;
  #language: Promise<Language | undefined> | undefined;

  constructor(names: DayNames, paths: ReadonlyMap<string, NotePath>) {
    this.#names = names;
    this.#paths = paths;
  }

  /** The note of a date, in the preferred language or else in another one. */
  noteOf(dateIn: (language: Language) => Date, preferred: Language): NotePath | undefined {
    const found = [...this.#names.inEachLanguage(dateIn, preferred)].filter((name) => this.#paths.has(name));
    return found[0] === undefined ? undefined : this.#paths.get(found[0]);
  }

  /** The language of most of the latest notes; undefined if their names do not say it. */
  language(preferred: string | undefined): Promise<Language | undefined> {
    this.#language ??= this.#mostFrequent(preferred);
    return this.#language;
  }

  /** Of two that write alike the preferred one, else the first of all. */
  async #mostFrequent(preferred: string | undefined): Promise<Language | undefined> {
    const counts = new Map<Language, number>();
    let compared = 0;
    for (const [at, name] of [...this.#paths.keys()].sort().reverse().entries()) {
      if (at % NAMES_COMPARED_PER_TURN === 0) await letOthersRun();
      const languages = this.#names.languagesOf(name);
      for (const language of languages) counts.set(language, (counts.get(language) ?? 0) + 1);
      if (languages.length > 0) compared += 1;
      if (compared === COMPARED_NAMES) break;
    }
    const most = Math.max(...counts.values());
    const best = this.#names.languages.filter((language) => counts.get(language) === most);
    return best.find(({ code }) => code === preferred) ?? best[0];
  }
}

/** Made once for each revision of the index, folder and format. */
export async function existingNames(
  naming: Naming,
  { store, vault }: Granted<'store' | 'vault'>,
  { storeCache, signal }: ReadContext,
): Promise<ExistingNames> {
  // Before the first scan the index does not know every file.
  const { scannedAt } = await store.progress(signal);
  if (scannedAt === null) return readNames(naming, (await vault.list(signal)).files);
  const known = await storeCache.get(namesByFormat, store, signal);
  const key = JSON.stringify([naming.folder, naming.format]);
  const names = known.get(key) ?? (await readNames(naming, await store.fileStates(signal)));
  known.set(key, names);
  return names;
}

async function namesByFormat(): Promise<Map<string, ExistingNames>> {
  return new Map();
}

async function readNames({ folder, format }: Naming, files: readonly { readonly path: NotePath }[]) {
  const all = await everyLanguage();
  // Where no name depends on the language, some still have digits of their own.
  const languages = dependsOnLanguage(format) ? all : all.filter((one) => one === ENGLISH || one.digits !== undefined);
  const names = new DayNames(format, languages);
  const paths = new Map<string, NotePath>();
  const prefix = folder === '' ? '' : `${foldName(folder)}/`;
  for (const [at, { path }] of files.entries()) {
    if (at % NAMES_PER_TURN === 0) await letOthersRun();
    if (fileKindOf(path) !== 'note' || !foldName(path).startsWith(prefix)) continue;
    const name = names.fold(path.slice(prefix.length, -'.md'.length));
    if (!paths.has(name)) paths.set(name, path);
  }
  return new ExistingNames(names, paths);
}
