// A tool: a name, the capabilities it needs, its input, and a function from input to result.
import * as z from 'zod';
import type { ErrorCode } from '../base/errors.ts';
import type { CapabilityName, Granted } from './capability.ts';
import type { Compute } from './compute.ts';
import type { ProbeLevel } from './provider.ts';
import type { StoreCache, WriteSession } from './session.ts';

/** A fact that the reader of an answer has to know; repeated on every answer that it affects. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly count?: number;
}

export type WarningCode =
  | 'INDEX_PENDING'
  | 'INDEX_DAMAGED'
  | 'STALE_UNKNOWN'
  | 'QUARANTINED'
  | 'CHANGE_UNFINISHED'
  | 'TRUNCATED'
  | 'LINKS_BROKEN'
  | 'LINKS_UNRESOLVED'
  | 'PROPERTIES_IGNORED'
  | 'TEXT_DIFFERS'
  | 'FILTER_MATCHES_NOTHING'
  | 'FILTER_FAILED'
  | 'TAKEN_LITERALLY'
  | 'WORDS_CANNOT_MATCH'
  | 'WORDS_UNKNOWN_TO_MODEL'
  | 'EXTRA_MISSING'
  | 'DIFFERS_HERE'
  | 'FAILOVER'
  | 'VAULT_MISSING'
  | 'UNVERIFIED';

export interface AnsweringProvider {
  readonly capability: 'embedding' | 'llm' | 'rerank';
  readonly served_by: string;
  readonly model: string;
  readonly attempts: number;
  readonly retries?: readonly { readonly code: ErrorCode; readonly waited_ms: number }[];
}

/** How an answer came about, beside its data. Several of them are merged. */
export interface AnswerNotes {
  /** The provider that answered. */
  readonly provider?: AnsweringProvider;
  /** The provider that reordered the hits. */
  readonly reranker?: AnsweringProvider;
  /** The answer is of a lower quality than requested, which the user opted in to; its text begins with a note of it. */
  readonly degraded?: {
    readonly from: string;
    readonly to: string;
    readonly reason_code: ErrorCode;
    /** The config key or the argument. */
    readonly opted_in_by: string;
  };
  /** The vectors that were searched. */
  readonly index?: {
    readonly generation: number;
    readonly embedded: number;
    readonly total: number;
    readonly chunks: number;
    readonly failed_chunks?: number;
  };
  /** Why the answer is only a part, such as `1200/2000 notes are embedded so far`. */
  readonly part?: string;
}

/** What `status` shows of the server, without the store. */
export interface ServerReport {
  readonly version: string;
  readonly started_at: string;
  readonly vault: {
    readonly name: string;
    readonly access: string;
    /** If it is not Obsidian's, and what shows it. */
    readonly dialect?: string;
    readonly recognized_by?: string;
  };
  /** The folder of the change log, and what keeps it from being written; only of a vault that may be written. */
  readonly state_folder?: { readonly path: string; readonly errno?: string };
  readonly capabilities: {
    readonly present: readonly {
      readonly capability: string;
      readonly type: string;
      readonly ok: boolean;
      readonly detail: string;
      /** ISO time of the probe. */
      readonly checked_at: string;
      readonly levels?: readonly ProbeLevel[];
      /** Only of a provider with a model; `endpoint` is absent if it runs in this process. */
      readonly model?: string;
      readonly endpoint?: string;
      /** The state of its optional features: refused endpoints, a failed download, an open circuit breaker. */
      readonly notes?: readonly string[];
    }[];
    readonly absent: readonly {
      readonly capability: string;
      readonly config_key: string;
      readonly tools: readonly string[];
      readonly types: readonly string[];
    }[];
  };
  /** Every host that text of notes or queries may be sent to; empty if it stays in this process. */
  readonly text_goes_to: readonly string[];
  readonly failures: readonly {
    readonly time: string;
    readonly tool: string;
    readonly code: ErrorCode;
    readonly error_id: string;
  }[];
  /** Counters and gauges that are not 0, by names such as `calls_total{search_text}`. */
  readonly counters: Readonly<Record<string, number>>;
  /** Durations of calls and requests in milliseconds; the quantiles are of the last 256. */
  readonly timings?: readonly {
    readonly of: string;
    readonly count: number;
    readonly p50: number;
    readonly p95: number;
    readonly max: number;
  }[];
  /** How this server completed or reverted changes that a crash had interrupted, and the error if it could not. */
  readonly recovery?: {
    readonly recovered: readonly {
      readonly change_id: string;
      readonly outcome: string;
      readonly kept?: readonly string[];
    }[];
    /** Ids of changes that a process is writing now, or that a crash interrupted. */
    readonly unfinished?: readonly string[];
    readonly error?: { readonly code: ErrorCode; readonly message: string };
  };
  /** The last crash of a server of this vault, if there was one. */
  readonly last_crash?: {
    readonly time: string;
    readonly version: string;
    readonly kind: string;
    readonly frames: readonly string[];
  };
}

