// Answers the requests of the graph page.

import { join } from 'node:path';
import type { GraphCore } from '../../app/graph-core.ts';
import { replaceFile } from '../../base/atomic-write.ts';
import { errnoOrRethrow } from '../../base/errno.ts';
import { ERRORS, toVaultgraphError } from '../../base/errors.ts';
import { packKept, unpackKept } from '../../base/kept-json.ts';
import type { NotePath } from '../../base/note.ts';
import { parsedJson } from '../../base/plain-object.ts';
import { readOwnFile } from '../../base/system/own-file.ts';
import type { GraphPicture } from '../../contracts/graph-picture.ts';
import { failureJson } from '../perform.ts';

/** The tools that the page may call; all are read-only. */
const NAMES = ['find_related', 'get_neighbors', 'list_changes', 'read_notes', 'search_text', 'status'];
const TOOLS: ReadonlySet<string> = new Set(NAMES);

export type PageAnswers = ReturnType<typeof createPageAnswers>;

export function createPageAnswers(core: GraphCore) {
  const picture = keptPicture(core);
  const places = createKeptPlaces(core.config.dataFolder);
  let prepared: Promise<unknown> = Promise.resolve();
  return Object.freeze({
    /** Draws the graph while the browser starts. What fails here fails again, and is shown, when the page loads. */
    prepare: (): void => {
      prepared = Promise.allSettled([picture(new AbortController().signal)]);
    },
    /** Answers `state`, `graph`, `places` with `revision`, or `call/TOOL` with `input`; undefined for any other address. */
    answer: (path: string, query: URLSearchParams, signal: AbortSignal) => {
      if (path === 'state') return answerOf(async () => ({ ok: true, data: await stateOf(core, signal) }));
      // The gate computes nothing twice then.
      if (path === 'graph') return answerOf(() => prepared.then(() => graphOf(core, picture, signal)));
      if (path === 'places') return answerOf(() => keptRows(picture, places, query, signal));
      const [call, tool = '', ...rest] = path.split('/');
      if (call !== 'call' || rest.length > 0 || !TOOLS.has(tool)) return undefined;
      return answerOf(async () => toolAnswer(core, tool, JSON.parse(query.get('input') ?? '{}'), signal));
    },
    /** Keeps the layout of the graph. @param body JSON. @returns the HTTP status: 204 if it is kept, 200 if the index has changed since */
    keepPlaces: async (query: URLSearchParams, body: string, signal: AbortSignal): Promise<number> => {
      const drawn = await picture(signal);
      if (String(drawn.revision) !== query.get('revision')) return 200;
      return (await places.keep(drawn, parsedJson(body))) ? 204 : 400;
    },
    /** @param path of an attachment of the vault. @throws FILE_UNREADABLE, PATH_NOT_ALLOWED, LIMIT_EXCEEDED, VAULT_UNAVAILABLE */
    file: async (path: string, signal: AbortSignal) => {
      const { succeeded, failed } = await core.vault.read([path.normalize('NFC') as NotePath], signal);
      for (const { error } of failed) throw error;
      return succeeded[0]?.result.bytes ?? new Uint8Array();
    },
  });
}

/** Rows of another revision would be those of other notes. */
async function keptRows(draw: Draw, places: KeptPlaces, query: URLSearchParams, signal: AbortSignal) {
  const drawn = await draw(signal);
  const isSame = String(drawn.revision) === query.get('revision');
  return { ok: true, data: { rows: isSame ? await places.rows(drawn) : [] } };
}

type Body = { readonly ok: boolean; readonly error?: { readonly code: keyof typeof ERRORS } };

/** `status` is the HTTP status. */
async function answerOf(work: () => Promise<Body>) {
  try {
    const body = await work();
    return { status: body.error === undefined ? 200 : ERRORS[body.error.code].http, body };
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return { status: 400, body: { ok: false, reason: 'input is not valid JSON' } };
    const error = toVaultgraphError(thrown);
    return { status: ERRORS[error.code].http, body: failureJson(error) };
  }
}

