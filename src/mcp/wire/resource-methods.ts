// The notes as resources: listed, read, followed.
import { cut, toVaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { mediaTypeOf, type NoteUris } from '../../base/note-uri.ts';
import { failureFields } from '../dispatch/call-journal.ts';
import type { Caller, Dispatch } from '../dispatch/dispatch.ts';
import { type Failure, failureOf } from '../render/failure.ts';
import { type Answer, base64Of } from '../render/result.ts';
import type { PathMask } from '../render/safe-text.ts';
import { GRAPH_APP_URI, LISTED_APP, readGraphApp } from './graph-app.ts';
import {
  type Fault,
  INVALID_PARAMS,
  type Method,
  type Params,
  RESOURCE_NOT_FOUND,
  type Reply,
  refusedCursor,
  vaultFault,
  type WireRequest,
} from './method.ts';
import type { Subscriptions } from './subscriptions.ts';
import { type AnswerFormSetting, offersApp } from './tool-methods.ts';

export interface ResourceParts extends ChangesParts {
  /** Answers `resources/list` and `resources/read`. */
  readonly ask: Dispatch;
  readonly subscriptions: Subscriptions;
  /** Without the structured half of answers, a page has nothing to draw. */
  readonly structuredContent: AnswerFormSetting;
  readonly mask: PathMask;
  readonly log: Log;
}

const TEMPLATE = {
  name: 'note',
  title: 'A note of the vault',
  description:
    'The text of the note at a path, such as Folder/Note.md; of a canvas its JSON; the bytes of an attachment, such as an image.',
};

/** Clients list resources at startup, so a server that is not ready must say so soon. */
const LIST_LIMIT_MS = 10_000;

export function resourceMethods(parts: ResourceParts): [string, Method][] {
  return [
    ['resources/list', (params, request) => listResources(parts, params, request)],
    ['resources/templates/list', listTemplates(parts.uris)],
    ['resources/read', (params, request) => readResource(parts, params, request)],
    ['resources/subscribe', (params, request) => withNote(parts, params, (note) => follow(parts, note, request))],
    ['resources/unsubscribe', (params) => withNote(parts, params, (note) => leave(parts, note))],
  ];
}

const listTemplates =
  ({ template: uriTemplate }: NoteUris): Method =>
  async (params) => {
    const fault = refusedCursor(params);
    return fault === undefined ? { result: { resourceTemplates: [{ uriTemplate, ...TEMPLATE }] } } : { fault };
  };

async function readResource(parts: ResourceParts, params: Params, request: WireRequest): Promise<Reply> {
  if (params?.uri === GRAPH_APP_URI && offersApp(parts.structuredContent, request)) return readGraphApp();
  return withNote(parts, params, (note) =>
    (note.changing === undefined ? readNote : readChanges)(parts, note, request),
  );
}

interface AskedNote {
  /** The address as the client wrote it: it knows the note by these letters. */
  readonly uri: string;
  readonly path: string;
  /** The vault, if it is not a note but the changes of a whole vault. */
  readonly changing?: string;
}

async function withNote(
  parts: ResourceParts,
  params: Params,
  work: (note: AskedNote) => Promise<Reply>,
): Promise<Reply> {
  const { uris } = parts;
  const uri = params?.uri;
  const changing = changingVault(parts, uri);
  if (typeof uri !== 'string') return { fault: { code: INVALID_PARAMS, message: 'uri: must be a string' } };
  if (changing !== undefined) return work({ uri, path: placeOfChanges(changing), changing });
  const path = uris.pathOf(uri);
  return path === undefined ? { fault: noSuchResource(uri, uris) } : work({ uri, path });
}

function noSuchResource(uri: string, { template }: NoteUris): Fault {
  const message = `no resource has this URI; those of notes are ${template}`;
  return { code: RESOURCE_NOT_FOUND, message, data: { uri: cut(uri) } };
}

async function listResources(parts: ResourceParts, params: Params, request: WireRequest): Promise<Reply> {
  const { ask, uris } = parts;
  const cursor = params?.cursor === '' || params?.cursor === null ? undefined : params?.cursor;
  const listParams = cursor === undefined ? {} : { cursor };
  const answer = await ask('resources/list', listParams, { ...callerOf(request), limitMs: LIST_LIMIT_MS });
  if (!answer.structured.ok) return { fault: vaultFault(answer.structured.error) };
  const { resources, next_cursor } = answer.structured.data as unknown as ListedPage;
  const apps = offersApp(parts.structuredContent, request) ? [LISTED_APP] : [];
  const firsts = [...listedChanges(parts), ...apps];
  const result = {
    resources: [...(cursor === undefined ? firsts : []), ...resources.map((row) => listed(row, uris))],
    ...(next_cursor && { nextCursor: next_cursor }),
  };
  const { partial, warnings } = answer.structured;
  return { result: partial ? { ...result, _meta: { partial, warnings } } : result };
}

interface ListedPage {
  readonly resources: readonly {
    readonly path: string;
    readonly title: string;
    readonly kind: string;
    readonly size: number;
    readonly modified: string;
  }[];
  readonly next_cursor?: string;
}

function listed({ path, title, size, modified }: ListedPage['resources'][number], { uriOf }: NoteUris): object {
  const annotations = { lastModified: modified };
  return { uri: uriOf(path), name: path, title, mimeType: mediaTypeOf(path), annotations, size };
}

async function readNote({ ask }: ResourceParts, { uri, path }: AskedNote, request: WireRequest): Promise<Reply> {
  const answer = await ask('resources/read', { path }, callerOf(request));
  if (!answer.structured.ok) return { fault: readFault(answer.structured.error, uri) };
  const { path: listedPath, etag, encoding, text } = answer.structured.data as unknown as ReadNote;
  const _meta = { etag, ...(encoding && { encoding }) };
  const [image] = answer.images ?? [];
  if (image !== undefined)
    return { result: { contents: [{ uri, mimeType: image.type, blob: base64Of(image.bytes), _meta }] } };
  return { result: { contents: [{ uri, mimeType: mediaTypeOf(listedPath), text, _meta }] } };
}

async function readChanges(
  parts: ResourceParts,
  { uri, changing = '' }: AskedNote,
  request: WireRequest,
): Promise<Reply> {
  const answer = await askForChanges(parts, changing, request);
  return answer.structured.ok
    ? { result: changesContents(uri, answer) }
    : { fault: readFault(answer.structured.error, uri) };
}

interface ReadNote {
  /** The path as it is listed. */
  readonly path: string;
  readonly kind: string;
  readonly etag: string;
  readonly encoding?: string;
  readonly text: string;
}

function readFault(error: Failure['error'], uri: string): Fault {
  return vaultFault(error, { uri: cut(uri) });
}

/** Only readable notes can be subscribed to: a misspelt URI would never be notified. */
async function follow(parts: ResourceParts, note: AskedNote, request: WireRequest): Promise<Reply> {
  const { ask, subscriptions, mask, log } = parts;
  const { uri, path, changing } = note;
  const isNote = changing === undefined;
  const answer = await (isNote
    ? ask('resources/read', { path }, callerOf(request))
    : askForChanges(parts, changing, request, { limit: 1 }));
  if (!answer.structured.ok) return { fault: readFault(answer.structured.error, uri) };
  try {
    const followed = isNote ? (answer.structured.data as unknown as ReadNote).path : path;
    await subscriptions.add(uri, followed, request.signal);
    return { result: {} };
  } catch (thrown) {
    const error = toVaultgraphError(thrown);
    log('error', 'call_failed', { tool: 'resources/subscribe', request_id: request.id, ...failureFields(error) });
    return { fault: readFault(failureOf(error, new Set(), mask).error, note.uri) };
  }
}

async function leave({ subscriptions }: ResourceParts, { uri }: AskedNote): Promise<Reply> {
  subscriptions.remove(uri);
  return { result: {} };
}

function callerOf({ id, client, signal }: WireRequest): Caller {
  return { requestId: id, client, signal };
}

// What changed in a whole vault, as one resource: listed, and read as `list_changes` answers.

/** The tool that answers; without it there is no such resource. */
export const LIST_CHANGES = 'list_changes';

interface ChangesParts {
  /** Calls a listed tool. */
  readonly dispatch: Dispatch;
  readonly uris: NoteUris;
  /** The names of the vaults whose changes are known; of a single vault, an empty one. */
  readonly changing: readonly string[];
}

function listedChanges({ uris, changing }: ChangesParts): object[] {
  return changing.map((vault) => ({
    uri: uris.changesIn(vault),
    name: vault === '' ? 'changes' : `${vault}: changes`,
    title: 'Latest changes',
    description:
      'What changed in the last seven days, as list_changes says. A subscription to it is one to the whole vault.',
    mimeType: 'application/json',
  }));
}

/** Undefined for a URI that is not of such a resource. */
function changingVault({ uris, changing }: ChangesParts, uri: unknown): string | undefined {
  return typeof uri === 'string' ? changing.find((vault) => uris.changesIn(vault) === uri) : undefined;
}

/** For the signs of notes: no note has an empty path. */
const placeOfChanges = (vault: string): string => (vault === '' ? '' : `${vault}/`);

function askForChanges(
  { dispatch }: ChangesParts,
  vault: string,
  { id, client, signal }: WireRequest,
  more: object = {},
): Promise<Answer> {
  return dispatch(LIST_CHANGES, { ...more, ...(vault !== '' && { vault }) }, { requestId: id, client, signal });
}

function changesContents(uri: string, { structured }: Answer): object {
  const { data, partial, warnings = [] } = structured as Extract<Answer['structured'], { ok: true }>;
  const _meta = partial || warnings.length > 0 ? { partial, warnings } : undefined;
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data), ...(_meta && { _meta }) }] };
}
