// Holds one section of the config against its schema.
import type { ZodType } from 'zod';
import type { ConfigFault } from '../../base/errors.ts';
import { issueFaults, type SectionSource } from './issue-faults.ts';
import { type Environment, expandSecrets } from './secret-values.ts';

/** The valid section with its defaults, or every fault in it; a section with faults has no value. */
export type SectionResult<T> =
  | { readonly value: T; readonly faults: readonly [] }
  | { readonly value: undefined; readonly faults: readonly ConfigFault[] };

export function readSection<T>(schema: ZodType<T>, source: SectionSource, env: Environment): SectionResult<T> {
  const faults: ConfigFault[] = [];
  const data = expandSecrets(schema, source.data, env, ({ path, variable }) => {
    const whole = [...source.path, ...path];
    const key = whole.join('.');
    const what = `\`${key}\` needs the environment variable \`${variable}\`, which is not set`;
    faults.push({ ...source.document.placeOf(whole, 'value'), key, what });
  });
  const parsed = schema.safeParse(data);
  if (!parsed.success) faults.push(...parsed.error.issues.flatMap((issue) => issueFaults(issue, schema, source)));
  return parsed.success && faults.length === 0 ? { value: parsed.data, faults: [] } : { value: undefined, faults };
}

/** A map without some of its keys; whatever is no map stays for its schema to refuse. */
export function without(data: unknown, taken: readonly string[]): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  return Object.fromEntries(Object.entries(data).filter(([key]) => !taken.includes(key)));
}
