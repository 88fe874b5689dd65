// Fits the filter of a call to the vault: its folder in any case, its templates, and warnings about what no note has.
import * as z from 'zod';
import type { NotePath, Properties, PropertyValue } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { ComputeFromIndex } from '../../contracts/session.ts';
import type { Store } from '../../contracts/store.ts';
import type { CallContext, ReadContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { localDate } from '../../markdown/dates/note-date.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { fieldsNamed } from '../../markdown/parse/inline-field.ts';
import { literalPeriod } from '../periods/compared-period.ts';
import { folderCalled, isInFolder, similarFolders } from './file-names.ts';
import { type FilterArguments, noteFilter } from './filters.ts';
import { isFault, pluginTemplates, templateSettings } from './obsidian-settings.ts';
import { similarProperties, similarTags } from './similar-names.ts';

const MAX_SUGGESTIONS = 3;

/** The filter of the arguments, with the folder as the vault spells it. Warns about one without notes. @throws as `noteFilter` */
export async function vaultFilter(args: FilterArguments, store: Store, call: CallContext): Promise<NoteFilter> {
  const filter = noteFilter(args);
  const { folder } = filter;
  if (folder === undefined || (await hasNotes({ folder }, store, call))) return filter;
  const spelled = (await folderCalled(folder, store, call)) ?? folder;
  if (await warnOfExcluded(spelled, store, call)) return { ...filter, folder: spelled };
  if (spelled !== folder) return { ...filter, folder: spelled };
  const similar = await similarFolders(folder, MAX_SUGGESTIONS, store, call);
  warnOfNothing(`folder ${JSON.stringify(folder)}`, call, quotedNames(similar));
  return filter;
}

/** @returns whether every note of the folder is excluded by Obsidian's settings, which is then said */
async function warnOfExcluded(folder: string, store: Store, call: CallContext): Promise<boolean> {
  if (await hasNotes({ folder }, store, call)) return false;
  const excluded = await countNotes({ folder, excluded: 'only' }, store, call);
  const message = `all ${excluded} notes in ${JSON.stringify(folder)} are excluded files in Obsidian's settings: no list or search has them; each can be read by its path`;
  if (excluded > 0) call.warn({ code: 'FILTER_MATCHES_NOTHING', message });
  return excluded > 0;
}

const quotedNames = (names: readonly string[]) => names.map((one) => JSON.stringify(one));

/** @param similar names that notes have, which may be meant */
function warnOfNothing(what: string, call: CallContext, similar: readonly string[] = []): void {
  const near = similar.length === 0 ? '' : `; similar: ${similar.join(', ')}`;
  call.warn({ code: 'FILTER_MATCHES_NOTHING', message: `no indexed note has the ${what}${near}` });
}

export const templatesArgument = z.enum(['include', 'exclude']).optional().describe('default exclude');

/** Settings are read again once they are this old. */
const MAX_SETTINGS_AGE_MS = 10_000;

/**
 * Does what `vaultFilter` does, without the vault's template folders, unless the caller includes templates or names a folder in one.
 * @throws as `noteFilter`; VAULT_UNAVAILABLE
 */
export async function filterWithoutTemplates(
  { templates = 'exclude', ...args }: FilterArguments & { readonly templates?: z.infer<typeof templatesArgument> },
  { store, vault }: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<NoteFilter> {
  const filter = await vaultFilter(args, store, call);
  const left: string[] = [];
  for (const folder of templates === 'include' ? [] : await templateFolders(vault, call)) {
    const isInside = filter.folder !== undefined && isInFolder(`${filter.folder}/`, folder);
    if (!isInside && (await hasNotes({ folder }, store, call))) left.push(folder);
  }
  return left.length === 0 ? filter : { ...filter, exceptFolders: left };
}

/** The template folders of Obsidian, Templater and QuickAdd, distinct. Unusable settings leave nothing out, with a warning. */
export async function templateFolders(vault: Vault, call: CallContext): Promise<readonly string[]> {
  const filters = [
    await templateSettings(vault, call.signal, MAX_SETTINGS_AGE_MS),
    await pluginTemplates('templater', vault, call.signal, MAX_SETTINGS_AGE_MS),
    await pluginTemplates('quickadd', vault, call.signal, MAX_SETTINGS_AGE_MS),
  ];
  const folders = filters.flatMap((settings) => {
    if (!isFault(settings)) return 'folders' in settings ? settings.folders : [settings.folder];
    call.warn({ code: 'EXTRA_MISSING', message: `templates are not left out: ${settings.fault}` });
    return [];
  });
  return [...new Set(folders.filter((folder) => folder !== ''))];
}

/** Which folders the filter leaves out, for the answer. */
export function leftOutView({ exceptFolders }: NoteFilter): { readonly templates_left_out?: string } {
  return exceptFolders === undefined ? {} : { templates_left_out: exceptFolders.map((one) => `${one}/`).join(', ') };
}

/** The notes, canvases and bases that Obsidian's settings exclude. */
export function excludedNotes(store: Store, { storeCache, signal }: ReadContext): Promise<ReadonlySet<NotePath>> {
  return storeCache.get(readExcluded, store, signal);
}

const readExcluded: ComputeFromIndex<ReadonlySet<NotePath>> = async (store, signal) =>
  new Set(await pathsMatching({ excluded: 'only' }, store, signal));

async function hasNotes(filter: NoteFilter, store: Store, call: CallContext): Promise<boolean> {
  return (await countNotes(filter, store, call)) > 0;
}

async function countNotes(filter: NoteFilter, store: Store, { signal }: CallContext): Promise<number> {
  return (await store.listNotes(filter, 'name', 'asc', { limit: 0, offset: 0 }, signal)).total;
}

/** A change that must reach every file includes those that Obsidian's settings exclude. */
export const EVERY_FILE = { excluded: 'include' } as const satisfies NoteFilter;

const NOTES_PER_PAGE = 1_000;

/** Every note, canvas and base that matches the filter, ascending by path. */
export async function pathsMatching(
  filter: NoteFilter,
  store: Store,
  signal: AbortSignal,
): Promise<readonly NotePath[]> {
  const paths: NotePath[] = [];
  for (;;) {
    const page = { limit: NOTES_PER_PAGE, offset: paths.length };
    const { notes } = await store.listNotes(filter, 'path', 'asc', page, signal);
    paths.push(...notes.map(({ path }) => path));
    if (notes.length < NOTES_PER_PAGE) return paths;
  }
}

const LOOKS_LIKE_OPERATOR = /^\s*([<>]=?|!=)\s*(.+)$/;
const OPERATORS: Readonly<Record<string, string>> = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte', '!=': 'ne' };

/** Warns about text that looks like a comparison, which is compared as text. */
function warnOfOperatorsInText({ where = [] }: NoteFilter, call: CallContext): void {
  for (const { name, value } of where) {
    const [, sign = '', operand = ''] = LOOKS_LIKE_OPERATOR.exec(String(value)) ?? [];
    const operator = OPERATORS[sign];
    if (operator === undefined) continue;
    const meant = JSON.stringify({ [name]: { [operator]: Number.isNaN(Number(operand)) ? operand : Number(operand) } });
    const message = `where compares ${name} with the text ${JSON.stringify(value)}; for the operator write ${meant}`;
    call.warn({ code: 'TAKEN_LITERALLY', message });
  }
}

/** Warns about text that can be a period and is compared as text: in comparisons, and where no note has that text. */
async function warnOfLiteralPeriods({ where = [] }: NoteFilter, store: Store, call: CallContext): Promise<void> {
  for (const filter of where) {
    const instead = literalPeriod(filter, new Date());
    const isOrdered = filter.operator !== 'eq' && filter.operator !== 'contains';
    if (instead === undefined || (!isOrdered && (await hasNotes({ where: [filter] }, store, call)))) continue;
    const message = `where compares ${filter.name} with the text ${JSON.stringify(filter.value)}; ${instead}`;
    call.warn({ code: 'TAKEN_LITERALLY', message });
  }
}

function warnOfNoTime({ sinceMs, untilMs }: NoteFilter, call: CallContext): void {
  if (sinceMs === undefined || untilMs === undefined || sinceMs < untilMs) return;
  const message = `since (${localDate(sinceMs)}) is not before the end of until (${localDate(untilMs)})`;
  call.warn({ code: 'FILTER_MATCHES_NOTHING', message });
}

/** Warns about each tag, property and comparison of the filter that no indexed note has, which alone can explain an empty result. */
export async function warnOfFilters(filter: NoteFilter, store: Store, call: CallContext): Promise<void> {
  warnOfOperatorsInText(filter, call);
  await warnOfLiteralPeriods(filter, store, call);
  warnOfNoTime(filter, call);
  for (const tag of filter.tags ?? [])
    if (!(await hasNotes({ tags: [tag] }, store, call))) await warnOfUnknownTag(tag, store, call);
  await warnOfComparisons(filter, store, call);
}

export async function warnOfUnknownTag(tag: string, store: Store, call: CallContext): Promise<void> {
  warnOfNothing(`tag ${tag}`, call, await similarTags(tag, store, call.signal));
}

async function warnOfComparisons({ where = [] }: NoteFilter, store: Store, call: CallContext): Promise<void> {
  const unknown = new Set<string>();
  for (const one of where) {
    const { name, operator, value } = one;
    if (operator === 'exists' || unknown.has(name)) continue;
    const property = `property ${JSON.stringify(name)}`;
    if (operator !== 'ne' && (await hasNotes({ where: [one] }, store, call))) continue;
    const examples = await valueExamples(name, store, call);
    if (examples !== undefined) {
      if (operator !== 'ne') warnOfNothing(`${property} with ${operator} ${JSON.stringify(value)}${examples}`, call);
      continue;
    }
    unknown.add(name);
    const similar = await similarProperties(name, store, call.signal);
    const [nearest] = similar;
    const values = nearest === undefined ? undefined : await valueExamples(nearest, store, call);
    const shown = values === undefined ? '' : `${nearest}${values.replace(/^; of/, ': of')}`;
    warnOfNothing(property, call, [...quotedNames(similar), ...(shown === '' ? [] : [shown])]);
  }
}

const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_LENGTH = 80;

/** Some values that notes have for a property; undefined if no note has it. */
async function valueExamples(name: string, store: Store, { signal }: CallContext): Promise<string | undefined> {
  const having: NoteFilter = { where: [{ name, operator: 'exists', value: true }] };
  const page = { limit: MAX_EXAMPLES, offset: 0 };
  const { notes, total } = await store.listNotes(having, 'path', 'asc', page, signal);
  if (total === 0) return undefined;
  const records = await store.notes(
    notes.map(({ path }) => path),
    signal,
  );
  const values = records
    .map(({ properties, fields = [] }) => {
      return valueNamed(properties, foldName(name)) ?? fieldsNamed(fields, name)[0]?.value;
    })
    .filter((value) => value !== undefined);
  const shown = [...new Set(values.map((value) => JSON.stringify(value).slice(0, MAX_EXAMPLE_LENGTH)))];
  return shown.length === 0
    ? ''
    : `; of ${total} notes with it, the first have ${shown.slice(0, MAX_EXAMPLES).join(', ')}`;
}

/** The value of a property, or of one inside a map as `name.sub`. */
function valueNamed(properties: Properties, key: string): PropertyValue | undefined {
  for (const [name, value] of Object.entries(properties)) {
    const foldedName = foldName(name);
    if (foldedName === key) return value;
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    const inner =
      isMap && key.startsWith(`${foldedName}.`)
        ? valueNamed(value as Properties, key.slice(foldedName.length + 1))
        : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}
