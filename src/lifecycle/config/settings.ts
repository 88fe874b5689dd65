// Every value in force with where it came from, for `vaultgraph config`. Shows no secret.
import type { ZodType } from 'zod';
import type { ConfigDocument } from './config-document.ts';
import { holdsSecret, type KeyPath, schemaAt } from './schema-shape.ts';

export interface Setting {
  /** Dotted, as in the YAML. */
  readonly key: string;
  readonly value: unknown;
  /** `--vault`, `$OBSIDIAN_VAULT_PATH`, `config.yaml:3` or `default`. */
  readonly origin: string;
}

/** One row per single value or list of a validated section, in the order of its schema. */
export function settingsOf(schema: ZodType, value: unknown, path: KeyPath, document: ConfigDocument): Setting[] {
  return leavesOf(value, []).map(({ steps, leaf }) => ({
    key: [...path, ...steps].join('.'),
    value: holdsSecret(schemaAt(schema, steps)) ? '(secret)' : leaf,
    origin: originOf(document, [...path, ...steps]),
  }));
}

export function originOf(document: ConfigDocument, path: KeyPath): string {
  if (!document.has(path)) return 'default';
  const { file, line } = document.placeOf(path, 'key');
  return `${file}:${line}`;
}

function leavesOf(value: unknown, steps: KeyPath): { readonly steps: KeyPath; readonly leaf: unknown }[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ steps, leaf: value }];
  return Object.entries(value).flatMap(([key, child]) => leavesOf(child, [...steps, key]));
}
