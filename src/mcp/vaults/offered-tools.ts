// The tools of several vaults as one list, in which each tool takes the name of a vault.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import type { AbsentTool, Exposed } from '../dispatch/expose.ts';
import type { PlainObject } from '../render/plain-value.ts';
import { renderText } from '../render/render-text.ts';
import { namesOf, type VaultMember } from './member.ts';

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
  if (!(tool.input instanceof z.ZodObject)) {
    throw new VaultgraphError('INTERNAL', { kind: `${tool.name}: input is not a strict object` });
  }
  const vault = z.enum(names as [string, ...string[]]);
  const { show } = tool;
  return Object.freeze({
    ...tool,
    input: tool.input.safeExtend({ vault: needsVault(tool, names.length) ? vault : vault.optional() }),
    ...(show && { show: showWithVault(show as Show) }),
  });
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
