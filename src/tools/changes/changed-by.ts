// Finds by whom a file was changed: the changes of tools that lead from the content before to the content after, or another program.
import { isSampled } from '../../base/content-hash.ts';
import type { FeedRecord, OwnChanges } from '../../contracts/feed.ts';
import type { ChangedFile, PastChange } from '../../contracts/writer.ts';

export interface ByTool {
  readonly tool: string;
  readonly change_id: string;
}

export const ANOTHER = 'another program';
/** The change log no longer goes back so far. */
export const UNKNOWN = 'unknown: older than the change log';

export type ChangedBy = ByTool | typeof ANOTHER | typeof UNKNOWN;

/** What a tool did to the file at a path. */
interface Step {
  readonly change: PastChange['change'];
  readonly before: string | null;
  readonly after: string | null;
}

/** A server may notice a change just before its own clock says that it was made. */
const SLACK_MS = 60_000;

/** By the paths of the files, newest first. */
export class ToolChanges {
  readonly #steps = new Map<string, Step[]>();
  readonly #completeSince: number;

  constructor({ changes, completeSince }: OwnChanges) {
    for (const { change } of changes) for (const file of change.files) this.#add(change, file);
    this.#completeSince = completeSince;
  }

  /** Oldest first, each once. */
  byOf(records: readonly FeedRecord[]): readonly ChangedBy[] {
    const changes = records.flatMap((record) => this.#byOfOne(record));
    return [...new Map(changes.map((by) => [typeof by === 'string' ? by : by.change_id, by])).values()];
  }

  #add(change: PastChange['change'], { kind, path, to, before, after }: ChangedFile): void {
    const put = (at: string, step: Step): void => void this.#steps.set(at, [...(this.#steps.get(at) ?? []), step]);
    if (kind === 'move' && to !== undefined) {
      put(to, { change, before, after });
      put(path, { change, before, after: null });
    } else put(path, { change, before, after: kind === 'trash' || kind === 'remove' ? null : after });
  }

  /** Backwards from the content after the change, as several may have been noticed as one. */
  #byOfOne(record: FeedRecord): ChangedBy[] {
    const { path, at, before, after, kind } = record;
    const move = this.#moveOf(record);
    if (move !== undefined) return [move];
    const steps = (this.#steps.get(path) ?? []).filter(({ change }) => Date.parse(change.time) <= at + SLACK_MS);
    const changes: ByTool[] = [];
    let hash = kind === 'deleted' ? null : after;
    let isReached = false;
    for (const step of steps) {
      if (step.after !== hash) continue;
      changes.unshift({ tool: step.change.tool, change_id: step.change.id });
      hash = step.before;
      isReached = hash === before || kind === 'created';
      if (isReached || hash === null) break;
    }
    if (isReached || (changes.length > 0 && before === null)) return changes;
    const writer = this.#completeSince <= at ? ANOTHER : UNKNOWN;
    return [writer, ...changes];
  }

  /** A move of an attachment, of which not all bytes need have been read, is known by both of its paths. */
  #moveOf({ kind, fileKind, path, from = path, at, after }: FeedRecord): ByTool | undefined {
    if (kind !== 'moved' || fileKind !== 'attachment' || (after !== null && !isSampled(after))) return undefined;
    const left = new Set((this.#steps.get(from) ?? []).map(({ change }) => change.id));
    const arrived = this.#steps.get(path) ?? [];
    const step = arrived.find(({ change }) => left.has(change.id) && Date.parse(change.time) <= at + SLACK_MS);
    return step && { tool: step.change.tool, change_id: step.change.id };
  }
}
