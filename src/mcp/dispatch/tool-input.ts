// The input of a tool: its schema as listed, and the parser of its arguments.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import { type AnyTool, LISTED_AS } from '../../contracts/tool.ts';
import { type ArgumentLimits, argumentIssues, readArguments } from './arguments.ts';

/** Taken by every tool that reads the index. */
const SHARED = { require_fresh: z.boolean().optional().describe('check the vault first') };

const inputs = new WeakMap<AnyTool, z.ZodType>();

export function readsIndex({ index }: Pick<AnyTool, 'index'>): boolean {
  return index !== 'none';
}

/** The schema of all arguments. @throws INTERNAL for a tool that reads the index and whose input is not a plain object */
function inputOf(tool: AnyTool): z.ZodType {
  const known = inputs.get(tool);
  if (known !== undefined) return known;
  const input = readsIndex(tool) ? withShared(tool) : (tool.input as z.ZodType);
  inputs.set(tool, input);
  return input;
}

function withShared({ name, input }: AnyTool): z.ZodType {
  if (input instanceof z.ZodObject) return input.safeExtend(SHARED);
  throw new VaultgraphError('INTERNAL', { kind: `${name}: input is not a strict object` });
}

export interface ParsedInput {
  /** The tool's own arguments. */
  readonly input: unknown;
  /** All arguments as they are read, before the schema fills in defaults. */
  readonly args: unknown;
  /** Whether the answer must be fresh. */
  readonly requireFresh: boolean;
}

/**
 * Absent arguments and null are no arguments. An unknown key is an issue of its own and is not stripped.
 * @throws INVALID_INPUT with every issue at once; LIMIT_EXCEEDED for arguments too deep, too many or too long
 */
export function parseInput(tool: AnyTool, written: unknown, limits: ArgumentLimits): ParsedInput {
  const schema = inputOf(tool);
  const { args, issues } = readArguments(schema, written, tool.effect === 'reads', limits);
  if (issues.length > 0) throw refusal(tool, issues);
  const parsed = schema.safeParse(args, { reportInput: true });
  if (!parsed.success) throw refusal(tool, argumentIssues(schema, parsed.error.issues));
  if (!readsIndex(tool)) return { input: parsed.data, args, requireFresh: false };
  const { require_fresh: requireFresh = false, ...input } = parsed.data as z.infer<z.ZodObject<typeof SHARED>>;
  return { input, args, requireFresh };
}

function refusal(tool: AnyTool, issues: ReturnType<typeof argumentIssues>): VaultgraphError {
  return new VaultgraphError('INVALID_INPUT', { tool: tool.name, issues, accepted: argumentNamesOf(tool) });
}

export interface InputSchema extends ListedSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ListedSchema>>;
}

/**
 * The schema in the list of tools. Only searches list `require_fresh`, since they are used to find a note that was just written.
 * Every other tool that reads the index accepts it too, but listing it there would cost tokens in every session.
 */
function listedInputOf(tool: AnyTool): z.ZodType {
  const isSearch = tool.input instanceof z.ZodObject && 'query' in tool.input.shape;
  return isSearch ? inputOf(tool) : tool.input;
}

/** @throws INTERNAL for a tool whose input accepts unknown arguments, or has no form that every client accepts */
export function inputSchemaOf(tool: AnyTool): InputSchema {
  const schema = listedSchema(listedInputOf(tool));
  if (schema?.type !== 'object' || schema.properties === undefined)
    throw new VaultgraphError('INTERNAL', { kind: `${tool.name}: input has no strict schema to list` });
  return schema as InputSchema;
}

/** All argument names in the order of declaration, unlisted ones included. */
export function argumentNamesOf(tool: AnyTool): readonly string[] {
  return Object.keys((inputOf(tool) as z.ZodObject).shape);
}

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
function listedSchema(input: z.ZodType): ListedSchema | undefined {
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
