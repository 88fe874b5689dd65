// One of several vaults that a server answers from.
import type { NoteSigns } from '../../contracts/store.ts';
import type { Exposed } from '../dispatch/expose.ts';
import type { Caller, Outcome } from '../dispatch/run-tool.ts';

export type RunCall = (name: string, args: unknown, caller: Caller) => Promise<Outcome>;

/** A vault while it is open. */
export interface OpenVault {
  /** Runs a listed tool. */
  readonly run: RunCall;
  /** Runs one of the internal tools behind the other protocol methods. */
  readonly runMethod: RunCall;
  readonly noteSigns: NoteSigns;
}

/** A session sees a list of these; another session of the same process may see others. */
export interface VaultMember {
  readonly name: string;
  readonly access: 'read-only' | 'read-write';
  /** By the config alone, so that listing tools opens nothing. */
  readonly exposed: Exposed;
  /** Opens the vault if it is closed, and keeps it open while `work` runs. @throws why it cannot be opened; the reason of `signal` */
  use<T>(signal: AbortSignal, work: (vault: OpenVault) => Promise<T>): Promise<T>;
  /** Whether its folder has a file at this path, or with `.md`; opens nothing. */
  hasFile(path: string): Promise<boolean>;
}

export const namesOf = (members: readonly Pick<VaultMember, 'name'>[]): string[] => members.map(({ name }) => name);
