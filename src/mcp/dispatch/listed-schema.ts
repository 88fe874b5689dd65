// Turns the schema of a tool's arguments into the form that clients and models of all kinds accept.
import * as z from 'zod';
import { LISTED_AS } from '../../contracts/tool.ts';

export interface ListedSchema {
  readonly type: string;
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly items?: ListedSchema;
  readonly properties?: Readonly<Record<string, ListedSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

type Node = Readonly<Record<string, unknown>>;

/**
 * JSON Schema 2020-12 with the keywords that every known model API accepts: each schema has one type, and limits and defaults are
 * in descriptions. Members are always in the same order, so that prompts stay cached. A schema without a type, or a free object
 * that `listedAs` does not replace, has no such form and is undefined.
 */
export function listedSchema(input: z.ZodType): ListedSchema | undefined {
  return listed(z.toJSONSchema(input, { target: 'draft-2020-12', io: 'input' }) as Node);
}

function listed({ [LISTED_AS]: instead, ...written }: Node): ListedSchema | undefined {
  const node: Node = instead === undefined ? written : { ...(instead as Node), description: written.description };
  const { type, items, properties, required, additionalProperties } = node;
  const item = items === undefined ? undefined : listed(items as Node);
  const members = properties === undefined ? undefined : membersOf(properties as Readonly<Record<string, Node>>);
  const isOpen = type === 'object' && (members === undefined || additionalProperties !== false);
  if (typeof type !== 'string' || isOpen || (type === 'array' && item === undefined)) return undefined;
  const description = descriptionOf(node);
  return {
    type,
    ...(description === '' ? {} : { description }),
    ...(Array.isArray(node.enum) ? { enum: node.enum } : {}),
    ...(item === undefined ? {} : { items: item }),
    ...(members === undefined ? {} : { properties: members }),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
    ...(members === undefined ? {} : { additionalProperties: false }),
  };
}

function membersOf(properties: Readonly<Record<string, Node>>): Record<string, ListedSchema> | undefined {
  const members = Object.entries(properties).map(([name, member]) => [name, listed(member)] as const);
  if (members.some(([, member]) => member === undefined)) return undefined;
  return Object.fromEntries(members) as Record<string, ListedSchema>;
}

/** The description with the limits and the default after it: some model APIs refuse the keywords for them. */
function descriptionOf(node: Node): string {
  const facts = [limitsOf(node), defaultOf(node)].filter((fact) => fact !== '').join(', ');
  const description = typeof node.description === 'string' ? node.description : '';
  if (facts === '') return description;
  return description === '' ? facts : `${description} (${facts})`;
}

function limitsOf({ type, minimum, maximum, maxLength }: Node): string {
  if (type === 'string') return maxLength === undefined ? '' : `at most ${maxLength} characters`;
  if (typeof maximum !== 'number' || maximum === Number.MAX_SAFE_INTEGER) return '';
  return typeof minimum === 'number' ? `${minimum}-${maximum}` : `at most ${maximum}`;
}

function defaultOf({ default: value }: Node): string {
  if (value === undefined || value === false) return '';
  return `default ${Array.isArray(value) ? value.join(', ') : value}`;
}
