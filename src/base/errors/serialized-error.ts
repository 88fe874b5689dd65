// A `VaultgraphError` as sent between threads: a structured clone does not keep its class.
import {
  type Choices,
  type DetailsOf,
  type ErrorCode,
  type Retry,
  toVaultgraphError,
  VaultgraphError,
} from '../errors.ts';

export interface SerializedError {
  readonly code: ErrorCode;
  readonly details: object;
  readonly retry?: Retry;
  readonly choices?: Choices;
}

/** INTERNAL for anything but a `VaultgraphError`. */
export function serializeError(thrown: unknown): SerializedError {
  const { code, details, retry, choices } = toVaultgraphError(thrown);
  return { code, details, retry, ...(choices && { choices }) };
}

export function deserializeError({ code, details, ...options }: SerializedError): VaultgraphError {
  return new VaultgraphError<ErrorCode>(code, details as DetailsOf<ErrorCode>, options);
}
