// What a rule of check_vault is given, and what it returns.
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { CheckSettings } from '../../contracts/settings/check-settings.ts';
import type { CallContext } from '../../contracts/tool.ts';

export interface CheckQuery {
  readonly granted: Granted<'store' | 'vault'>;
  readonly call: CallContext;
  readonly filter: NoteFilter;
  /** Whether a note passes the filter. */
  readonly isWithin: (path: NotePath) => boolean;
  readonly settings: CheckSettings;
  /** Whether the client can call the tool. */
  readonly offers: (tool: string) => boolean;
  /** The local day, such as 2026-11-20. */
  readonly today: string;
  /** What `compute` returned for the same rule and filter while `basis`, all that it depends on, was the same. */
  readonly keptWhile: <T>(basis: readonly unknown[], compute: () => Promise<T>) => Promise<T>;
}

export interface Finding {
  /** By which the config accepts it: a path, a name, a tag or a property. */
  readonly names: readonly string[];
}

/** A rule of check_vault. */
export interface CheckRule<F extends Finding> {
  /** Every finding, the worst first. They are kept until the index changes. */
  find(query: CheckQuery): Promise<readonly F[]>;
  /** The rows of the answer. */
  show(findings: readonly F[], query: CheckQuery): Promise<readonly object[]> | readonly object[];
}

export type Call = readonly [tool: string, given: Readonly<Record<string, unknown>>];

/** The first of the calls whose tool is offered, as a member of a row. */
export function fixedBy({ offers }: Pick<CheckQuery, 'offers'>, ...calls: readonly Call[]) {
  const [tool, given] = calls.find(([name]) => offers(name)) ?? [];
  return tool === undefined ? {} : { call: { tool, arguments: given } };
}

export const DAY_MS = 86_400_000;

/** The edit that replaces each occurrence of a text in a line; none where the line does not have it, or has it inside a longer tag. */
export function editsInLine(text: string | undefined, line: number, target: string, replacement: string) {
  const [, ...others] = (text?.split(/\r\n?|\n/)[line - 1] ?? '').split(target);
  const count = others.length;
  const isPart = target.startsWith('#') && others.some((after) => /^[\p{L}\p{M}\p{N}_/-]/u.test(after));
  return count === 0 || isPart
    ? []
    : [{ op: 'replace_text', target, text: replacement, line, ...(count > 1 && { count }) }];
}
