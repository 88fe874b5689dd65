// Tool: lists the properties of notes, with their types, most frequent values and the number of notes.
import * as z from 'zod';
import type { Properties, PropertyValue } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { PropertyUse, Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { fieldsNamed } from '../../markdown/parse/inline-field.ts';
import { createPaging, cursorArgument } from './page.ts';
import { similarProperties } from './similar-names.ts';

const MAX_PROPERTIES = 100;
const MAX_VALUES = 50;
const MAX_VALUE_LENGTH = 80;

const input = z.strictObject({
  prefix: z.string().optional().describe('of the name'),
  values: z.int().min(0).max(MAX_VALUES).default(3).describe('the most frequent'),
  sort: z.enum(['name', 'count']).optional().describe('default name'),
  limit: z.int().min(1).max(MAX_PROPERTIES).default(MAX_PROPERTIES).describe('rows'),
  cursor: cursorArgument,
});
const paging = createPaging('list_properties', input.shape);

export const listProperties = defineTool({
  name: 'list_properties',
  title: 'List properties',
  summary: 'Lists the properties and inline fields of notes with types, most frequent values and number of notes.',
  words: 'metadata, fields, keys, yaml',
  effect: 'reads',
  across: ['properties'],
  needs: ['store'],
  index: 'part',
  fails: ['INVALID_INPUT'],
  input,
  run: async (args, { store }, call) => {
    const page = paging.pageOf(args);
    const prefix = foldName(args.prefix?.trim() ?? '');
    const named = Map.groupBy(await store.propertyNames(call.signal), foldName);
    const names = [...named].filter(([key]) => key.startsWith(prefix)).map(([, [name = '']]) => name);
    if (prefix !== '' && names.length === 0) await warnOfUnknownPrefix(args.prefix ?? '', store, call);
    const ordered = names.sort((one, other) => (foldName(one) < foldName(other) ? -1 : 1));
    const sorted = args.sort === 'count' ? await byCount(ordered, store, call) : ordered;
    const properties = [];
    for (const name of sorted.slice(page.offset, page.offset + page.limit)) {
      const { count, inline, types, values } = await store.propertyUse(name, args.values, call.signal);
      properties.push({
        name,
        count,
        ...(inline > 0 && { inline }),
        types,
        ...(args.values > 0 && { values: await spelled(name, values, store, call) }),
      });
      await letOthersRun();
    }
    return {
      properties,
      total: sorted.length,
      ...paging.next(args, page, { shown: properties.length, total: sorted.length }),
    };
  },
});

async function byCount(names: readonly string[], store: Store, call: CallContext): Promise<readonly string[]> {
  const counts = new Map<string, number>();
  for (const name of names) {
    counts.set(name, (await store.propertyUse(name, 0, call.signal)).count);
    await letOthersRun();
  }
  return names.toSorted((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
}

async function warnOfUnknownPrefix(prefix: string, store: Store, call: CallContext): Promise<void> {
  const similar = await similarProperties(prefix, store, call.signal);
  const near = similar.length === 0 ? '' : `; similar: ${similar.map((name) => JSON.stringify(name)).join(', ')}`;
  const message = `no indexed note has a property that begins with ${JSON.stringify(prefix)}${near}`;
  call.warn({ code: 'FILTER_MATCHES_NOTHING', message });
}

/** The values with their counts, in the spelling of a note: `4`, or `open (12)` for a value that several notes have. */
async function spelled(
  name: string,
  values: PropertyUse['values'],
  store: Store,
  call: CallContext,
): Promise<readonly string[]> {
  const paths = [...new Set(values.map(({ path }) => path))];
  const records = new Map((await store.notes(paths, call.signal)).map((note) => [note.path, note]));
  return values.map(({ value, count, path }) => {
    const { properties = {}, fields = [] } = records.get(path) ?? {};
    const inFields = fieldsNamed(fields, name).flatMap((field) => textsNamed(field.value, ''));
    const texts = [...textsNamed(properties, foldName(name)), ...inFields];
    const spellings =
      typeof value === 'number' ? String(value) : (texts.find((text) => foldName(text) === value) ?? value);
    const shown =
      spellings.length > MAX_VALUE_LENGTH ? `${spellings.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…` : spellings;
    return count > 1 ? `${shown} (${count})` : shown;
  });
}

/** The texts of a property, also of one inside a map as `name.sub`, and of the items of lists. */
function textsNamed(value: PropertyValue | Properties, key: string, path = ''): string[] {
  if (typeof value === 'string') return path === key ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => textsNamed(item, key, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    textsNamed(inner as PropertyValue, key, path === '' ? foldName(name) : `${path}.${foldName(name)}`),
  );
}
