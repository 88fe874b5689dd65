// Describes the index that a tool answers from: before the tool runs, or after it for a tool that is about the index.
import type { Capabilities } from '../../contracts/capability.ts';
import type { IndexState } from '../../contracts/indexer.ts';
import type { Store } from '../../contracts/store.ts';
import type { AnyTool, CallContext } from '../../contracts/tool.ts';
import { type IndexView, viewOf } from '../render/index-view.ts';
import { readsIndex } from './tool-input.ts';

export interface IndexSources {
  readonly capabilities: Capabilities;
  /** How many changes of the vault are not finished, by this process or another one. */
  readonly unfinished?: () => Promise<number>;
  /** Says which change of a server with another state folder is not finished. */
  readonly foreignChange?: () => string | undefined;
}

/** Of a tool that needs the store. Made before the tool runs: changes during the run may be missing from the answer. */
export async function viewBefore(
  tool: AnyTool,
  input: unknown,
  state: IndexState | undefined,
  { capabilities: { store }, unfinished, foreignChange }: IndexSources,
  call: CallContext,
): Promise<IndexView | undefined> {
  if (state === undefined || !tool.needs.includes('store') || store === undefined) return undefined;
  const { folder }: { readonly folder?: string } = Object(input);
  const isPart = folder !== undefined && state.quarantined > 0;
  const quarantined = isPart ? await quarantinedIn(folder, store, call) : state.quarantined;
  const foreign = foreignChange?.();
  return viewOf(state, { unfinished: await unfinished?.(), foreign, takesFresh: readsIndex(tool), quarantined });
}

const MAX_QUARANTINED = 10_000;

async function quarantinedIn(folder: string, store: Store, { signal }: CallContext): Promise<number> {
  const within = `${folder.normalize('NFC').toLowerCase().replace(/\/+$/, '')}/`;
  const found = await store.quarantine({ limit: MAX_QUARANTINED, offset: 0 }, signal);
  return found.filter(({ path }) => path.toLowerCase().startsWith(within)).length;
}

/** Of a tool that reports on the index or changes it: the state after the run. */
export async function viewAfter(
  tool: AnyTool,
  { capabilities: { indexer }, unfinished, foreignChange }: IndexSources,
): Promise<IndexView | undefined> {
  const isAboutIndex = (!readsIndex(tool) || tool.effect !== 'reads') && tool.needs.includes('indexer');
  if (indexer === undefined || !isAboutIndex) return undefined;
  const foreign = foreignChange?.();
  return viewOf(indexer.state(), { unfinished: await unfinished?.(), foreign, takesFresh: readsIndex(tool) });
}
