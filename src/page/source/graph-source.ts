// The data source of the page: a server or the data embedded in an exported page.
import type { GraphPicture } from '../../contracts/graph-picture.ts';

/** Whether this file is one is decided where the vault is read: the page meets no others with these endings. */
export const NOTE_ENDING = /\.(?:md|markdown|mdx|qmd|rmd|mdown|mkd|txt)$/i;

export interface IndexProgress {
  readonly revision: number;
  /** Whether the index is complete; it may be older than the vault. */
  readonly complete: boolean;
  /** Progress while notes are being indexed. */
  readonly building?: { readonly done: number; readonly total: number };
}

export interface NoteLink {
  readonly path: string;
  readonly title: string;
  readonly direction: 'in' | 'out';
  /** The sentence of each link; empty if unknown. */
  readonly sentences: readonly string[];
}

export interface NoteText {
  /** Undefined if the page does not have the text. */
  readonly text?: string;
  /** Characters of the whole text, if `text` is cut. */
  readonly wholeLength?: number;
  /** The targets of the note's links, by their written form; null for an unresolved link. */
  readonly targets: ReadonlyMap<string, string | null>;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface NoteLinks {
  readonly links: readonly NoteLink[];
  /** Total number; only the first hundred notes are listed. */
  readonly linkTotal: number;
  readonly unresolved: readonly string[];
}

export interface RelatedNote {
  readonly path: string;
  readonly why: string;
}

export interface FoundNote {
  readonly path: string;
  readonly title: string;
  readonly snippet: string;
}

/** What a period did to one file. */
export interface NoteChange {
  readonly change: 'created' | 'edited' | 'moved' | 'deleted' | 'restored' | 'created_and_deleted';
  readonly path: string;
  /** Its path before. */
  readonly from?: string;
  readonly title: string;
  /** The kind of the file, if it is not a note. */
  readonly kind?: string;
  /** When the last change was noticed. */
  readonly noticed: string;
  readonly changes?: number;
  readonly added?: number;
  readonly removed?: number;
  readonly sections?: readonly { readonly heading: string; readonly added: number; readonly removed: number }[];
  readonly more_sections?: number;
  readonly linked_from?: readonly string[] | 'unknown';
  readonly links_from_notes?: number;
  /** Oldest first. */
  readonly by?: readonly (string | { readonly tool: string })[];
  readonly more_by?: number;
}

export interface ChangesQuery {
  readonly since: string;
  readonly folder?: string | undefined;
  readonly tag?: string | undefined;
  readonly cursor?: string | undefined;
}

export interface Changes {
  /** Newest first. */
  readonly changes: readonly NoteChange[];
  readonly total: number;
  /** The time from which on changes are known; null before the first scan has ended. */
  readonly known_since: string | null;
  readonly next_cursor?: string;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

export interface GraphSource {
  /** @throws PageError */
  graph(): Promise<GraphPicture>;
  /** Undefined if the data never changes. @throws PageError */
  progress(): Promise<IndexProgress> | undefined;
  /** @param maxLength in characters; by default as much as the page shows of a note. @throws PageError */
  text(path: string, maxLength?: number): Promise<NoteText>;
  /** @throws PageError */
  links(path: string): Promise<NoteLinks>;
  /** Where the page gets a file of the vault; undefined if it has none. */
  fileAddress(path: string): string | undefined;
  /** @throws PageError */
  related(path: string): Promise<readonly RelatedNote[]>;
  /** Empty if the page has no texts. @throws PageError */
  searchText(query: string): Promise<readonly FoundNote[]>;
  /** @throws PageError if no changes are recorded */
  changes(query: ChangesQuery): Promise<Changes>;
  /** Three numbers per note of the graph of that revision: x, y and the number of linked notes then; null for a new note. Empty if there are none. */
  keptPlaces(revision: number): Promise<readonly (number | null)[]>;
  /** Keeps such rows for the next time. */
  keepPlaces(revision: number, rows: readonly number[]): Promise<void>;
  /** Positions computed before, two numbers per note. */
  readonly places?: readonly number[];
}

export interface PageFault {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** Carries the message and hint of a vault error to the page. */
export class PageError extends Error {
  readonly fault: PageFault;

  constructor(fault: PageFault) {
    super(`${fault.code}: ${fault.message}`);
    this.fault = fault;
  }
}

export function faultOf(thrown: unknown): PageFault {
  if (thrown instanceof PageError) return thrown.fault;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'INTERNAL', message, hint: 'Reload the page. If the error stays, please report it.' };
}
