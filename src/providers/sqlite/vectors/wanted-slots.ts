// Chooses how a vector search applies a filter: by the files of its candidates, or by a list of all files that pass.
import type { NoteFilter } from '../../../contracts/note-filter.ts';
import { hasFilter } from '../read/note-conditions.ts';
import type { PassingFiles } from '../read/passing-files.ts';
import type { CodeSlots } from './code-cache.ts';
import { type CodeQuery, selectCandidates } from './code-search.ts';

export interface WantedSlots {
  /** The number of slots whose file passes the filter; an estimate if most do. */
  readonly all: number;
  /** Selects at least `count` of them that may be nearest to the vector, or all. */
  readonly select: (near: Omit<CodeQuery, 'wanted'>, count: number) => readonly number[];
}

/** If at least this share of the vectors passes the filter, it is cheaper to check the files of the candidates than all files. */
const MIN_SHARE_TO_CHECK = 0.5;
/** As many more candidates are selected, because the share is an estimate. */
const MARGIN = 1.5;

export function wantedSlots(passingFiles: PassingFiles, slots: CodeSlots, filter: NoteFilter): WantedSlots {
  const among = (wanted: Uint8Array | undefined): WantedSlots['select'] => {
    return (near, count) => selectCandidates(slots, { ...near, wanted }, count);
  };
  const anywhere = among(undefined);
  if (!hasFilter(filter)) return { all: slots.used, select: anywhere };
  const sample = sampleOf(slots);
  const share = passing(slots, sample, filter, passingFiles.among).length / sample.length;
  if (share < MIN_SHARE_TO_CHECK) {
    const wanted = passingFiles.all(filter);
    return { all: usedBy(slots, wanted), select: among(wanted) };
  }
  const select: WantedSlots['select'] = (near, count) => {
    const found = passing(slots, anywhere(near, Math.ceil((count / share) * MARGIN)), filter, passingFiles.among);
    // Near this vector fewer files pass than elsewhere.
    return found.length >= count ? found : among(passingFiles.all(filter))(near, count);
  };
  return { all: slots.used * share, select };
}

const SAMPLE_SIZE = 64;

/** Used slots at even distances. */
function sampleOf({ files, end }: CodeSlots): number[] {
  const evenly = Array.from({ length: SAMPLE_SIZE }, (_, at) => Math.floor((at * end) / SAMPLE_SIZE));
  return evenly.filter((slot) => files[slot] !== 0);
}

/** Those of the slots whose file passes the filter. */
function passing(
  { files }: CodeSlots,
  slots: readonly number[],
  filter: NoteFilter,
  among: PassingFiles['among'],
): number[] {
  const isPassing = among([...new Set(slots.map((slot) => files[slot] as number))], filter);
  return slots.filter((slot) => isPassing(files[slot] as number));
}

function usedBy({ files, end }: CodeSlots, wanted: Uint8Array): number {
  let used = 0;
  for (let slot = 0; slot < end; slot++) used += wanted[files[slot] as number] ?? 0;
  return used;
}
