// Decides which vaults a call is about, by its argument `vault` and by the names in its note references.
import { type InputIssue, VaultgraphError } from '../../base/errors.ts';
import { isObject } from '../../base/plain-object.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import { type ArgumentLimits, argumentNamesOf, parseInput } from '../dispatch/arguments.ts';
import { absenceError } from '../dispatch/expose.ts';
import { needsVault } from './offered.ts';
import { namesOf, type VaultMember } from './run-each.ts';

type Args = Readonly<Record<string, unknown>>;

export type CallPlan =
  | { readonly kind: 'one'; readonly member: VaultMember; readonly args: Args }
  /** The lists of these vaults are merged, or their answers are listed side by side. */
  | { readonly kind: 'across'; readonly members: readonly VaultMember[]; readonly args: Args; readonly input: Args }
  /** Each vault answers for some of the items. */
  | { readonly kind: 'items'; readonly parts: readonly ItemsPart[]; readonly order: readonly string[] };

export interface ItemsPart {
  readonly member: VaultMember;
  readonly args: Args;
  /** The names as the caller wrote them, in the order of the items in `args`. */
  readonly written: readonly string[];
}

interface Planned {
  readonly tool: AnyTool;
  readonly args: Args;
  readonly input: Args;
  readonly members: readonly VaultMember[];
  /** The vaults that offer the tool. */
  readonly offering: readonly VaultMember[];
  readonly references: readonly ReadReference[];
}

interface ReadReference extends NamedReference {
  readonly argument: string;
  readonly written: string;
}

/**
 * @param tool as offered for several vaults
 * @throws INVALID_INPUT for wrong arguments, for references of other vaults, and if several vaults could be meant; LIMIT_EXCEEDED
 */
export async function planCall(
  tool: AnyTool,
  written: unknown,
  members: readonly VaultMember[],
  limits: ArgumentLimits,
): Promise<CallPlan> {
  refuseVault(tool, written, members);
  const parsed = parseInput(tool, written, limits);
  const { vault: named, ...input } = parsed.input as Args;
  const { vault: _, ...args } = parsed.args as Args;
  const offering = members.filter(({ exposed }) => exposed.tools.has(tool.name));
  const references = await referencesIn(tool, args, members);
  const planned: Planned = { tool, args, input, members, offering, references };
  if (named !== undefined) return onlyOf(planned, String(named));
  if (offering.length === 1) return onlyOf(planned, offering[0]?.name ?? '');
  const vaults = [...new Set(references.flatMap(({ vault }) => vault ?? []))];
  if (vaults.length === 1) return onlyOf(planned, String(vaults[0]));
  if (vaults.length > 1) return planItems(planned, vaults);
  if (tool.across !== undefined && references.length === 0) return { kind: 'across', members: offering, args, input };
  throw vaultMissing(planned);
}

/**
 * Before the other arguments are looked at: what is wrong with the vault says more than that it is none of the list.
 * @throws INVALID_INPUT if it is missing where nothing else can name it; what `notOffered` throws
 */
function refuseVault(tool: AnyTool, written: unknown, members: readonly VaultMember[]): void {
  const args = isObject(written) ? (written as Args) : {};
  const offering = members.filter(({ exposed }) => exposed.tools.has(tool.name));
  const named = members.find(({ name }) => name === args.vault);
  if (named !== undefined && !offering.includes(named)) throw notOffered(tool, named, offering);
  const isAbsent = args.vault === undefined || args.vault === null;
  if (isAbsent && needsVault(tool, offering.length)) {
    throw vaultMissing({ tool, offering, references: [] });
  }
}

/** The reason of the vault itself if it has one, such as that it is read-only. */
function notOffered(tool: AnyTool, { name, exposed }: VaultMember, offering: readonly VaultMember[]): VaultgraphError {
  const absence = exposed.absent.get(tool.name);
  if (absence !== undefined) return absenceError(absence, [...exposed.tools.keys()]);
  const rule = `the vault ${name} does not offer ${tool.name}; offered by ${namesOf(offering).join(', ')}`;
  return refusal(tool, { path: 'vault', rule });
}

