// What several vaults offer together: tools, prompts, and notices of changed notes.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { AnyPrompt, PromptCall } from '../../contracts/prompt.ts';
import type { NoteSigns } from '../../contracts/store.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import type { AbsentTool, Exposed } from '../dispatch/expose.ts';
import { type PlainObject, renderText } from '../render/render-text.ts';
import { offeredPrompts } from '../wire/prompt-methods.ts';
import { namesOf, type VaultMember } from './run-each.ts';

/** @param order the names of all tools, in the order of the list */
export function offeredTools(members: readonly VaultMember[], order: readonly string[]): Exposed {
  const tools = new Map<string, AnyTool>();
  const absent = new Map<string, AbsentTool>();
  for (const name of order) {
    const offering = members.filter(({ exposed }) => exposed.tools.has(name));
    const tool = offering[0]?.exposed.tools.get(name);
    const lacking = members.map(({ exposed }) => exposed.absent.get(name)).find((one) => one !== undefined);
    if (tool !== undefined) tools.set(name, withVault(tool, namesOf(offering)));
    else if (lacking !== undefined) absent.set(name, lacking);
  }
  return Object.freeze({ tools, absent });
}

/** @param names of the vaults that offer the tool */
function withVault(tool: AnyTool, names: readonly string[]): AnyTool {
  const { show } = tool;
  return Object.freeze({
    ...tool,
    input: inputWithVault(tool, names, needsVault(tool, names.length)),
    ...(show && { show: showWithVault(show as Show) }),
  });
}

/** @throws INTERNAL for an input that cannot be extended */
function inputWithVault({ name, input }: AnyTool | AnyPrompt, names: readonly string[], isRequired: boolean) {
  if (!(input instanceof z.ZodObject))
    throw new VaultgraphError('INTERNAL', { kind: `${name}: input is not a strict object` });
  const vault = z.enum(names as [string, ...string[]]);
  return input.safeExtend({ vault: isRequired ? vault : vault.optional() });
}

/** Whether nothing else in a call can say which vault it is about. @param count of the vaults that offer the tool */
export function needsVault({ across, references = [] }: AnyTool, count: number): boolean {
  return count > 1 && across === undefined && references.length === 0;
}

type Show = (data: PlainObject, render: (data: PlainObject) => string) => string;

const showWithVault =
  (show: Show): Show =>
  ({ vault, ...data }, render) =>
    [...(vault === undefined ? [] : [renderText({ vault })]), show(data, render)].join('\n');

/** A prompt is offered if one of the vaults offers all the tools that it needs. */
export function promptsOfVaults(
  members: readonly VaultMember[],
  catalog: readonly AnyPrompt[],
): ReadonlyMap<string, AnyPrompt> {
  const offeredIn = members.map((member) => ({
    member,
    prompts: offeredPrompts(catalog, new Set(member.exposed.tools.keys())),
  }));
  const offered = catalog.flatMap((prompt): [string, AnyPrompt][] => {
    const offering = offeredIn.filter(({ prompts }) => prompts.has(prompt.name)).map(({ member }) => member);
    return offering.length === 0 ? [] : [[prompt.name, promptWithVault(prompt, offering)]];
  });
  return new Map(offered);
}

function promptWithVault(prompt: AnyPrompt, members: readonly VaultMember[]): AnyPrompt {
  const names = namesOf(members);
  const required = names.length > 1;
  const argument = { name: 'vault', description: names.join(' or '), required, completes: 'vault' as const };
  return Object.freeze({
    ...prompt,
    arguments: [argument, ...prompt.arguments],
    input: inputWithVault(prompt, names, required),
    write: async ({ vault: named = names[0], ...input }: Readonly<Record<string, unknown>>, call: PromptCall) => {
      const member = members.find(({ name }) => name === named);
      const message = await prompt.write(input, callIn(member, call));
      if ('refused' in message) return message;
      const all = `All of this is about the vault ${String(named)}: pass vault: ${JSON.stringify(named)} to each tool.`;
      return { text: `${message.text}\n\n${all}` };
    },
  });
}

function callIn(member: VaultMember | undefined, call: PromptCall): PromptCall {
  return {
    lists: (tool) => member?.exposed.tools.has(tool) ?? false,
    ask: (tool, args) => call.ask(tool, { ...args, vault: member?.name }),
  };
}

// The signs of notes in several vaults, for the subscriptions of a client.

const vaultOf = (path: string): string => path.slice(0, path.indexOf('/'));

/**
 * Paths begin with the name of their vault. A vault with a followed note stays open; one that does not answer has the signs that it
 * had before, so that it keeps no other from being looked at.
 */
export function signsOfVaults(members: readonly VaultMember[]): NoteSigns {
  const marks = new Map<string, number>();
  const owners = new Map<string, string>();
  let mark = 0;

  const inVault = async <T>(name: string, signal: AbortSignal, look: (signs: NoteSigns) => Promise<T>) => {
    const member = members.find((one) => one.name === name);
    const [outcome] = await Promise.allSettled([member?.use(signal, ({ noteSigns }) => look(noteSigns))]);
    return outcome.status === 'fulfilled' ? outcome.value : undefined;
  };

  return Object.freeze({
    async mark(signal: AbortSignal, paths: readonly string[] = []) {
      for (const [name, whole] of Map.groupBy(paths, vaultOf)) {
        const memberPaths = whole.map((path) => path.slice(name.length + 1));
        const now = await inVault(name, signal, (signs) => signs.mark(signal, memberPaths));
        if (now === undefined || marks.get(name) === now) continue;
        marks.set(name, now);
        mark += 1;
      }
      return mark;
    },
    async signs(paths: readonly string[], signal: AbortSignal) {
      for (const [name, whole] of Map.groupBy(paths, vaultOf)) {
        const memberPaths = whole.map((path) => path.slice(name.length + 1));
        const signs = await inVault(name, signal, (one) => one.signs(memberPaths, signal));
        if (signs === undefined) continue;
        for (const [at, path] of memberPaths.entries()) setOrDelete(owners, String(whole[at]), signs.get(path));
      }
      return new Map(
        paths.flatMap((path): [string, string][] => (owners.has(path) ? [[path, String(owners.get(path))]] : [])),
      );
    },
  });
}

function setOrDelete<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
