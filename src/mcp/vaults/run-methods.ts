// Resources and completions of several vaults, as if the name of a vault were the first folder of its notes.
import { VaultgraphError } from '../../base/errors.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import type { Run } from '../dispatch/dispatch.ts';
import type { Caller, Outcome } from '../dispatch/run-tool.ts';
import type { VaultMember } from './member.ts';
import { background, byRank, type VaultAnswer } from './merge-answers.ts';
import { type Limited, runEach, runWithin } from './run-each.ts';
import type { VaultRuns } from './run-in-vaults.ts';

type Args = Readonly<Record<string, unknown>>;

/** A run for the internal tools behind the protocol methods. */
export function createMethodRuns({ members, callLimitMs, log }: VaultRuns): Run {
  const runIn = (tool: AnyTool, member: VaultMember, args: object, caller: Limited): Promise<Outcome> =>
    runWithin(member, caller, (limitMs, vault) => vault.runMethod(tool.name, args, { ...caller, limitMs }));
  return async (tool, args, caller: Caller) => {
    const limited = { ...caller, limitMs: caller.limitMs ?? callLimitMs };
    const run = (member: VaultMember, own: object) => runIn(tool, member, own, limited);
    const onMissing = ({ name, error }: { readonly name: string; readonly error: VaultgraphError }): void =>
      log('error', 'vault_missing', { tool: tool.name, vault: name, error_id: error.errorId, code: error.code });
    if (tool.name === 'resources/read') return readResource(members, args as Args, run);
    if (tool.name === 'resources/list') return listResources(members, args as Args, run, onMissing);
    if (tool.name === 'graph/shown') return shownGraph(members, args as Args, run);
    return complete(members, args as Args, run, onMissing);
  };
}

type RunMethod = (member: VaultMember, args: object) => Promise<Outcome>;
type OnMissing = Parameters<typeof runEach>[2];

/** @throws NOTE_NOT_FOUND if the first folder is no vault */
async function readResource(members: readonly VaultMember[], { path: whole }: Args, run: RunMethod): Promise<Outcome> {
  const { member, path } = placeOf(members, String(whole));
  if (member === undefined) {
    throw new VaultgraphError('NOTE_NOT_FOUND', { ref: String(whole), suggestions: [], unresolved_link: false });
  }
  const outcome = await run(member, { path });
  return { ...outcome, value: withPath(member.name, outcome.value) };
}

/** @throws INVALID_INPUT if the vault is none of them */
async function shownGraph(members: readonly VaultMember[], { vault, paths }: Args, run: RunMethod): Promise<Outcome> {
  const member = members.find(({ name }) => name === vault);
  if (member !== undefined) return run(member, { paths });
  const issues = [{ path: 'vault', rule: 'is not a vault of this server' }];
  throw new VaultgraphError('INVALID_INPUT', { tool: 'graph/shown', issues, accepted: ['vault', 'paths'] });
}

function placeOf(members: readonly VaultMember[], whole: string) {
  const at = whole.indexOf('/');
  const name = whole.slice(0, Math.max(0, at)).toLowerCase();
  return { member: members.find((one) => one.name === name), path: whole.slice(at + 1) };
}

const withPath = (name: string, row: object): object =>
  'path' in row ? { ...row, path: `${name}/${String(row.path)}` } : row;

/** One vault after the other; a vault that does not answer is named, and the next one follows. */
async function listResources(
  members: readonly VaultMember[],
  { cursor }: Args,
  run: RunMethod,
  onMissing: OnMissing,
): Promise<Outcome> {
  const [, from = '', own] = typeof cursor === 'string' ? (/^([a-z0-9-]+):(.*)$/s.exec(cursor) ?? []) : [];
  const first = Math.max(
    0,
    members.findIndex(({ name }) => name === from),
  );
  if (cursor !== undefined && members[first]?.name !== from) throw invalidCursor();
  const failures: { readonly name: string; readonly error: VaultgraphError }[] = [];
  for (const [at, member] of members.slice(first).entries()) {
    const args = at === 0 && own ? { cursor: own } : {};
    const { answers, missing } = await runEach([member], (one) => run(one, args), onMissing).catch(
      rethrowInput(member),
    );
    failures.push(...missing);
    const [answer] = answers;
    if (answer === undefined) continue;
    const following = members[first + at + 1]?.name;
    const { resources, next_cursor: next } = answer.value.value as ResourcePage;
    const further = next === undefined ? following && `${following}:` : `${member.name}:${next}`;
    for (const failure of failures) onMissing(failure);
    const value = {
      resources: resources.map((row) => withPath(member.name, row)),
      ...(further && { next_cursor: further }),
    };
    return { ...background([{ name: member.name, outcome: answer.value }], failures), value };
  }
  const [failure] = failures;
  if (failure !== undefined && cursor === undefined) throw failure.error;
  return { ...background([], failures), value: { resources: [] } };
}

interface ResourcePage {
  readonly resources: readonly object[];
  readonly next_cursor?: string;
}

/** What is wrong with the request is not the fault of a vault. */
const rethrowInput =
  ({ name }: VaultMember) =>
  (error: VaultgraphError) => {
    if (error.category === 'input') throw error;
    return { answers: [], missing: [{ name, error }] };
  };

function invalidCursor(): VaultgraphError {
  const issues = [{ path: 'cursor', rule: 'is not a cursor of this server' }];
  return new VaultgraphError('INVALID_INPUT', { tool: 'resources/list', issues, accepted: ['cursor'] });
}

interface Completed {
  readonly values: readonly string[];
  readonly total: number;
  readonly has_more: boolean;
}

/** Values that name notes of several vaults begin with the vault. */
async function complete(
  members: readonly VaultMember[],
  { vault, ...args }: Args,
  run: RunMethod,
  onMissing: OnMissing,
): Promise<Outcome> {
  if (args.kind === 'vault') return { ...NOTHING_ELSE, value: namesLike(members, String(args.value)) };
  const named = members.filter(({ name }) => name === vault);
  const asked = named.length === 0 ? members : named;
  const { answers, missing } = await runEach(asked, (member) => run(member, args), onMissing);
  const lists = answers.map(({ name, value: { value } }) => {
    const { values, total, has_more } = value as Completed;
    const isNote = args.kind === 'note' && asked.length > 1;
    return { name, total, has_more, rows: values.map((text) => ({ text: isNote ? `${name}:${text}` : text })) };
  });
  const values = [...new Set(byRank(lists).map(({ row }) => (row as { text: string }).text))];
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  const all = answers.map(({ name, value: outcome }): VaultAnswer => ({ name, outcome }));
  const shown = values.slice(0, MAX_VALUES);
  const value = { values: shown, total: Math.max(shown.length, total), has_more: total > shown.length };
  return { ...background(all, missing), value };
}

/** A limit of the protocol. */
const MAX_VALUES = 100;
const NOTHING_ELSE = { index: undefined, warnings: [], notes: [], images: [] };

function namesLike(members: readonly VaultMember[], typed: string): Completed {
  const values = members.map(({ name }) => name).filter((name) => name.startsWith(typed.toLowerCase()));
  return { values, total: values.length, has_more: false };
}
