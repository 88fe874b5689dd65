// The hint of an error for the reader of the doctor's findings, who cannot be sent to the doctor.
import { commandLine } from '../../base/command-line.ts';
import type { ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { hintForUser } from '../perform.ts';

const INSTEAD: Readonly<Partial<Record<ErrorCode, string>>> = {
  PROVIDER_BAD_RESPONSE: 'Check the server that runs the model, and its log.',
};

export function hintWithinDoctor({ code, hint }: VaultgraphError): string {
  const leadsHere = hint.includes(`\`${commandLine('doctor')}\``);
  return leadsHere ? (INSTEAD[code] ?? 'The check of native modules says what to reinstall.') : hintForUser(hint);
}
