// Runs heavy pure work off the main thread.
import type { Block, Heading, Link, NotePath, ParsedNote, Position, PropertyChanges, Task } from '../base/note.ts';

/** By what nearly equal texts are found. */
export interface TextSketch {
  /** A signature of the runs of three words, compared number by number; null for a short text. */
  readonly runs: Uint32Array | null;
  /** The smallest hashes of the words, ascending. */
  readonly words: Uint32Array;
}

/** The rows of a `Graph`, without its paths. */
export interface ComputeRows {
  readonly offsets: Int32Array;
  readonly targets: Int32Array;
  readonly counts: Int32Array;
}

/** A term to look for in a text, and how much it counts. */
export interface ComputeTerm {
  readonly text: string;
  readonly kind: 'word' | 'phrase' | 'prefix';
  /** Other words that are found as this term. */
  readonly forms?: readonly string[];
}

/** A place in a text; `end` is the offset after it. */
export interface TextPlace extends Position {
  readonly end: number;
  readonly text: string;
}

export interface TextEdit {
  readonly op:
    | 'append'
    | 'prepend'
    | 'insert_after'
    | 'insert_before'
    | 'replace_section'
    | 'delete_section'
    | 'replace_text'
    | 'set_task';
  readonly target?: string | undefined;
  readonly text?: string | undefined;
  readonly create_heading?: boolean | undefined;
  readonly count?: number | undefined;
  readonly line?: number | undefined;
  readonly status?: string | undefined;
  readonly due?: string | undefined;
  readonly scheduled?: string | undefined;
  readonly start?: string | undefined;
  readonly priority?: 'highest' | 'high' | 'medium' | 'low' | 'lowest' | 'none' | undefined;
  readonly recurring?: 'tick_only' | undefined;
}

/** The day that `set_task` adds to tasks, and how; without `plugin` as the other tasks of the note have it. */
export interface ComputeTaskDates {
  readonly day: string;
  readonly plugin?: {
    readonly format: 'emoji' | 'dataview';
    readonly done: boolean;
    readonly cancelled: boolean;
    /** Only tasks with this text get dates; empty for all. */
    readonly filter: string;
  };
}

/** One file before and after; a path is null if the file does not exist then. */
export interface TextDifference {
  readonly from: string | null;
  readonly to: string | null;
  readonly before?: string;
  readonly after?: string;
}

