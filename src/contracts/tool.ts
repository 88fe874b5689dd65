// What a tool is: a name, its needs, its input, and one function from input to facts.
import type { ZodType } from 'zod';
import type { ErrorCode } from '../base/errors.ts';
import type { CapabilityName, Granted } from './capability.ts';
import type { Compute } from './compute.ts';
import type { ProbeLevel } from './provider.ts';
import type { StoreCache } from './session.ts';

/** A fact about an answer that its reader must know; state, so it stands on every answer it affects. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly count?: number;
}

export type WarningCode =
  | 'INDEX_PENDING'
  | 'STALE_UNKNOWN'
  | 'QUARANTINED'
  | 'TRUNCATED'
  | 'LINKS_BROKEN'
  | 'FILTER_MATCHES_NOTHING'
  | 'EXTRA_MISSING'
  | 'FAILOVER'
  | 'UNVERIFIED';

/** What an answer tells of how it came about, beside its data. Given several times, the parts add up. */
export interface AnswerNotes {
  /** The provider that answered. */
  readonly provider?: {
    readonly capability: 'embedding' | 'llm';
    readonly served_by: string;
    readonly model: string;
    readonly attempts: number;
    readonly retries?: readonly { readonly code: ErrorCode; readonly waited_ms: number }[];
  };
  /** The answer is another than was asked for, by an opt-in; its text begins with it. */
  readonly degraded?: {
    readonly from: string;
    readonly to: string;
    readonly reason_code: ErrorCode;
    /** The config key or the argument. */
    readonly opted_in_by: string;
  };
  /** Of the vectors that were asked. */
  readonly index?: {
    readonly generation: number;
    readonly embedded: number;
    readonly total: number;
    readonly chunks: number;
    readonly failed_chunks?: number;
  };
  /** Why it is a part only: `1200/2000 notes are embedded so far`. */
  readonly part?: string;
}

/** The server as seen by `status`: everything that is not in the store. */
export interface ServerReport {
  readonly version: string;
  readonly started_at: string;
  readonly vault: { readonly name: string; readonly access: string };
  readonly capabilities: {
    readonly present: readonly {
      readonly capability: string;
      readonly type: string;
      readonly ok: boolean;
      readonly detail: string;
      /** ISO; when it was probed. */
      readonly checked_at: string;
      readonly levels?: readonly ProbeLevel[];
      /** Of a provider with a model: where it runs, if not in this process. */
      readonly model?: string;
      readonly endpoint?: string;
      /** What its opt-ins do now: endpoints refused, a pull that failed, the breaker open. */
      readonly notes?: readonly string[];
    }[];
    readonly absent: readonly {
      readonly capability: string;
      readonly config_key: string;
      readonly tools: readonly string[];
      readonly types: readonly string[];
    }[];
  };
  /** Every host that text of notes or queries may go to, beside this process; empty when there is none. */
  readonly text_goes_to: readonly string[];
  readonly failures: readonly {
    readonly time: string;
    readonly tool: string;
    readonly code: ErrorCode;
    readonly error_id: string;
  }[];
  /** Counters and gauges that are not 0, `calls_total{search_text}`. */
  readonly counters: Readonly<Record<string, number>>;
  /** How long calls and requests took, in milliseconds; the quantiles are those of the last 256. */
  readonly timings?: readonly {
    readonly of: string;
    readonly count: number;
    readonly p50: number;
    readonly p95: number;
    readonly max: number;
  }[];
  /** How this start ended the changes that a kill had cut off, if there were any, and what kept it from that. */
  readonly recovery?: {
    readonly recovered: readonly { readonly change_id: string; readonly outcome: string }[];
    readonly error?: { readonly code: ErrorCode; readonly message: string };
  };
  /** How a server of this vault last ended by a bug, if one ever did. */
  readonly last_crash?: {
    readonly time: string;
    readonly version: string;
    readonly kind: string;
    readonly frames: readonly string[];
  };
}

export interface CallContext {
  /** Aborted by the client's cancel and by the call's deadline. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline; Infinity where there is none. */
  msLeft(): number;
  /** The name the client gave itself; empty where it gave none. */
  readonly client: string;
  /** Tells that the vault is being changed, and later that it was: a call that runs out of time then says so. */
  commits(committed: 'partial' | 'all'): void;
  /** Reaches the client only if it asked for progress; cheap to call often. */
  progress(done: number, total: number, message: string): void;
  warn(warning: Warning): void;
  tell(notes: AnswerNotes): void;
  /** Shared by all calls of the server. */
  readonly storeCache: StoreCache;
  /** For work too long for the main thread. */
  readonly compute: Compute;
  /** Probes every open provider, each under its limit. */
  report(): Promise<ServerReport>;
}

/** The part of a call that reading from the index needs. */
export type ReadContext = Pick<CallContext, 'signal' | 'storeCache'>;

export interface Tool<N extends CapabilityName, I, O extends object> {
  /** At most 24 characters: clients cut longer ones. */
  readonly name: string;
  /** For the model: what it answers, in one or two sentences. Every word is paid for in each session. */
  readonly summary: string;
  readonly effect: 'reads' | 'writes' | 'destroys';
  /** The gate. Touching a capability that is not named here does not compile. */
  readonly needs: readonly N[];
  /** Tools that answer something near to it with less; named to whoever calls it where it does not exist. */
  readonly instead?: readonly string[];
  /** `none` answers without an index · `part` from whatever is indexed · `whole` only from a finished first index. */
  readonly index: 'none' | 'part' | 'whole';
  /** The codes it may return beside those of the dispatcher. */
  readonly fails: readonly ErrorCode[];
  readonly input: ZodType<I>;
  /** Never catches, never renders, never sees MCP. A `BatchResult` is rendered as a batch. */
  run(input: I, granted: Granted<N>, call: CallContext): Promise<O>;
}

// biome-ignore lint/suspicious/noExplicitAny: the catalog holds tools of different needs and inputs side by side.
export type AnyTool = Tool<any, any, any>;

/** Gives a tool its inferred types and freezes it. */
export function defineTool<N extends CapabilityName, I, O extends object>(tool: Tool<N, I, O>): Tool<N, I, O> {
  return Object.freeze(tool);
}
