// The fake servers' language model: a script that maps requests to answers.
import { wordsOf } from './text-vector.ts';

/** A request as it reaches the model. */
export interface Asked {
  /** Of the system's messages. */
  readonly instructions: string;
  /** Of the user's. */
  readonly prompt: string;
  /** JSON Schema; undefined where none was given. */
  readonly schema: unknown;
}

export interface Reply {
  readonly text: string;
  /** What it thinks before it answers; servers tell it apart from the answer. */
  readonly thinking?: string;
  /** `stop` without it, unless the answer is cut where it has to end. */
  readonly end?: string;
}

/** The same answer to the same request, so that a run has the same bytes twice. */
export type Script = (asked: Asked) => string | Reply;

/** Writes the smallest value that the schema lets pass. */
export const MIN_ANSWER: Script = ({ schema }) => JSON.stringify(smallest(schema));

// biome-ignore lint/suspicious/noExplicitAny: a schema as it came over the wire.
function smallest(schema: any): unknown {
  const { type, enum: allowed, const: only, anyOf, oneOf, items, prefixItems } = schema ?? {};
  if (only !== undefined) return only;
  if (allowed !== undefined) return allowed[0];
  if (anyOf ?? oneOf) return smallest((anyOf ?? oneOf)[0]);
  if (Array.isArray(prefixItems ?? items)) return (prefixItems ?? items).map(smallest);
  if (type === 'object') return smallestObject(schema);
  if (type === 'array') return Array.from({ length: schema.minItems ?? 0 }, () => smallest(items));
  if (type === 'string') return 'word'.padEnd(schema.minLength ?? 0, '.').slice(0, schema.maxLength ?? undefined);
  if (type === 'number' || type === 'integer') return Math.max(0, schema.minimum ?? 0);
  return type === 'boolean' ? false : null;
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
function smallestObject({ properties = {}, required = [] }: any): object {
  return Object.fromEntries(required.map((key: string) => [key, smallest(properties[key])]));
}

export interface Performance {
  readonly thinking: string;
  /** A token each. */
  readonly pieces: readonly string[];
  readonly end: string;
  readonly promptTokens: number;
}

interface Message {
  readonly role?: unknown;
  readonly content?: unknown;
}

/** @param mostTokens of the answer; Infinity where nothing ends it */
export function perform(
  script: Script,
  messages: readonly Message[],
  schema: unknown,
  mostTokens: number,
): Performance {
  const said = (...roles: string[]): string =>
    messages
      .filter(({ role }) => roles.includes(String(role)))
      .map(({ content }) => String(content))
      .join('\n');
  const written = script({ instructions: said('system'), prompt: said('user'), schema });
  const { text, thinking = '', end = 'stop' } = typeof written === 'string' ? { text: written } : written;
  const pieces = text.match(/\s*\S{1,6}|\s+$/gu) ?? [];
  const isCut = pieces.length > mostTokens;
  return {
    thinking,
    pieces: pieces.slice(0, mostTokens),
    end: isCut ? 'length' : end,
    promptTokens: tokensIn(messages),
  };
}

/** A token is a word, or a CJK character. */
export const tokensIn = (messages: readonly Message[]): number =>
  messages.reduce((sum, { content }) => sum + wordsOf(String(content)).length, 0);
