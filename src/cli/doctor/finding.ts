// What a check of `vaultgraph doctor` found, and what to do about it.

export interface Finding {
  readonly status: 'ok' | 'warning' | 'failing';
  readonly detail: string;
  readonly hint: string;
}

export const ok = (detail: string): Finding => ({ status: 'ok', detail, hint: 'nothing to do' });
export const warning = (detail: string, hint: string): Finding => ({ status: 'warning', detail, hint });
export const failing = (detail: string, hint: string): Finding => ({ status: 'failing', detail, hint });

/** Nobody cancels a check. */
export const NEVER = new AbortController().signal;
/** How many of a kind a finding names. */
export const SAMPLES = 5;