async function toolAnswer(core: GraphCore, tool: string, input: unknown, signal: AbortSignal): Promise<Body> {
  const { tools, absent } = core.exposed;
  if (!tools.has(tool) && !absent.has(tool)) return switchedOff(tool);
  return (await core.call(tool, input, { signal, client: 'vaultgraph view' })).structured;
}

/** By `tools.only` or `tools.except`. */
function switchedOff(tool: string) {
  const message = `${tool} is switched off in the config`;
  const hint = 'It is among `tools.except`, or not among `tools.only`: with it, this part of the page works.';
  return { ok: false, error: { code: 'CAPABILITY_NOT_CONFIGURED' as const, message, hint } };
}

/** Small, because the page polls it: if the revision changed, the graph may have changed. */
async function stateOf({ store, indexer }: GraphCore, signal: AbortSignal): Promise<object> {
  const { revision } = await store.progress(signal);
  const { complete, running } = indexer.state();
  const { done, changed } = running?.counts ?? {};
  return { revision, complete, ...(running === undefined ? {} : { building: { done, total: changed } }) };
}

type Draw = (signal: AbortSignal) => Promise<GraphPicture>;

/** Kept for a page that is reloaded. Calls for the same revision share one drawing, which a page that is closed does not end. */
function keptPicture(core: GraphCore): Draw {
  let lastPicture: { readonly revision: number; readonly drawn: Promise<GraphPicture> } | undefined;
  return async (signal) => {
    const { revision } = await core.store.progress(signal);
    if (lastPicture?.revision !== revision)
      lastPicture = { revision, drawn: core.picture(new AbortController().signal) };
    const mine = lastPicture;
    try {
      return await mine.drawn;
    } catch (error) {
      if (lastPicture === mine) lastPicture = undefined;
      throw error;
    }
  };
}

const GATE = 'get_communities';

/** Calls a tool that fails with the right error if there is no index yet. */
async function graphOf(core: GraphCore, draw: Draw, signal: AbortSignal) {
  const isOn = core.exposed.tools.has(GATE);
  const gate = isOn ? await toolAnswer(core, GATE, { limit: 1, members: 1 }, signal) : { ok: true };
  return gate.ok ? { ok: true, data: await draw(signal) } : gate;
}

/** Numbers per note: x, y, and how many notes were linked then. */
const ROW = 3;
type Row = readonly [number, number, number];

const FILE_NAME = 'layout.json';

type KeptPlaces = ReturnType<typeof createKeptPlaces>;

/** Empty if it cannot be read. */
function textIn(file: string): string {
  try {
    return readOwnFile(file).toString();
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return '';
  }
}

/** @param folder of the index */
function createKeptPlaces(folder: string) {
  const file = join(folder, FILE_NAME);
  return Object.freeze({
    /** The rows of the notes in their order, null for a note without one. Without a file, or with a broken one, every note is new. */
    rows: async ({ notes }: GraphPicture): Promise<(number | null)[]> => {
      const places = unpackKept(textIn(file), FILE_NAME);
      const rowsByPath = new Map(Object.entries((places ?? {}) as Readonly<Record<string, Row>>));
      return notes.flatMap(({ path }) => rowsByPath.get(path) ?? [null, null, null]);
    },
    /** @returns false, with nothing written, if the rows are not those of the notes */
    keep: async ({ notes }: GraphPicture, rows: unknown): Promise<boolean> => {
      if (!Array.isArray(rows) || rows.length !== notes.length * ROW || !rows.every(Number.isFinite)) return false;
      const places = notes.map(({ path }, node) => [path, rows.slice(node * ROW, node * ROW + ROW)]);
      await replaceFile(file, packKept(Object.fromEntries(places), FILE_NAME));
      return true;
    },
  });
}
