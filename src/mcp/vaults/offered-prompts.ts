// The prompts of several vaults: each is about the one that its argument `vault` names.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { AnyPrompt, PromptCall } from '../../contracts/prompt.ts';
import { offeredPrompts } from '../wire/prompt-methods.ts';
import { namesOf, type VaultMember } from './member.ts';

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
    return offering.length === 0 ? [] : [[prompt.name, withVault(prompt, offering)]];
  });
  return new Map(offered);
}

function withVault(prompt: AnyPrompt, members: readonly VaultMember[]): AnyPrompt {
  if (!(prompt.input instanceof z.ZodObject)) {
    throw new VaultgraphError('INTERNAL', { kind: `${prompt.name}: input is not a strict object` });
  }
  const names = namesOf(members);
  const required = names.length > 1;
  const vault = z.enum(names as [string, ...string[]]);
  const argument = { name: 'vault', description: names.join(' or '), required, completes: 'vault' as const };
  return Object.freeze({
    ...prompt,
    arguments: [argument, ...prompt.arguments],
    input: prompt.input.safeExtend({ vault: required ? vault : vault.optional() }),
    write: async ({ vault: named = names[0], ...input }: Readonly<Record<string, unknown>>, call: PromptCall) => {
      const member = members.find(({ name }) => name === named);
      const written = await prompt.write(input, callIn(member, call));
      if ('refused' in written) return written;
      const all = `All of this is about the vault ${String(named)}: pass vault: ${JSON.stringify(named)} to each tool.`;
      return { text: `${written.text}\n\n${all}` };
    },
  });
}

function callIn(member: VaultMember | undefined, call: PromptCall): PromptCall {
  return {
    lists: (tool) => member?.exposed.tools.has(tool) ?? false,
    ask: (tool, given) => call.ask(tool, { ...given, vault: member?.name }),
  };
}
