// What the page asks for, wherever it comes from.
import type { GraphPicture } from '../../contracts/graph-picture.ts';

export interface IndexProgress {
  readonly revision: number;
  /** Whether there is a whole index, which may be behind the vault. */
  readonly complete: boolean;
  /** While notes are read: how many of those that have to be. */
  readonly building?: { readonly done: number; readonly total: number };
}

export interface NoteLink {
  readonly path: string;
  readonly title: string;
  readonly direction: 'in' | 'out';
  /** What the link stands in, once a link; empty where that is not known. */
  readonly sentences: readonly string[];
}

export interface NoteFacts {
  readonly path: string;
  /** Undefined where the page has no text of it. */
  readonly text?: string;
  /** Where the links of the text lead, by what is written in them; null for nowhere. */
  readonly targets: ReadonlyMap<string, string | null>;
  readonly links: readonly NoteLink[];
  /** Of how many: the first hundred notes are told. */
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

export interface GraphSource {
  /** @throws PageError */
  graph(): Promise<GraphPicture>;
  /** Undefined where nothing ever changes. @throws PageError */
  progress(): Promise<IndexProgress> | undefined;
  /** @throws PageError */
  note(path: string): Promise<NoteFacts>;
  /** @throws PageError */
  related(path: string): Promise<readonly RelatedNote[]>;
  /** Empty where texts are not known. @throws PageError */
  searchText(query: string): Promise<readonly FoundNote[]>;
  /** The shortest chains of paths. @throws PageError */
  chains(from: string, to: string): Promise<readonly (readonly string[])[]>;
  /** Places that were found before, two numbers a note. */
  readonly places?: readonly number[];
}