/** Input and output of each job. Rows are copied to the thread, so the caller may continue to use them. */
export interface ComputeJobs {
  /** These parts of what the text holds. */
  outline: {
    input: { readonly path: NotePath; readonly text: string; readonly parts: readonly (keyof ParsedNote)[] };
    output: Partial<ParsedNote>;
  };
  /** The lines of the part that a reference names. @throws NOTE_PART_NOT_FOUND, NOTE_PART_AMBIGUOUS */
  locate: {
    input: {
      readonly path: NotePath;
      readonly text: string;
      readonly part: { readonly kind: 'subpath'; readonly subpath: string };
      readonly argument: string;
    };
    output: { readonly line: number; readonly endLine: number };
  };
  /** A page of the headings or links on some lines, how many these have, and the number of the first one among all of the text. */
  rows_within: {
    input: {
      readonly path: NotePath;
      readonly text: string;
      readonly of: 'headings' | 'links';
      readonly span: { readonly line: number; readonly endLine: number };
      readonly from: number;
      readonly limit: number;
    };
    output: { readonly rows: readonly (Heading | Link)[]; readonly total: number; readonly first: number };
  };
  /**
   * The best excerpt of each text, or of the given lines of it; `missing`: the terms that neither it nor its title has; `page`: of the
   * excerpt in a text with pages.
   */
  snippets: {
    input: {
      readonly hits: readonly {
        readonly title: string;
        readonly text: string;
        readonly lines?: readonly [number, number];
        readonly isPaged?: boolean;
      }[];
      readonly terms: readonly (ComputeTerm & { readonly weight?: number })[];
      readonly maxChars: number;
    };
    output: readonly {
      readonly lines: readonly [number, number];
      readonly snippet: string;
      readonly missing?: readonly string[];
      readonly page?: number;
    }[];
  };
  /** For each text the offsets of its first `limit` passages of about `tokens`, those with the most terms first. */
  passages: {
    input: readonly {
      readonly title: string;
      readonly text: string;
      readonly within: readonly [from: number, to: number];
      readonly terms: readonly (ComputeTerm & { readonly weight: number })[];
      readonly tokens: number;
      readonly limit: number;
      readonly isPaged?: boolean;
    }[];
    output: readonly (readonly (readonly [from: number, to: number])[])[];
  };
  /** The edited text. @throws what `edit_note` refuses */
  edit: {
    input: {
      readonly path: string;
      readonly text: string;
      readonly edits: readonly TextEdit[];
      readonly taskDates?: ComputeTaskDates | undefined;
    };
    output: string;
  };
  /** The text with changed properties. @throws what `set_properties` refuses */
  properties: {
    input: { readonly path: string; readonly text: string; readonly changes: PropertyChanges };
    output: { readonly text: string; readonly notices: readonly string[] };
  };
  /** The text of a file with a renamed tag, and the spellings of the tag that stay. @throws if a list of tags cannot be changed */
  rename_tag: {
    input: {
      readonly path: string;
      readonly text: string;
      readonly rename: { readonly from: string; readonly to: string; readonly nested: boolean };
    };
    output: {
      readonly text: string;
      readonly renamed: readonly { readonly tag: string; readonly line: number }[];
      readonly reason?: string;
      readonly spellings: readonly { readonly line: number; readonly text: string }[];
    };
  };
  /**
   * The text of a note with others appended, and what links to their parts become, by note and part; a part that is absent keeps its
   * name. @throws as `edit`
   */
  merge: {
    input: {
      readonly path: string;
      readonly text: string;
      readonly sources: readonly { readonly path: string; readonly title: string; readonly text: string }[];
      readonly subpaths: readonly { readonly target: string; readonly subpath: string }[];
    };
    output:
      | { readonly fault: { readonly path: string; readonly reason: string } }
      | {
          readonly text: string;
          readonly renamed: readonly { readonly path: string; readonly block: string; readonly to: string }[];
          readonly labels: readonly { readonly path: string; readonly label: string; readonly to: string }[];
          readonly subpaths: readonly ({ readonly subpath: string; readonly inexact?: true } | undefined)[];
        };
  };
  /** The text with every occurrence replaced outside protected parts, or the argument that cannot be used. */
  replace: {
    input: {
      readonly path: string;
      readonly text: string;
      readonly find: string;
      readonly replace: string;
      readonly regex: boolean;
      readonly parts: readonly ('code' | 'properties' | 'links')[];
    };
    output:
      | { readonly argument: 'find' | 'replace'; readonly rule: string }
      | {
          readonly text: string;
          readonly count: number;
          readonly leftAlone: Readonly<Record<'code' | 'properties' | 'links', number>>;
          readonly links: readonly { readonly line: number; readonly before: string; readonly after: string | null }[];
          readonly lostLabels: readonly { readonly line: number; readonly label: string }[];
          readonly halves: readonly { readonly line: number; readonly label: string }[];
          readonly renamesParts: boolean;
          readonly fault?: string;
        };
  };
  /** The first line that differs from a text only in characters that look the same. */
  lookalike: {
    input: { readonly text: string; readonly wanted: string };
    output: { readonly line: number; readonly text: string; readonly differs_in: readonly string[] } | undefined;
  };
  /** Which of the parts a text loses, by their place in the list. */
  lost_parts: {
    input: { readonly before: string; readonly after: string; readonly subpaths: readonly string[] };
    output: readonly number[];
  };
  /** The links, headings and blocks of a text, and which links and names another text of the file did not have. */
  compare_texts: {
    input: { readonly path: string; readonly before?: string | undefined; readonly after: string };
    output: {
      readonly links: readonly (Pick<Link, 'kind' | 'link' | 'line'> & {
        readonly subpath: string;
        readonly isNew: boolean;
      })[];
      readonly names: readonly string[];
      readonly aliases: readonly string[];
      readonly title?: string;
      readonly headings: readonly Heading[];
      readonly blocks: readonly Block[];
      /** What Obsidian ignores in its properties, and did not have to ignore in the other text. */
      readonly notices: readonly string[];
    };
  };
  /** The text of a file with other parts in some of its links; `failed`: the links that could not be changed. */
  subpaths: {
    input: {
      readonly path: string;
      readonly text: string;
      readonly changes: readonly { readonly index: number; readonly subpath: string }[];
    };
    output: { readonly text: string; readonly failed: readonly number[] };
  };
  /** A unified diff of at most `longest` characters; `cut` counts the files that are missing or incomplete. */
  diff: {
    input: { readonly files: readonly TextDifference[]; readonly longest: number };
    output: { readonly diff: string; readonly cut: number };
  };
  /** Places of the names that are not links; the first `skip` are left out. */
  mentions: {
    input: {
      readonly text: string;
      readonly names: readonly string[];
      readonly skip: number;
      readonly limit: number;
      readonly maxSentence: number;
    };
    output: {
      readonly mentions: readonly (TextPlace & { readonly sentence: string })[];
      readonly hasMore: boolean;
    };
  };
  /** The first place of each name that the text mentions, with the names that are spelled like it. */
  names: {
    input: { readonly text: string; readonly names: readonly string[] };
    output: readonly { readonly place: TextPlace; readonly names: readonly string[] }[];
  };
  /** The sketch of each text, to find nearly equal ones, and the hashes of its first lines with words, each once. */
  sketches: {
    input: { readonly texts: readonly string[] };
    output: readonly { readonly whole: TextSketch; readonly lines: Uint32Array }[];
  };
  /** The sketch of each text without the lines of these hashes. */
  ownSketches: {
    input: { readonly texts: readonly string[]; readonly common: readonly number[] };
    output: readonly TextSketch[];
  };
  /** The tasks of a note. */
  tasks: { input: { readonly text: string }; output: readonly Task[] };
  /** The first `limit` sections of a part of a note, of at most `maxTokens` each; `end`: the offset after the section. */
  sections: {
    input: {
      readonly title: string;
      readonly text: string;
      readonly from: number;
      readonly to: number;
      readonly firstLine: number;
      readonly maxTokens: number;
      readonly limit: number;
    };
    output: readonly { readonly text: string; readonly end: number }[];
  };
  /** The lines of the chunk of each note with the most terms. */
  chunks: {
    input: {
      readonly notes: readonly { readonly title: string; readonly text: string }[];
      readonly terms: readonly ComputeTerm[];
    };
    output: readonly (readonly [number, number] | undefined)[];
  };
  /** The first place of each quote between two offsets, and how many there are. */
  quotes: {
    input: {
      readonly text: string;
      readonly from: number;
      readonly to: number;
      readonly quotes: readonly string[];
    };
    output: readonly (
      | {
          readonly text: string;
          readonly from: number;
          readonly lines: readonly [number, number];
          readonly column: number;
          readonly count: number;
        }
      | undefined
    )[];
  };
  /** Edits that turn words into links; `target` is the index of the target. */
  insert: {
    input: {
      readonly text: string;
      readonly from: number;
      readonly to: number;
      readonly targets: readonly {
        readonly path: string;
        readonly spelling: string | undefined;
        readonly words: TextPlace | string;
      }[];
      readonly maxSentence: number;
    };
    output: {
      readonly inserted: readonly {
        readonly target: number;
        readonly line: number;
        readonly column: number;
        readonly offset: number;
        readonly text: string;
        readonly sentence: string;
        readonly link: string;
        readonly edit: {
          readonly op: 'replace_text';
          readonly target: string;
          readonly text: string;
          readonly count: 1;
        };
      }[];
      readonly invented: number;
      readonly unwritable: number;
    };
  };
  /** How the text of one file changes when files move; undefined if nothing in it leads to one of them. */
  follow: {
    input: {
      readonly path: NotePath;
      readonly bytes: Uint8Array;
      readonly earlier: Uint8Array | undefined;
      readonly isLinking: boolean;
      readonly moved: ReadonlyMap<NotePath, NotePath>;
      readonly paths: readonly NotePath[];
      readonly existing: readonly NotePath[];
    };
    output:
      | {
          readonly parts: readonly {
            readonly index: number;
            readonly line: number;
            readonly target: NotePath;
            readonly subpath: string;
          }[];
          readonly file: {
            readonly path: NotePath;
            readonly etag: string;
            readonly changed?: {
              readonly before: string;
              readonly after: string;
              readonly bytes: Uint8Array;
              readonly lines: readonly number[];
            };
          };
          readonly broken: readonly { readonly path: string; readonly line: number; readonly reason: string }[];
          readonly unparsed: readonly { readonly path: string; readonly line: number; readonly text: string }[];
        }
      | undefined;
  };
  /** One score per node; they add up to 1. */
  pagerank: { input: ComputeRows; output: Float64Array };
  /** One score per node. `sampled` is the number of start nodes if the scores are estimated from a sample; undefined if they are exact. */
  betweenness: {
    input: ComputeRows;
    output: { readonly scores: Float64Array; readonly sampled: number | undefined };
  };
  /** The community of each node, numbered from 0 with the largest first, and the size of each community. */
  communities: {
    input: ComputeRows;
    output: { readonly communityOf: Int32Array; readonly sizes: Int32Array; readonly modularity: number };
  };
}

export interface Compute {
  /** An abort ends the work itself and rejects with the signal's reason. */
  run<J extends keyof ComputeJobs>(
    job: J,
    input: ComputeJobs[J]['input'],
    signal: AbortSignal,
  ): Promise<ComputeJobs[J]['output']>;
}
