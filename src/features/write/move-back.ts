// What files held before a move that another move now takes back: links then read again as their writer wrote them. Writes nothing.
import type { NotePath } from '../../base/note.ts';
import type { Change, FileOperation, Writer } from '../../contracts/writer.ts';
import type { MovedFiles } from '../../markdown/links/moved-files.ts';
import { targetedLinks } from '../../markdown/links/rewrite-links.ts';
import { decodeText } from '../../markdown/parse/decode.ts';

/** What the file at the path held before, where it is as that move has left it. */
export type EarlierBytes = (path: NotePath, etag: string) => Uint8Array | undefined;

export interface RestoredText {
  readonly text: string;
  readonly bytes: Uint8Array;
  /** Of the links that read otherwise than now. */
  readonly lines: readonly number[];
}

/** Further back a move is one of its own. */
const MAX_CHANGES = 20;
const NOTHING: EarlierBytes = () => undefined;

/** @param moved what is to move now */
export async function earlierBytes(
  moved: ReadonlyMap<NotePath, NotePath>,
  writer: Writer,
  signal: AbortSignal,
): Promise<EarlierBytes> {
  const changes = await writer.changes(MAX_CHANGES, signal);
  const change = changes.find((each) => isReverse(each, moved));
  if (change === undefined) return NOTHING;
  // What the log no longer keeps is written anew.
  const [outcome] = await Promise.allSettled([writer.inverse(change.id, signal)]);
  signal.throwIfAborted();
  if (outcome.status === 'rejected') return NOTHING;
  const byPath = new Map(outcome.value.operations.map((operation) => [operation.path, operation]));
  return (path, etag) => bytesOf(byPath.get(path), etag);
}

function isReverse({ state, undoneBy, files }: Change, moved: ReadonlyMap<NotePath, NotePath>): boolean {
  const moves = files.filter(({ kind }) => kind === 'move');
  const isOpen = state === 'done' && undoneBy === undefined && moves.length === moved.size;
  return isOpen && moves.every(({ path, to }) => to !== undefined && moved.get(to as NotePath) === path);
}

function bytesOf(operation: FileOperation | undefined, etag: string): Uint8Array | undefined {
  if (operation?.kind !== 'move' && operation?.kind !== 'replace') return undefined;
  return operation.before === etag ? operation.bytes : undefined;
}

/** Undefined where a link in what the file held would not lead where it is to lead. */
export function restoredText(
  path: NotePath,
  text: string,
  earlier: Uint8Array | undefined,
  files: MovedFiles,
): RestoredText | undefined {
  if (earlier === undefined) return undefined;
  const before = decodeText(earlier);
  const now = targetedLinks(path, text, files.before);
  const then = targetedLinks(files.pathAfter(path), before.text, files.after);
  const leads = (at: number): NotePath | null => {
    const target = now[at]?.target ?? null;
    return target === null ? null : files.pathAfter(target);
  };
  const fits = now.length === then.length && then.every(({ target }, at) => target === leads(at));
  if (!fits || before.encoding === 'invalid') return undefined;
  const lines = then.filter(({ link }, at) => link !== now[at]?.link).map(({ line }) => line);
  return { text: before.text, bytes: earlier, lines };
}