async function referencesIn(
  { references = [] }: AnyTool,
  args: Args,
  members: readonly VaultMember[],
): Promise<readonly ReadReference[]> {
  const read: ReadReference[] = [];
  for (const argument of references) {
    const value = args[argument];
    const texts = (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string');
    for (const reference of texts)
      read.push({ argument, written: reference, ...(await vaultOfReference(reference, members)) });
  }
  return read;
}

function onlyOf(planned: Planned, name: string): CallPlan {
  const { tool, members, offering, references, input } = planned;
  const unoffered = members.find(
    (one) => !offering.includes(one) && references.some(({ vault }) => vault === one.name),
  );
  if (unoffered !== undefined) throw notOffered(tool, unoffered, offering);
  const elsewhere = references.find(({ vault = name }) => vault !== name);
  if (elsewhere !== undefined) {
    const rule = `${JSON.stringify(elsewhere.written.slice(0, 100))} is of the vault ${elsewhere.vault}, and this call is about ${name}`;
    throw refusal(tool, { path: elsewhere.argument, rule });
  }
  const member = offering.find((one) => one.name === name);
  if (member === undefined) throw new VaultgraphError('INTERNAL', { kind: 'a vault that does not offer the tool' });
  const args = rewritten(planned, references);
  if (tool.items !== undefined && references.some(({ vault }) => vault !== undefined)) {
    const order = references.map(({ written }) => written);
    return { kind: 'items', parts: [{ member, args, written: order }], order };
  }
  return tool.across === undefined ? { kind: 'one', member, args } : { kind: 'across', members: [member], args, input };
}

/** @throws INVALID_INPUT for a tool that answers for all its references together, and for a reference without a vault */
function planItems(planned: Planned, vaults: readonly string[]): CallPlan {
  const { tool, members, offering, references } = planned;
  const unoffered = members.find((one) => !offering.includes(one) && vaults.includes(one.name));
  if (unoffered !== undefined) throw notOffered(tool, unoffered, offering);
  const first = references.find(({ vault }) => vault === undefined);
  if (tool.items === undefined || references.some(({ argument }) => argument !== tool.items)) {
    const rule = `the notes are of several vaults (${vaults.join(', ')}), and this tool is about one`;
    throw refusal(tool, { path: references[0]?.argument ?? 'vault', rule });
  }
  if (first !== undefined) throw vaultMissing(planned);
  const order = references.map(({ written }) => written);
  const parts = vaults.map((name): ItemsPart => {
    const ofVault = references.filter(({ vault }) => vault === name);
    const member = offering.find((one) => one.name === name);
    if (member === undefined) throw new VaultgraphError('INTERNAL', { kind: 'a vault that does not offer the tool' });
    return { member, args: rewritten(planned, ofVault), written: ofVault.map(({ written }) => written) };
  });
  return { kind: 'items', parts, order };
}

/** The arguments with these references as their vault reads them. */
function rewritten({ args }: Planned, references: readonly ReadReference[]): Args {
  const byArgument = Map.groupBy(references, ({ argument }) => argument);
  const changed = [...byArgument].map(([argument, own]): [string, unknown] => {
    const texts = own.map(({ reference }) => reference);
    return [argument, Array.isArray(args[argument]) ? texts : texts[0]];
  });
  return { ...args, ...Object.fromEntries(changed) };
}

function vaultMissing({
  tool,
  offering,
  references,
}: Pick<Planned, 'tool' | 'offering' | 'references'>): VaultgraphError {
  const names = namesOf(offering);
  const sample = references.find(({ vault }) => vault === undefined)?.written.slice(0, 100);
  const prefix = sample === undefined ? '' : `, or write ${names.map((name) => `${name}:${sample}`).join(' or ')}`;
  const items = names.map((value) => ({ value }));
  return refusal(tool, { path: 'vault', rule: `is missing: name one of ${names.join(', ')}${prefix}` }, items);
}

function refusal(tool: AnyTool, issue: InputIssue, items?: readonly { readonly value: string }[]): VaultgraphError {
  const details = { tool: tool.name, issues: [issue], accepted: argumentNamesOf(tool) };
  const choices = items && { choices: { items, total: items.length, retryWith: 'vault' } };
  return new VaultgraphError('INVALID_INPUT', details, choices ?? {});
}

interface NamedReference {
  /** The vault that the reference names; undefined if it names none. */
  readonly vault?: string;
  /** The reference as the vault itself reads it. */
  readonly reference: string;
}

const PREFIXED = /^(\s*(?:\[\[)?\s*)([a-z][a-z0-9-]*):(?!\/\/)(.*)$/s;
const URI = /^(\s*)note:\/\/([a-z][a-z0-9-]*)\/(.*)$/is;
/** Lines of the note that is called like the vault. */
const ONLY_LINES = /^\s*\d{1,9}(?:-\d{1,9})?\s*(?:\]\])?\s*$/;

/**
 * `name:Note` names a vault only if one is called so and no vault has a note at that exact path.
 * @param members the vaults that the session sees
 */
async function vaultOfReference(reference: string, members: readonly VaultMember[]): Promise<NamedReference> {
  const isVault = (name = ''): boolean => members.some((member) => member.name === name);
  const uri = URI.exec(reference);
  if (uri !== null && isVault(uri[2]?.toLowerCase())) {
    return { vault: String(uri[2]).toLowerCase(), reference: `${uri[1]}note:///${uri[3]}` };
  }
  const [, before = '', name, rest = ''] = PREFIXED.exec(reference) ?? [];
  if (!isVault(name) || ONLY_LINES.test(rest)) return { reference };
  const owner = await ownerOf(reference, members);
  return owner === undefined ? { vault: String(name), reference: `${before}${rest}` } : { vault: owner, reference };
}

/** The vault with a file at the path that the whole reference is. */
async function ownerOf(reference: string, members: readonly VaultMember[]): Promise<string | undefined> {
  const path = reference.trim().replace(/^\[\[|\]\]$/g, '');
  const whole = path
    .replace(/#.*$/s, '')
    .replace(/:\d{1,9}(?:-\d{1,9})?$/, '')
    .trim();
  for (const { name, hasFile } of members) {
    if ((await hasFile(path)) || (whole !== path && (await hasFile(whole)))) return name;
  }
  return undefined;
}