export interface Image {
  readonly path: string;
  /** Its MIME type. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A file that an answer shows only the name of; clients can read it as a resource. */
export interface FileLink {
  readonly path: string;
  readonly size: number;
}

/** What the user did with a question: answered it, closed it, or neither in time. */
export type Consent = 'approved' | 'declined' | 'cancelled' | 'no_answer' | 'not_asked';

export interface CallContext {
  /** Aborted by the client's cancel and by the call's deadline. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline; Infinity without one. */
  msLeft(): number;
  /** The name that the client gave itself; empty if it gave none. */
  readonly client: string;
  /** Names the session of the client, of which undo_change takes back changes; empty for a command. */
  readonly session: string;
  /** Records that the vault may be changed by now, and later that it is, for the error of a call that is cut off. Never before it is true. */
  commits(committed: 'partial' | 'all'): void;
  /** Sent to the client only if it asked for progress; cheap to call often. */
  progress(done: number, total: number, message: string): void;
  warn(warning: Warning): void;
  annotate(notes: AnswerNotes): void;
  /** Adds the image to the answer. @throws LIMIT_EXCEEDED if all images of the call are larger than `limits.image` together */
  showImage(image: Image): void;
  /** Adds a link to the file to the answer: each file once, and of many the first ones. */
  linkFile(file: FileLink): void;
  /** Shared by all calls of the server. */
  readonly storeCache: StoreCache;
  readonly writes: WriteSession;
  /** For work that would block the main thread. */
  readonly compute: Compute;
  /** Probes every open provider, each within its time limit. */
  report(): Promise<ServerReport>;
  /** Asks the user to approve a change; the wait does not count as time of the call. Only if the config asks for it and the client can. */
  readonly consent?: (question: string) => Promise<Consent>;
}

/** The part of a call that reading from the index needs. */
export type ReadContext = Pick<CallContext, 'signal' | 'storeCache'>;

/**
 * A tool that clients call; `defineTool` makes one.
 * @example
 * export const countNotes = defineTool({
 *   name: 'count_notes',
 *   title: 'Count notes',
 *   summary: 'Returns how many notes the vault has.',
 *   effect: 'reads',
 *   needs: ['store'],
 *   index: 'whole',
 *   fails: [],
 *   input: z.strictObject({}),
 *   run: async (_, { store }, { signal }) => ({ notes: (await store.counts(signal)).notes }),
 * });
 */
export interface Tool<N extends CapabilityName, I, O extends object> {
  /** At most 24 characters: some clients cut longer names. */
  readonly name: string;
  /** For people, in at most four words. */
  readonly title: string;
  /** For the model: what the tool answers and returns. Every word costs tokens in each session. */
  readonly summary: string;
  /** For which wishes another tool is better, by its name; a description names those that are listed. */
  readonly others?: Readonly<Record<string, string>>;
  /** One call, for tools with filters or edits. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Words in which people ask for it, for clients that search among the tools of many servers. */
  readonly words?: string;
  /** Whether answers may be longer than clients usually let through. */
  readonly long?: true;
  /** What a call may do to the notes or the index, for the annotations; whether the tool is listed depends on `needs` only. */
  readonly effect: 'reads' | 'writes' | 'destroys';
  /** The tool is listed only if all of these are configured. Using a capability that is not listed here does not compile. */
  readonly needs: readonly N[];
  /** Similar tools with fewer needs; suggested if this tool is called but not listed. */
  readonly instead?: readonly string[];
  /** `none` needs no index · `part` answers from what is indexed so far · `whole` needs a complete first index. */
  readonly index: 'none' | 'part' | 'whole';
  /** The error codes of the tool, beside those of the dispatcher. */
  readonly fails: readonly ErrorCode[];
  readonly input: z.ZodType<I>;
  /** The arguments that name notes: of several vaults, a reference may begin with the name of one. */
  readonly references?: readonly string[];
  /** The argument whose items are answered one by one, so that they may be of several vaults. */
  readonly items?: string;
  /**
   * The ranked lists of the answer, which are merged if several vaults answer together; if it is empty, their answers stand side by
   * side. Without it, a call is about one vault.
   */
  readonly across?: readonly string[];
  /** Says the answer in fewer tokens, with the same facts. Callers within the program get the answer as it is. */
  readonly brief?: (answer: never) => object;
  /**
   * The text of an answer that reads better otherwise than member by member; it is given the answer, and has every fact of it.
   * @param render writes a value member by member
   */
  readonly show?: (answer: never, render: (value: object) => string) => string;
  /** Throws its errors, and returns plain data; a `BatchResult` is rendered as a batch. */
  run(input: I, granted: Granted<N>, call: CallContext): Promise<O>;
}

/** The key of zod metadata with the JSON Schema that clients are shown instead of the accepted one. */
export const LISTED_AS = 'listedAs';

/** Metadata of an argument that takes more forms than one schema without unions, which all model APIs accept, can say. */
export function listedAs(form: z.ZodType): Readonly<Record<typeof LISTED_AS, object>> {
  return { [LISTED_AS]: z.toJSONSchema(form, { io: 'input' }) };
}

// biome-ignore lint/suspicious/noExplicitAny: the catalog holds tools of different inputs side by side.
export type AnyTool = Tool<CapabilityName, any, any>;

/** Infers the types of a tool and freezes it. */
export function defineTool<N extends CapabilityName, I, O extends object>(tool: Tool<N, I, O>): Tool<N, I, O> {
  return Object.freeze(tool);
}
