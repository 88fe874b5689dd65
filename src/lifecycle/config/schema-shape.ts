// Looks into a section's schema: which keys it takes and which of its values are secrets.
import { ZodArray, ZodObject, ZodRecord, type ZodType } from 'zod';
import { isSecret } from '../../contracts/secret.ts';

export type KeyPath = readonly (string | number)[];

/** The schema and whatever it wraps (optional, default, pipe …), outermost first. */
function layers(schema: ZodType): ZodType[] {
  const { innerType, in: input } = schema.def as { innerType?: ZodType; in?: ZodType };
  const inner = innerType ?? input;
  return inner === undefined ? [schema] : [schema, ...layers(inner)];
}

function childOf(schema: ZodType, step: string | number): ZodType | undefined {
  const core = layers(schema).at(-1);
  if (core instanceof ZodArray) return core.element as ZodType;
  if (core instanceof ZodRecord) return core.valueType as ZodType;
  if (core instanceof ZodObject && Object.hasOwn(core.shape, step)) return core.shape[step] as ZodType;
  return undefined;
}

/** The schema of the value at `path`, undefined where the schema names no such value. */
export function schemaAt(schema: ZodType, path: KeyPath): ZodType | undefined {
  return path.reduce<ZodType | undefined>((at, step) => (at === undefined ? undefined : childOf(at, step)), schema);
}

/** The keys of a map, in the order of the schema; empty for everything else. */
export function keysOf(schema: ZodType | undefined): string[] {
  const core = schema === undefined ? undefined : layers(schema).at(-1);
  return core instanceof ZodObject ? Object.keys(core.shape) : [];
}

export function holdsSecret(schema: ZodType | undefined): boolean {
  return schema !== undefined && layers(schema).some(isSecret);
}
