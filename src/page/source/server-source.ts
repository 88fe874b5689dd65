// Reads the vault from the server of the page.
import type { GraphPicture } from '../../contracts/graph-picture.ts';
import {
  type Changes,
  type ChangesQuery,
  type FoundNote,
  type GraphSource,
  type IndexProgress,
  NOTE_ENDING,
  type NoteLink,
  type NoteLinks,
  type NoteText,
  PageError,
  type PageFault,
  type RelatedNote,
} from './graph-source.ts';

const MAX_NEIGHBORS = 100;
const MAX_RELATED = 6;
const MAX_FOUND = 8;
/** Characters of a note that are shown. */
const MAX_TEXT_LENGTH = 100_000;

export function serverSource(): GraphSource {
  return Object.freeze({
    graph: () => ask<GraphPicture>('graph'),
    progress: () => ask<IndexProgress>('state'),
    keptPlaces: async (revision: number) =>
      (await ask<{ readonly rows: readonly (number | null)[] }>(`places?revision=${revision}`)).rows,
    keepPlaces,
    text: noteText,
    links: noteLinks,
    fileAddress: (path: string) => `file/${path.split('/').map(encodeURIComponent).join('/')}`,
    related: relatedTo,
    searchText,
    changes: changesSince,
  });
}

type Answered<T> = { readonly ok: true; readonly data: T; readonly warnings?: Changes['warnings'] };
type ServerAnswer<T> = Answered<T> | { readonly ok: false; readonly error?: PageFault };

const ask = async <T>(what: string): Promise<T> => (await answered<T>(what)).data;

async function answered<T>(what: string): Promise<Answered<T>> {
  const answer = JSON.parse(await received(`api/${what}`)) as ServerAnswer<T>;
  if (answer.ok) return answer;
  throw new PageError(
    answer.error ?? { code: 'INTERNAL', message: 'the answer of the server cannot be used', hint: RELOAD },
  );
}

const RELOAD = 'Reload the page.';
const GONE: PageFault = {
  code: 'SERVER_GONE',
  message: 'vaultgraph view is no longer running',
  hint: 'Start `vaultgraph view` again and open the address that it prints.',
};

/** The text of an answer. A server that ends may also cut an answer that it has begun. */
async function received(path: string): Promise<string> {
  const whole = fetch(path).then(async (response) => ({ status: response.status, text: await response.text() }));
  const [outcome] = await Promise.allSettled([whole]);
  if (outcome.status === 'rejected' || outcome.value.status === 403) throw new PageError(GONE);
  return outcome.value.text;
}

const call = async <T>(tool: string, input: object): Promise<T> => (await called<T>(tool, input)).data;

function called<T>(tool: string, input: object): Promise<Answered<T>> {
  return answered<T>(`call/${tool}?input=${encodeURIComponent(JSON.stringify(input))}`);
}

interface Neighbors {
  readonly total: number;
  readonly neighbors: readonly {
    readonly path: string;
    readonly title?: string;
    /** Links as `line: sentence`. */
    readonly out?: readonly string[];
    readonly in?: readonly string[];
  }[];
  readonly unresolved?: readonly { readonly name: string }[];
}

interface ReadNotes {
  readonly succeeded: readonly {
    readonly result: {
      readonly content?: string;
      readonly truncated?: { readonly total: number };
      readonly properties?: Readonly<Record<string, unknown>>;
      readonly links?: readonly { readonly link: string; readonly path?: string; readonly unresolved?: true }[];
    };
  }[];
  readonly failed: readonly { readonly error: PageFault }[];
}

/** Without it the next page lays the graph out again, so a failure changes nothing that is shown. */
async function keepPlaces(revision: number, rows: readonly number[]): Promise<void> {
  const body = JSON.stringify(rows);
  const headers = { 'content-type': 'application/json' };
  await Promise.allSettled([fetch(`api/places?revision=${revision}`, { method: 'POST', body, headers })]);
}

async function noteText(path: string, maxLength = MAX_TEXT_LENGTH): Promise<NoteText> {
  const include = ['content', 'links', 'properties'];
  const { succeeded, failed } = await call<ReadNotes>('read_notes', {
    notes: [path],
    include,
    max_chars: maxLength,
  });
  for (const { error } of failed) throw new PageError(error);
  const { content = '', links = [], properties = {}, truncated } = succeeded[0]?.result ?? {};
  return {
    text: content,
    targets: new Map(links.map(({ link, path: target }) => [link, target ?? null])),
    properties,
    ...(truncated === undefined ? {} : { wholeLength: truncated.total }),
  };
}

async function noteLinks(path: string): Promise<NoteLinks> {
  const around = await call<Neighbors>('get_neighbors', { note: path, limit: MAX_NEIGHBORS });
  return {
    links: around.neighbors.flatMap(linksTo),
    linkTotal: around.total,
    unresolved: [...new Set((around.unresolved ?? []).map(({ name }) => name))],
  };
}

/** A note that is linked in both directions is in both lists. */
function linksTo({ path, title = path, ...links }: Neighbors['neighbors'][number]): NoteLink[] {
  return (['out', 'in'] as const).flatMap((direction) => {
    const those = links[direction] ?? [];
    const sentences = [...new Set(those.flatMap((link) => /^\d+(?: \(\w+\))?: (.*)$/.exec(link)?.[1] ?? []))];
    return those.length === 0 ? [] : [{ path, title, direction, sentences }];
  });
}

interface Related {
  readonly related: readonly {
    readonly path: string;
    readonly terms?: readonly string[];
  }[];
}

async function relatedTo(path: string): Promise<readonly RelatedNote[]> {
  if (!NOTE_ENDING.test(path)) return [];
  const { related } = await call<Related>('find_related', { note: path, limit: MAX_RELATED });
  return related.map(({ path: other, terms = [] }) => ({ path: other, why: terms.slice(0, 4).join(', ') }));
}

interface TextHits {
  /** Only a hit in a PDF has a page. */
  readonly hits: readonly {
    readonly path: string;
    readonly title: string;
    readonly snippet?: string;
    readonly page?: number;
  }[];
}

async function searchText(query: string): Promise<readonly FoundNote[]> {
  // The last word may be unfinished while the reader types.
  const typed = /[\p{L}\p{N}]$/u.test(query) && !query.includes('"') ? `${query}*` : query;
  const { hits } = await call<TextHits>('search_text', { query: typed, limit: MAX_FOUND });
  // The graph has no PDFs.
  const notes = hits.filter(({ page }) => page === undefined);
  return notes.map(({ path, title, snippet = '' }) => ({ path, title, snippet }));
}

/** Changes of one page of the answer. */
const MAX_CHANGES = 100;

async function changesSince({ since, folder, tag, cursor }: ChangesQuery): Promise<Changes> {
  const filter = { folder, ...(tag !== undefined && { tags: [tag] }) };
  const { data, warnings = [] } = await called<Omit<Changes, 'warnings'>>('list_changes', {
    since,
    limit: MAX_CHANGES,
    cursor,
    ...filter,
  });
  return { ...data, warnings };
}
