// The result of one doctor check: status, detail and hint.

export interface Finding {
  readonly status: 'ok' | 'warning' | 'failing';
  readonly detail: string;
  readonly hint: string;
}

export const ok = (detail: string): Finding => ({ status: 'ok', detail, hint: 'nothing to do' });
export const warning = (detail: string, hint: string): Finding => ({ status: 'warning', detail, hint });
export const failing = (detail: string, hint: string): Finding => ({ status: 'failing', detail, hint });

/** Examples that a finding names at most. */
export const SAMPLES = 5;
