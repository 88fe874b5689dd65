// Tool: checks what a vault needs for its upkeep, by rules that each succeed or fail alone.
import * as z from 'zod';
import { runBatch } from '../../base/batch.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ComputeFromIndex } from '../../contracts/session.ts';
import {
  CHECK_DEFAULTS,
  CHECK_RULES,
  type CheckRuleName,
  type CheckSettings,
} from '../../contracts/settings/check-settings.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { localDay } from '../../markdown/dates/note-date.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { pathsWithin } from '../links/gap-query.ts';
import { folderArgument } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { limitArgument } from '../notes/page.ts';
import { brokenLinks, brokenParts } from './broken.ts';
import type { CheckQuery, CheckRule, Finding } from './check-rule.ts';
import { duplicates } from './duplicates.ts';
import { halfTemplates } from './half-templates.ts';
import { orphans } from './orphans.ts';
import { outdated } from './outdated.ts';
import { overdueTasks } from './overdue-tasks.ts';
import { similarProperties } from './similar-properties.ts';
import { similarTags } from './similar-tags.ts';
import { twoTitles } from './two-titles.ts';
import { unprocessed } from './unprocessed.ts';
import { withoutTemplates } from './without-templates.ts';

// biome-ignore lint/suspicious/noExplicitAny: the rules have findings of their own.
const RULES: Readonly<Record<CheckRuleName, CheckRule<any>>> = {
  unprocessed,
  orphans,
  broken_links: brokenLinks,
  broken_parts: brokenParts,
  outdated,
  duplicates,
  similar_tags: similarTags,
  similar_properties: similarProperties,
  two_titles: twoTitles,
  half_templates: halfTemplates,
  overdue_tasks: overdueTasks,
};

/** What all rules are given. */
type RuleQuery = Omit<CheckQuery, 'keptWhile'>;

const rules = z.array(z.enum(CHECK_RULES)).min(1).optional();

const input = z.strictObject({
  rules: rules.describe('default all'),
  except: z.array(z.string()).optional().describe('rules'),
  folder: folderArgument,
  limit: limitArgument,
});
type Args = z.infer<typeof input>;

export interface CheckOptions {
  /** `checks`. */
  readonly checks?: CheckSettings;
  /** Whether clients can call the tool. */
  readonly offers?: (tool: string) => boolean;
}

export function createCheckVault({ checks = CHECK_DEFAULTS, offers = () => true }: CheckOptions) {
  return defineTool({
    name: 'check_vault',
    title: 'Check the vault',
    summary: 'Checks the upkeep of a wiki. Returns counts, the worst cases and calls that fix them.',
    words: 'tidy up, lint, health',
    long: true,
    effect: 'reads',
    needs: ['store', 'vault'],
    index: 'whole',
    fails: ['INVALID_INPUT', 'PATH_NOT_ALLOWED'],
    input,
    run: async (args, granted, call) => {
      const rules = wantedRules(args);
      const query = await checkQuery(args, { checks, offers }, granted, call);
      const left: readonly string[] = args.rules === undefined ? await tooLong(rules, query) : [];
      const run = rules.filter((rule) => !left.includes(rule));
      const batch = await runBatch(run, call.signal, (rule, at) => {
        call.progress(at, run.length, rule);
        return checked(rule as CheckRuleName, args.limit, query);
      });
      for (const rule of left) warnOfLeftOut(rule, call);
      return batch;
    },
  });
}

/** @throws INVALID_INPUT */
function wantedRules({ rules: named = [...CHECK_RULES], except = [] }: Args): readonly CheckRuleName[] {
  const refusal = (rule: string) => inputRefusal('check_vault', Object.keys(input.shape), { path: 'except', rule });
  const unknown = except.find((name) => !(CHECK_RULES as readonly string[]).includes(name));
  if (unknown !== undefined) throw refusal(`names ${JSON.stringify(unknown)}; the rules are ${CHECK_RULES.join(', ')}`);
  const rules = CHECK_RULES.filter((rule) => named.includes(rule) && !except.includes(rule));
  if (rules.length === 0) throw refusal('leaves no rule');
  return rules;
}

async function checkQuery(
  { folder }: Args,
  { checks, offers }: Required<CheckOptions>,
  granted: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<RuleQuery> {
  const filter = await withoutTemplates(folder, granted, call);
  const isWithin = await pathsWithin(filter, granted.store, call.signal);
  return { granted, call, filter, isWithin, settings: checks, offers, today: localDay(new Date()) };
}

/** With more notes the first comparison takes seconds. */
const MAX_COMPARED_UNASKED = 2_000;

async function tooLong(rules: readonly CheckRuleName[], { granted, call }: RuleQuery) {
  const { indexed } = await granted.store.progress(call.signal);
  return indexed > MAX_COMPARED_UNASKED ? rules.filter((rule) => rule === 'duplicates') : [];
}

function warnOfLeftOut(rule: string, call: CallContext): void {
  const message = `${rule} was left out because it compares all texts, which takes seconds; ask for it with rules: ["${rule}"]`;
  call.warn({ code: 'EXTRA_MISSING', message });
}

async function checked(rule: CheckRuleName, limit: number, asked: RuleQuery) {
  const { find, show } = RULES[rule];
  const findings = await asked.call.storeCache.get(keepFindings, asked.granted.store, asked.call.signal);
  const key = JSON.stringify([rule, asked.filter]);
  const query = { ...asked, keptWhile: keptAt(findings, key) };
  // Also of a rule without a basis, until the index changes.
  const all = await keptAt(findings.ofRevision, key)([asked.today], () => find(query));
  const accepts = accepting(query.settings.accept[rule] ?? []);
  const open = all.filter((finding) => !accepts(finding));
  const worst = await show(open.slice(0, limit), query);
  const accepted = all.length - open.length;
  return { count: open.length, ...(accepted > 0 && { accepted }), ...(worst.length > 0 && { worst }) };
}

interface Kept {
  readonly basis: readonly unknown[];
  readonly value: unknown;
}

/** By rule and filter, until what they depend on changes. */
class KeptFindings extends Map<string, Kept> {
  /** Until the index changes. */
  readonly ofRevision = new Map<string, Kept>();
}

const MAX_KEPT = 100;

const keepFindings: ComputeFromIndex<KeptFindings> = async (_store, _signal, previous) =>
  new KeptFindings([...(previous ?? [])].slice(-MAX_KEPT));

function keptAt(findings: Map<string, Kept>, key: string): CheckQuery['keptWhile'] {
  return async <T>(basis: readonly unknown[], compute: () => Promise<T>) => {
    const cached = findings.get(key);
    const isSame = cached?.basis.length === basis.length && cached.basis.every((one, at) => one === basis[at]);
    if (isSame) return cached.value as T;
    const value = await compute();
    findings.set(key, { basis, value });
    return value;
  };
}

/** An entry is a name, a path with or without its extension, or a folder that ends in `/`. */
function accepting(entries: readonly string[]): (finding: Finding) => boolean {
  const names = new Set(entries.map(foldName));
  const folders = [...names].filter((entry) => entry.endsWith('/'));
  const isAccepted = (name: string): boolean =>
    names.has(name) || names.has(name.replace(/\.md$/, '')) || folders.some((folder) => name.startsWith(folder));
  return (finding) => finding.names.map(foldName).some(isAccepted);
}
