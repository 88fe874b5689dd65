// The fake servers' language model: a script that maps requests to answers.
import { wordsOf } from './text-vector.ts';

/** A request as the model receives it. */
export interface Requested {
  /** The text of the system messages. */
  readonly instructions: string;
  /** The text of the user messages. */
  readonly prompt: string;
  /** JSON Schema; undefined if none was sent. */
  readonly schema: unknown;
}

export interface Reply {
  readonly text: string;
  /** The model's reasoning; servers send it apart from the answer. */
  readonly thinking?: string;
  /** Default: `stop`, unless the answer is truncated. */
  readonly end?: string;
}

/** The same answer to the same request, so that two runs give the same bytes. */
export type Script = (requested: Requested) => string | Reply;

/** Writes the smallest value that is valid for the schema. */
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
  /** One token each. */
  readonly pieces: readonly string[];
  readonly end: string;
  readonly promptTokens: number;
}

interface Message {
  readonly role?: unknown;
  readonly content?: unknown;
}

/** @param mostTokens of the answer; Infinity for no limit */
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

/** The end of the last message, as a server reads it that cuts a prompt without an error. */
export function cutTo(tokens: number, messages: readonly Message[]): readonly Message[] {
  const over = tokensIn(messages) - tokens;
  const last = messages.at(-1);
  if (over <= 0 || last === undefined) return messages;
  const content = wordsOf(String(last.content)).slice(over).join(' ');
  return [...messages.slice(0, -1), { ...last, content }];
}

/** A token is a word or a CJK character. */
export const tokensIn = (messages: readonly Message[]): number =>
  messages.reduce((sum, { content }) => sum + wordsOf(String(content)).length, 0);
