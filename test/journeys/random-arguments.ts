// Makes random arguments for tools, usually of the types that their schemas ask for.
import type { Random } from '../bench/random.ts';

export type Words = readonly [string, ...string[]];

export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
}

const NUMBERS: readonly [number, ...number[]] = [0, 1, 2, 3, 5, 10, 100, 101, -1, 0.5, 1e9, 2 ** 53, -0, 1e308];

function anything(random: Random, words: Words, depth = 0): unknown {
  const kind = random.below(depth > 3 ? 5 : 8);
  if (kind <= 1) return random.pick(words);
  if (kind === 2) return random.pick(NUMBERS);
  if (kind === 3) return random.chance(0.5);
  if (kind === 4) return null;
  if (kind === 5) return Array.from({ length: random.below(4) }, () => anything(random, words, depth + 1));
  return Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [random.pick(words), anything(random, words, depth + 1)]),
  );
}

/** Usually a value of the schema's type. */
function fitting(random: Random, words: Words, schema: Schema, often: number): unknown {
  if (random.chance(0.06)) return anything(random, words);
  if (schema.enum !== undefined) return schema.enum[random.below(schema.enum.length)];
  if (schema.type === 'string') return random.pick(words);
  if (schema.type === 'boolean') return random.chance(0.5);
  if (schema.type === 'integer' || schema.type === 'number') return random.pick(NUMBERS);
  if (schema.type === 'array')
    return Array.from({ length: 1 + random.below(3) }, () => fitting(random, words, schema.items ?? {}, often));
  if (schema.properties !== undefined) return argumentsFor(random, words, schema, often);
  return anything(random, words);
}

/** In its three forms, mostly well-formed. */
function conditions(random: Random, words: Words): unknown {
  const [name, value] = [random.pick(words), random.pick(words)];
  return random.pick([
    [`${name} = ${value}`, `${name} exists`],
    { [name]: value },
    { [name]: { contains: value } },
    [value],
  ]);
}

/** @param often how often an optional argument is given */
export function argumentsFor(
  random: Random,
  words: Words,
  { properties = {}, required = [] }: Schema,
  often: number,
): unknown {
  if (random.chance(0.02)) return anything(random, words);
  const given: [string, unknown][] = [];
  for (const [name, schema] of Object.entries(properties)) {
    if (random.chance(required.includes(name) ? 0.97 : often))
      given.push([name, name === 'where' ? conditions(random, words) : fitting(random, words, schema, often)]);
  }
  if (random.chance(0.04)) given.push([random.pick(words), anything(random, words)]);
  return Object.fromEntries(given);
}
