// Compares the files and names of the vault before and after a planned write.
import { fileKindOf, type Link, type NotePath } from '../../../base/note.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import { jobs } from '../../../compute/jobs.ts';
import type { Granted } from '../../../contracts/capability.ts';
import type { CallContext } from '../../../contracts/tool.ts';
import { type Addressed, isSite, pageAddresses } from '../../../markdown/links/addresses.ts';
import { nameKeyOf } from '../../../markdown/links/fold.ts';
import { type CandidatesFor, candidatesByName } from '../../../markdown/links/resolve-link.ts';
import { filesByName } from '../../notes/file-names.ts';
import type { PlannedFile, WritePlan } from '../write-plan.ts';

export type Sources = Granted<'store' | 'indexer' | 'vault'>;

export interface PlannedText {
  /** The path before and after; the former is absent for a new file. */
  readonly from: NotePath | undefined;
  readonly path: NotePath;
  /** The new ones. */
  readonly links: readonly (Pick<Link, 'kind' | 'link' | 'line'> & {
    readonly subpath: string;
  })[];
  /** What links were written as of which none is left but new ones. */
  readonly dropped: readonly string[];
  /** All aliases and the title; `aliases` and `title` are new. */
  readonly names: readonly string[];
  readonly aliases: readonly string[];
  readonly title?: string;
  readonly text: string;
  /** What Obsidian ignores in its properties, and did not have to ignore before. */
  readonly notices: readonly string[];
}

/** What a write changes of the files of the vault. */
export interface PlannedPaths {
  /** New paths that no file has yet. */
  readonly added: ReadonlySet<NotePath>;
  /** The path of each file that moves. */
  readonly moved: ReadonlyMap<NotePath, NotePath>;
  /** Paths that have no file any more. */
  readonly gone: ReadonlySet<NotePath>;
  readonly isUndo: boolean;
  readonly template: NotePath | undefined;
}

export function plannedPaths({ files, undoes, template }: WritePlan): PlannedPaths {
  const added = new Set<NotePath>();
  const moved = new Map<NotePath, NotePath>();
  const gone = new Set<NotePath>();
  for (const { operation } of files) {
    if (operation.kind === 'create' || operation.kind === 'restore') added.add(operation.path);
    if (operation.kind === 'trash' || operation.kind === 'remove' || operation.kind === 'move')
      gone.add(operation.path);
    if (operation.kind === 'move') {
      added.add(operation.to);
      moved.set(operation.path, operation.to);
    }
  }
  return { added, moved, gone, isUndo: undoes !== undefined, template };
}

/** The files by name before and after the write. */
export async function plannedFiles(plan: PlannedPaths, { store }: Sources, call: CallContext) {
  const { added, gone } = plan;
  const before = await filesByName(store, call);
  const arriving = Map.groupBy(added, nameKeyOf);
  const files = (key: string): readonly NotePath[] => [
    ...before(key).filter((path) => !gone.has(path) && !added.has(path)),
    ...(arriving.get(key) ?? []),
  ];
  const after = before.addressed === undefined ? files : Object.assign(files, plannedAddresses(before.addressed, plan));
  return { before, after };
}

/** What the text of a note says of its addresses stays as it is; what its path says does not. */
function plannedAddresses(
  before: NonNullable<CandidatesFor['addressed']>,
  { added, moved, gone }: PlannedPaths,
): Pick<CandidatesFor, 'addressed'> {
  const arriving = candidatesByName(added).addressed;
  const stays = ({ path, address }: Addressed): boolean =>
    !gone.has(path) || (moved.has(path) && !(isSite() && pageAddresses(path).includes(address)));
  return {
    addressed: (key) => [
      ...before(key)
        .filter(stays)
        .map((one) => ({ ...one, path: moved.get(one.path) ?? one.path })),
      ...(arriving?.(key) ?? []),
    ],
  };
}

/** The notes and canvases of the plan that have a text afterwards. */
export async function plannedTexts({ files }: WritePlan, call: CallContext): Promise<readonly PlannedText[]> {
  const texts: PlannedText[] = [];
  for (const { operation, result, before, after, changes } of files.filter(hasText)) {
    const text = after ?? '';
    const request = { path: result.path, before, after: text };
    const compared = changes ?? (await call.compute.run(jobs.compare_texts, request, call.signal));
    const from = before === undefined ? undefined : operation.path;
    texts.push({ from, path: result.path as NotePath, text, ...compared });
    await letOthersRun();
  }
  return texts;
}

function hasText({ operation: { kind }, result, after }: PlannedFile): boolean {
  const isKept = kind !== 'trash' && kind !== 'remove' && after !== undefined;
  return isKept && ['note', 'canvas'].includes(fileKindOf(result.path));
}
