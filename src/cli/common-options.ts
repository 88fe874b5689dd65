// The options that all commands share.

export interface CommonOptions {
  readonly config?: string;
  readonly vault?: string;
  readonly dataDir?: string;
  readonly json?: boolean;
  /** Hides the progress of long tasks. */
  readonly quiet?: boolean;
}
