// What a watcher of the system reports, with the library or with Node alone.

export interface NativeEvent {
  /** On disk, relative to the watched folder, `/` between folders; empty for the folder itself. */
  readonly path: string;
  /** Or it arrived, and is not watched if it is a folder. */
  readonly isGone: boolean;
}

export interface NativeWatch {
  close(): Promise<void>;
}

export interface NativeListener {
  /** No event follows. */
  readonly onEnd: (reason: string) => void;
  readonly onEvents: (events: readonly NativeEvent[]) => void;
}
