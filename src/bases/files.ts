// What expressions know of the files of a vault.
import type { FileKind, LinkKind, NotePath, Properties } from '../base/note.ts';
import type { CandidatesFor } from '../markdown/links/resolve-link.ts';

export interface BaseFile {
  readonly path: NotePath;
  readonly kind: FileKind;
  readonly sizeBytes: number;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
  readonly createdMs: number;
  /** Distinct, with `#`; none for attachments. */
  readonly tags: readonly string[];
  readonly properties: Properties;
}

export interface FileLink {
  readonly kind: LinkKind;
  readonly link: string;
  readonly display: string;
  readonly target: NotePath | null;
}

/** Every file of the vault, attachments included. */
export interface BaseFiles {
  readonly all: readonly BaseFile[];
  readonly candidatesFor: CandidatesFor;
  at(path: NotePath): BaseFile | undefined;
  linksOf(path: NotePath): readonly FileLink[];
  /** The files with a link to this one, ascending by path. */
  sourcesOf(path: NotePath): readonly NotePath[];
}
