// The options that every command takes.

export interface CommonOptions {
  readonly config?: string;
  readonly vault?: string;
  readonly dataDir?: string;
  readonly json?: boolean;
  /** No progress of long work. */
  readonly quiet?: boolean;
}
