// Joins SQL conditions and the values of their parameters.
import type { SqlValue } from '../database/checksum.ts';

/** An SQL condition and the values of its parameters. */
export interface Conditions {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export function join(conditions: readonly Conditions[], by: ' AND ' | ' OR '): Conditions {
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(by)})`,
    values: conditions.flatMap(({ values }) => values),
  };
}
