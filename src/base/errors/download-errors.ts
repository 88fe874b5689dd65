// Errors of `vaultgraph models`, which downloads and installs models.
import { entry, grouped } from './error-entry.ts';

export const DOWNLOAD_ERRORS = {
  DOWNLOAD_FAILED: entry<{ host: string; file: string; reason: string; kept_bytes?: number }>({
    category: 'provider',
    retry: 'D',
    http: 502,
    retryAfterMs: 5_000,
    message: ({ host, file, reason }) => `${file} was not downloaded from ${host}: ${reason}`,
    hint: ({ kept_bytes: kept = 0 }) =>
      kept > 0
        ? `${grouped(kept)} bytes are kept: run the same command again to continue.`
        : 'Check the connection, the address of the hub (--hub) and the revision; then run the command again.',
  }),
  DOWNLOAD_MISMATCH: entry<{
    host: string;
    file: string;
    what: 'bytes' | 'SHA-256';
    expected: string | number;
    received: string | number;
  }>({
    category: 'provider',
    retry: 'U',
    http: 422,
    message: ({ host, file, what, expected, received }) =>
      what === 'bytes'
        ? `${file} from ${host} has ${received} bytes, not ${expected}; nothing was installed`
        : `${file} from ${host} has the SHA-256 ${received}, not ${expected}; nothing was installed`,
    hint: () => 'Check --sha256 and --revision. If they are right, do not use this file: it is not the expected one.',
  }),
  MODEL_INVALID: entry<{ name: string; reason: string }>({
    category: 'capability',
    retry: 'U',
    http: 422,
    message: ({ name, reason }) => `${name} is not a model2vec model: ${reason}; nothing was installed`,
    hint: () => 'A model is a folder with model.safetensors, tokenizer.json and config.json that belong together.',
  }),
};
