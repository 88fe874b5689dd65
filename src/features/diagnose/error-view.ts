// An error as data inside an answer.
import type { VaultgraphError } from '../../base/errors.ts';

export interface ErrorView {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
}

export function errorView({ code, message, hint, retryable }: VaultgraphError): ErrorView {
  return { code, message, hint, retryable };
}
