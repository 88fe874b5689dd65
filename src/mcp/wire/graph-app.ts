// The page that draws answers of graph tools in clients that show MCP Apps (SEP-1865), and the graph that it draws.
import { readFile } from 'node:fs/promises';
import { APP_GRAPH_META, type AppGraph, type ShownGraph } from '../../contracts/graph-picture.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { Answer } from '../render/result.ts';
import type { Reply, WireRequest } from './method.ts';

export const GRAPH_APP_URI = 'ui://vaultgraph/graph.html';
const EXTENSION = 'io.modelcontextprotocol/ui';
const MIME_TYPE = 'text/html;profile=mcp-app';

/** In `_meta` of a listed tool whose answers the page draws. */
export const DRAWN_META = { ui: { resourceUri: GRAPH_APP_URI } };

/** Inline code only: the page requests nothing from any address. */
const PAGE_META = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } };

export const LISTED_APP = {
  uri: GRAPH_APP_URI,
  name: 'graph',
  title: 'Graph',
  description: 'Draws the result of get_neighbors, get_communities, find_path and get_hubs.',
  mimeType: MIME_TYPE,
  _meta: PAGE_META,
};

interface Announced {
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Whether a client announces that it shows such pages. */
export function showsApps(capabilities: Announced | undefined): boolean {
  const { mimeTypes } = (capabilities?.extensions?.[EXTENSION] ?? {}) as { readonly mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(MIME_TYPE);
}

/** Beside the built program; sources use the page of the last build. */
const PAGE = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/page/' : './page/', import.meta.url);
let page: Promise<string> | undefined;

/** Rejects if the program is not built, or its files were removed. */
export async function readGraphApp(): Promise<Reply> {
  page ??= wholePage();
  return { result: { contents: [{ uri: GRAPH_APP_URI, mimeType: MIME_TYPE, text: await page, _meta: PAGE_META }] } };
}

/** Applications load one file; the package has the script that draws once for both pages. */
async function wholePage(): Promise<string> {
  const files = ['app.html', 'drawing.js'].map((name) => readFile(new URL(name, PAGE), 'utf8'));
  const [html = '', script = ''] = await Promise.all(files);
  // A replacement function, because the script may contain `$` patterns of `replace`.
  return html.replace('/* drawing.js */', () => script.replaceAll('</script', '<\\/script'));
}

type Data = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, never>>;

const rows = (list: unknown): readonly Row[] => (Array.isArray(list) ? list : []);

/** The tools whose answers are drawn, and the paths that the answer of each names. */
const DRAWN: Readonly<Record<string, (data: Data) => unknown[]>> = {
  get_neighbors: ({ path, neighbors }) => [path, ...rows(neighbors).flatMap((row) => [row.path, ...rows(row.via)])],
  get_communities: ({ communities }) => rows(communities).flatMap(({ top }) => rows(top)),
  find_path: ({ from, to, paths }) => [from, to, ...rows(paths).flatMap((path) => rows(path))],
  get_hubs: ({ hubs }) => rows(hubs).map(({ path }) => path),
};

export const isDrawn = (tool: string): boolean => Object.hasOwn(DRAWN, tool);

/** More notes would be a blur in a picture beside a chat. */
const MAX_NOTES = 500;
const LIMIT_MS = 10_000;

/** `_meta` for the answer of such a tool; undefined for a failure, which has nothing to draw. @param ask runs `graph/shown` */
export async function drawnMeta(
  tool: string,
  { structured }: Answer,
  ask: Dispatch,
  { id: requestId, client, signal }: WireRequest,
): Promise<object | undefined> {
  const pathsOf = DRAWN[tool];
  if (pathsOf === undefined || !structured.ok) return undefined;
  const { vault } = structured.data;
  const named = pathsOf(structured.data).filter((path) => typeof path === 'string');
  const paths = [...new Set(named)];
  const args = { paths: JSON.stringify(paths.slice(0, MAX_NOTES)), ...(typeof vault === 'string' && { vault }) };
  const { structured: shown } = await ask('graph/shown', args, { requestId, client, signal, limitMs: LIMIT_MS });
  return { [APP_GRAPH_META]: shown.ok ? graphOf(shown.data, paths.length) : faultOf(shown.error) };
}

function graphOf(data: object, named: number): AppGraph {
  const { notes, links } = data as ShownGraph;
  return { notes, links, ...(named > notes.length && { left_out: named - notes.length }) };
}

const faultOf = ({ code, message }: { readonly code: string; readonly message: string }): AppGraph => ({
  error: { code, message },
});
