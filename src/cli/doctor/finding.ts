// The result of one doctor check: status, detail and hint.
import { commandLine } from '../../base/command-line.ts';
import type { ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { hintForUser } from '../perform.ts';

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

// The hint of an error for the reader of the doctor's findings, who cannot be sent to the doctor.

const INSTEAD: Readonly<Partial<Record<ErrorCode, string>>> = {
  PROVIDER_BAD_RESPONSE: 'Check the server that runs the model, and its log.',
};

export function hintWithinDoctor({ code, hint }: VaultgraphError): string {
  const leadsHere = hint.includes(`\`${commandLine('doctor')}\``);
  return leadsHere ? (INSTEAD[code] ?? 'The check of native modules says what to reinstall.') : hintForUser(hint);
}
