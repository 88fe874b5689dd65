// Refuses a change that would have to change files that the config's `vault.read` or `vault.write` leaves out.
import { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath, noteName } from '../../base/note.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { followedBase, movedFolder } from '../../bases/follow-base.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { type FileContent, notWritable, type Vault, type VaultListing, type VaultView } from '../../contracts/vault.ts';
import type { FileOperation } from '../../contracts/writer.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { followed } from '../../markdown/links/follow-links.ts';
import { createMovedFiles } from '../../markdown/links/link-changes.ts';
import { candidatesByName } from '../../markdown/links/resolve-link.ts';
import { decodeText } from '../../markdown/parse/lines.ts';
import type { TagRename } from '../../markdown/properties/tag-name.ts';
import { followedBases } from '../write/moves/moved-bases.ts';

const FILES_AT_ONCE = 64;
/** The links of a longer file take more than some milliseconds. */
const SMALL_FILE = 64 * 1024;
/** A text is searched for at most so many names; for more, every text is parsed. */
const MAX_NAMES = 40;
/** Characters by which a link can spell a name otherwise. */
const ESCAPES = /[%&\\]/;

type Whole = NonNullable<VaultView['whole']>;

/** Files that a write moves, or makes a part of another note. */
export interface PlannedMoves {
  readonly paths: ReadonlyMap<NotePath, NotePath>;
  /** The note or folder that moves. */
  readonly from: string;
}

/** What a tool is about to write. */
interface Planned {
  readonly files: readonly { readonly operation: FileOperation }[];
  readonly undoes?: string;
  readonly moves?: PlannedMoves;
  readonly renamesTag?: TagRename;
}

/** @throws PATH_NOT_ALLOWED for what the caller asks to write, LINK_INTEGRITY for what would have to change with it */
export async function requireInsideView(plan: Planned, { view }: Vault, call: CallContext): Promise<void> {
  if (view === undefined || plan.files.length === 0) return;
  for (const path of writtenPaths(plan)) {
    if (view.mayWrite(path)) continue;
    throw isRequested(plan, path) ? notWritable(path) : wouldChangeOutside();
  }
  if (view.whole === undefined) return;
  const { moves = movesOf(plan), renamesTag } = plan;
  if (moves !== undefined) await requireNoLinks(moves, view, view.whole, call);
  if (renamesTag !== undefined) await requireNoTag(renamesTag, view, view.whole, call);
}

/** The error of a note that may only be read. */
export function writeRefusal(path: string, { view }: Vault): VaultgraphError | undefined {
  return view === undefined || view.mayWrite(path) ? undefined : notWritable(path);
}

const wouldChangeOutside = (): VaultgraphError => new VaultgraphError('LINK_INTEGRITY', { outside: true });

function writtenPaths({ files }: Planned): readonly string[] {
  return files.flatMap(({ operation }) =>
    operation.kind === 'move' ? [operation.path, operation.to] : [operation.path],
  );
}

/** Whether the caller named the file, or one that it is written to. */
function isRequested({ moves, renamesTag, undoes }: Planned, path: string): boolean {
  if (renamesTag !== undefined || undoes !== undefined) return false;
  return moves === undefined || [...moves.paths].flat().includes(path as NotePath);
}

/** The moves of an undo. */
function movesOf({ files }: Planned): PlannedMoves | undefined {
  const moves = files.flatMap(({ operation }) =>
    operation.kind === 'move' ? [[operation.path, operation.to] as const] : [],
  );
  const [[from] = ['']] = moves;
  return moves.length === 0 ? undefined : { paths: new Map(moves), from };
}

/** Links resolve as in the whole vault, since that is how Obsidian reads the files that a client does not see. */
async function requireNoLinks(
  { paths, from }: PlannedMoves,
  view: VaultView,
  whole: Whole,
  call: CallContext,
): Promise<void> {
  const listing = await whole.list(call.signal);
  const targets = new Set(paths.values());
  const existing = listing.files.flatMap(({ path }) => (targets.has(path) && !paths.has(path) ? [path] : []));
  const after = [...new Set(listing.files.map(({ path }) => paths.get(path) ?? path))];
  const files = createMovedFiles(paths, candidatesByName(after), existing);
  const mayName = nameFilter([...files.nameKeys].map(noteName));
  const folder = movedFolder(from, paths);
  await forEachUnseen(listing, view, whole, call, async ({ path, bytes }) => {
    if (fileKindOf(path) === 'base') return isChanged(followedBase(path, bytes, files, folder));
    if (isChanged(await followedBases({ path, bytes }, files, folder, call))) return true;
    if (!mayName(decodeText(bytes).text)) return false;
    const file = { path, bytes, isLinking: true, earlier: undefined };
    if (bytes.byteLength <= SMALL_FILE) return isChanged(followed(file, files));
    return isChanged(
      await call.compute.run(jobs.follow, { ...file, moved: paths, paths: after, existing }, call.signal),
    );
  });
}

interface Followed {
  readonly file?: { readonly changed?: object };
  readonly changed?: object;
  readonly broken: readonly object[];
}

function isChanged(result: Followed | undefined): boolean {
  return result !== undefined && ((result.file ?? result).changed !== undefined || result.broken.length > 0);
}

async function requireNoTag(rename: TagRename, view: VaultView, whole: Whole, call: CallContext): Promise<void> {
  const mayName = nameFilter([rename.from]);
  await forEachUnseen(await whole.list(call.signal), view, whole, call, async ({ path, bytes }) => {
    const { text } = decodeText(bytes);
    if (fileKindOf(path) === 'base' || !mayName(text)) return false;
    const outcome = await outcomeOf(call.compute.run(jobs.rename_tag, { path, text, rename }, call.signal));
    call.signal.throwIfAborted();
    return !('value' in outcome) || outcome.value.renamed.length > 0;
  });
}

/** Whether a text can hold one of the names. */
function nameFilter(names: readonly string[]): (text: string) => boolean {
  if (names.length > MAX_NAMES) return () => true;
  const folded = names.map(foldName);
  return (text) => {
    const searched = foldName(text);
    return ESCAPES.test(text) || folded.some((name) => searched.includes(name));
  };
}

/**
 * Tests every note, canvas and base that a client does not see, and lets other calls run after each.
 * @throws LINK_INTEGRITY if a file does not pass, or cannot be read, so that it is unknown
 */
async function forEachUnseen(
  { files, unreadableFolders }: VaultListing,
  { shows }: VaultView,
  whole: Whole,
  call: CallContext,
  wouldChange: (file: FileContent) => Promise<boolean>,
): Promise<void> {
  const isUnseen = ({ path }: { readonly path: string }): boolean => fileKindOf(path) !== 'attachment' && !shows(path);
  const unseen = files.filter(isUnseen);
  const isUnknown =
    unseen.some(({ evicted }) => evicted) || unreadableFolders.some(({ path }) => isUnseen({ path: `${path}/a.md` }));
  if (isUnknown) throw wouldChangeOutside();
  const paths = unseen.map(({ path }) => path);
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE) {
    const { succeeded, failed } = await whole.read(paths.slice(at, at + FILES_AT_ONCE), call.signal);
    // A file that is too long is not read by anything here.
    if (failed.some(({ error }) => error.code === 'FILE_UNREADABLE')) throw wouldChangeOutside();
    for (const { result } of succeeded) {
      if (await wouldChange(result)) throw wouldChangeOutside();
      await letOthersRun();
    }
  }
}
