// Puts environment variables in the place of `${NAME}`, in secrets and nowhere else.
import type { ZodType } from 'zod';
import { isMap } from './issue-faults.ts';
import { holdsSecret, type KeyPath, schemaAt } from './schema-shape.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface SecretFault {
  readonly path: KeyPath;
  /** The environment variable that is not set. */
  readonly variable: string;
}

/** The value with every variable of its secrets filled in; `refuse` hears of each that is not set. */
export function expandSecrets(
  schema: ZodType,
  value: unknown,
  env: Environment,
  refuse: (fault: SecretFault) => void,
  path: KeyPath = [],
): unknown {
  const inner = (child: unknown, step: string | number) => expandSecrets(schema, child, env, refuse, [...path, step]);
  if (Array.isArray(value)) return value.map(inner);
  if (isMap(value)) return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, inner(child, key)]));
  if (typeof value !== 'string' || !holdsSecret(schemaAt(schema, path))) return value;
  return value.replace(/\$\{([^}]*)\}/g, (written, name: string) => {
    if (env[name]) return env[name];
    refuse({ path, variable: name });
    return written;
  });
}
