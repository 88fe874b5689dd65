// Runs a write tool: makes a plan, gets it confirmed, commits it and waits for the index.
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { isEtagOf } from '../../base/content-hash.ts';
import { type DetailsOf, type ErrorCode, plural, toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { DryRunPlan, PlannedStep, WriteSession } from '../../contracts/session.ts';
import { type CallContext, type Consent, defineTool, type Tool } from '../../contracts/tool.ts';
import type { Applied } from '../../contracts/writer.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { requireInsideView } from '../view/outside-view.ts';
import { awaitIndexed } from './index-sync.ts';
import { warnOfDeadLinks } from './names/dead-links.ts';
import { withSideEffects } from './names/side-effects.ts';
import { retryConflicts, retryMisread, withCurrentEtag, writeConflict } from './write-conflict.ts';
import { differenceOf, planView, touchedPaths, type WritePlan } from './write-plan.ts';

/** The arguments of every write tool. */
export const planShape = {
  dry_run: z.boolean().optional().describe('returns plan_id'),
  plan_id: z.string().optional().describe('of a dry run'),
  detail: z.enum(['brief', 'full']).optional().describe('full diff'),
};

/** For tools that always change several files. */
export const confirmShape = {
  confirm: z.boolean().optional().describe('skip the dry run'),
};

/** For tools that remove text or change several files. */
export const consentShape = {
  if_match: z.string().optional().describe('etag last read'),
  ...confirmShape,
};

interface WriteArguments {
  readonly dry_run?: boolean | undefined;
  readonly plan_id?: string | undefined;
  readonly confirm?: boolean | undefined;
  readonly if_match?: string | undefined;
  readonly detail?: 'brief' | 'full' | undefined;
}

export type WriteSources = Granted<'store' | 'vault' | 'indexer' | 'writer'>;

/** Refuses an argument; the rule completes a sentence that begins with its name. */
export type Refuse = (argument: string, rule: string) => VaultgraphError;

/** The call of a write tool. */
export interface WriteCall extends CallContext {
  readonly refuse: Refuse;
}

type Named = { readonly name: string; readonly input: z.ZodObject };

export function refusingFor({ name, input }: Named, call: CallContext): WriteCall {
  return { ...call, refuse: (path, rule) => inputRefusal(name, Object.keys(input.shape), { path, rule }) };
}

/** The same call, whose refusals name that argument. */
export const refusingAs = (argument: string, call: WriteCall): WriteCall => ({
  ...call,
  refuse: (_, rule) => call.refuse(argument, rule),
});

/** The error of an edit that a tool makes for its caller; an INVALID_INPUT names the tool's own argument. */
export function refusedAs(error: VaultgraphError, argument: string, refuse: Refuse): VaultgraphError {
  if (error.code !== 'INVALID_INPUT') return error;
  const { issues } = (error as VaultgraphError<'INVALID_INPUT'>).details;
  return refuse(argument, issues.map(({ rule }) => rule).join('; '));
}

export interface WriteTool<Args extends WriteArguments> {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly others?: Readonly<Record<string, string>>;
  readonly example?: Readonly<Record<string, unknown>>;
  readonly words: string;
  readonly effect: 'writes' | 'destroys';
  /** Set if the tool needs a complete index. */
  readonly index?: 'whole';
  readonly fails: readonly ErrorCode[];
  readonly input: z.ZodObject & z.ZodType<Args>;
  /** The arguments that name notes. */
  readonly references?: readonly string[];
  /** Whether a call without plan_id is a dry run, so that every write has been shown before. */
  readonly onlyByPlan?: true;
  /** Not needed with a plan_id, since the plan has them. */
  readonly required: readonly (keyof Args & string)[];
  /** Whether the write suits any content of the note, so that after a WRITE_CONFLICT it is planned and tried again. */
  readonly suitsAnyContent?: (args: Args) => boolean;
  plan(args: Args, granted: WriteSources, call: WriteCall): Promise<WritePlan>;
}

export function defineWriteTool<Args extends WriteArguments>(
  tool: WriteTool<Args>,
): Tool<'store' | 'vault' | 'indexer' | 'writer', Args, object> {
  const { name, title, summary, others, example, words, effect, index = 'none', fails, input, references = [] } = tool;
  const needs = ['store', 'vault', 'indexer', 'writer'] as const;
  const run = (args: Args, granted: WriteSources, call: CallContext) => runWrite(tool, args, granted, call);
  const described = { name, title, summary, words, ...(others && { others }), ...(example && { example }) };
  return defineTool({ ...described, effect, needs, index, fails, input, references, run });
}

/** One call of a write tool. */
interface WriteRun<Args extends WriteArguments> {
  readonly tool: WriteTool<Args>;
  readonly args: Args;
  readonly granted: WriteSources;
  readonly call: WriteCall;
  readonly isDryRun: boolean;
}

/** @throws what the plan and the writer throw; CHANGE_NOT_FOUND, INVALID_INPUT, CONFIRMATION_REQUIRED; then nothing is written */
export async function runWrite<Args extends WriteArguments>(
  tool: WriteTool<Args>,
  args: Args,
  granted: WriteSources,
  call: CallContext,
): Promise<object> {
  const isDryRun = args.dry_run === true || (tool.onlyByPlan === true && args.plan_id === undefined);
  const run: WriteRun<Args> = { tool, args, granted, call: refusingFor(tool, call), isDryRun };
  const outcome = await call.writes.exclusive(call.signal, () => planAndCommit(run));
  const { plan } = outcome;
  if (!isAsked(run, plan)) return report(run, outcome);
  const planId = await approve(run, plan);
  // The vault may have changed meanwhile, so the approved plan is made and compared again.
  const { consent: _asked, ...approved } = call;
  return runWrite(tool, { ...args, plan_id: planId }, granted, approved);
}

/** Whether the user has to approve the plan in a form. */
function isAsked(
  { call, isDryRun }: Pick<WriteRun<WriteArguments>, 'call' | 'isDryRun'>,
  { files, needsConsent }: WritePlan,
): boolean {
  return call.consent !== undefined && !isDryRun && needsConsent && files.length > 0;
}

interface Outcome {
  readonly plan: WritePlan;
  /** Undefined if nothing was written. */
  readonly change: Applied | undefined;
  /** Whether a dry run has shown the plan to the client. */
  readonly isKnown: boolean;
}

/** Writes at once only what the user does not have to approve first. */
async function planAndCommit<Args extends WriteArguments>(run: WriteRun<Args>): Promise<Outcome> {
  const { tool, args, call } = run;
  const shown = args.plan_id === undefined ? undefined : shownPlan(run, args.plan_id);
  const once = async (): Promise<Outcome> => {
    const plan = await planned(run, shown);
    return { plan, change: await commit(run, plan), isKnown: shown?.isShown === true };
  };
  return shown === undefined && tool.suitsAnyContent?.(args) ? retryConflicts(once, call) : retryMisread(once);
}

/** The plan with everything that follows from it, as it was shown or consented to. */
async function planned<Args extends WriteArguments>(
  run: WriteRun<Args>,
  shown: DryRunPlan | undefined,
): Promise<WritePlan> {
  const { tool, args, granted, call, isDryRun } = run;
  const own = await tool.plan(plannedArguments(tool, args, shown), granted, call);
  await requireInsideView(own, granted.vault, call);
  const plan = await withSideEffects(own, granted, call);
  if (shown !== undefined) await requireUnchanged(shown, plan, granted, call);
  else if (!isDryRun && !isAsked(run, plan)) requireConsent(tool.name, plan, args);
  return plan;
}

/** Writes every file of the plan or none; one that is not to be written yet is only checked. @returns undefined if nothing was written */
async function commit<Args extends WriteArguments>(run: WriteRun<Args>, plan: WritePlan): Promise<Applied | undefined> {
  const { tool, granted, call, isDryRun } = run;
  const { files, emptied, undoes } = plan;
  if (files.length === 0) return undefined;
  rememberTexts(plan, call.writes);
  const request = {
    operations: files.map(({ operation }) => operation),
    tool: tool.name,
    client: call.client,
    ...(emptied === undefined ? {} : { emptied }),
    ...(undoes === undefined ? {} : { undoes }),
  };
  const isChecked = isDryRun || isAsked(run, plan);
  const write = async (): Promise<Applied | undefined> => {
    if (isChecked) return void (await granted.writer.check(request, call.signal));
    const change = await granted.writer.apply(request, call.signal, () => call.commits('partial'));
    call.commits('all');
    return change;
  };
  const [outcome] = await Promise.allSettled([write()]);
  if (outcome.status === 'rejected') {
    rememberHalfMade(toVaultgraphError(outcome.reason), call);
    throw await withCurrentEtag(outcome.reason, granted.vault, call);
  }
  return outcome.value;
}

/** If it is completed, this session can undo it like its others. */
function rememberHalfMade(error: VaultgraphError, { writes, session }: CallContext): void {
  const { change_id: id } = error.details as { readonly change_id?: string };
  if (error.code === 'FILE_WRITE_FAILED' && id !== undefined) writes.addChange(session, id);
}

/** The answer, once the index has the change. Meanwhile nothing holds the plan, whose texts may be long. */
function report<Args extends WriteArguments>(run: WriteRun<Args>, outcome: Outcome): Promise<object> {
  const paths = outcome.change === undefined ? [] : touchedPaths(outcome.plan);
  return answerOf(run, outcome).then((answer) => indexed(paths, run, answer));
}

async function indexed(
  paths: readonly string[],
  { granted, call }: Pick<WriteRun<WriteArguments>, 'granted' | 'call'>,
  answer: object,
): Promise<object> {
  if (paths.length > 0) await awaitIndexed(paths, granted.indexer, call);
  return answer;
}

async function answerOf<Args extends WriteArguments>(
  { tool, args, call, isDryRun }: WriteRun<Args>,
  { plan, change, isKnown }: Outcome,
): Promise<object> {
  const { detail } = args;
  if (plan.deadLinks !== undefined) warnOfDeadLinks(plan.deadLinks, call);
  warnOfIgnoredProperties(plan, call);
  if (isDryRun) {
    const planId = call.writes.addPlan({ ...dryRunPlan(tool.name, args, plan), isShown: true });
    return planView({ dry_run: true, plan_id: planId }, plan, call, { detail });
  }
  if (change === undefined) return planView({ unchanged: true }, plan, call, { detail });
  call.writes.addChange(call.session, change.id);
  if (args.plan_id !== undefined) call.writes.dropPlan(args.plan_id);
  if (plan.undoes === undefined && change.kept.length > 0) warnOfKeptFolders(change, call);
  const trashed = change.files.find(({ kind }) => kind === 'trash')?.to;
  const head = { change_id: change.id, ...(trashed === undefined ? {} : { trashed }) };
  return planView(head, plan, call, { detail, isKnown });
}

/** Remembers the old and new texts, so that a later conflict with either etag has a diff. */
function rememberTexts({ files }: WritePlan, writes: WriteSession): void {
  for (const { operation, result, before, after } of files) {
    if (result.etag !== undefined && after !== undefined) writes.rememberText(result.etag, after);
    if ('before' in operation && operation.before !== undefined && before !== undefined)
      writes.rememberText(operation.before, before);
  }
}

const MAX_IGNORED = 5;

function warnOfIgnoredProperties({ ignoredProperties: ignored = [] }: WritePlan, call: CallContext): void {
  if (ignored.length === 0) return;
  const shown = ignored.slice(0, MAX_IGNORED).map(({ path, notice }) => `${path}: ${notice}`);
  const more = ignored.length > MAX_IGNORED ? ` And ${ignored.length - MAX_IGNORED} more.` : '';
  call.warn({ code: 'PROPERTIES_IGNORED', message: `${shown.join(' ')}${more}`, count: ignored.length });
}

function warnOfKeptFolders({ kept }: Applied, call: CallContext): void {
  const folders = kept.length === 1 ? `${kept[0]} was kept` : `${kept[0]} and ${kept.length - 1} more were kept`;
  const message = `${folders}: hidden, excluded or new files in there were not moved`;
  call.warn({ code: 'TRUNCATED', message, count: kept.length });
}

/** Arguments that say how to write, not what. */
const CONTROL_ARGUMENTS: ReadonlySet<string> = new Set(['dry_run', 'plan_id', 'confirm', 'detail']);

function contentArguments(args: WriteArguments): Readonly<Record<string, unknown>> {
  const own = Object.entries(args).filter(([name, value]) => !CONTROL_ARGUMENTS.has(name) && value !== undefined);
  return Object.fromEntries(own);
}

function dryRunPlan(tool: string, args: WriteArguments, plan: WritePlan): DryRunPlan {
  const etag = plan.etagBefore;
  const all = { ...plan.args, ...contentArguments(args) };
  return { tool, args: all, steps: stepsOf(plan), ...(etag === undefined ? {} : { etag }) };
}

function stepsOf({ files }: WritePlan): readonly PlannedStep[] {
  return files.map(({ operation, result }) => {
    const { kind, path } = operation;
    const before = 'before' in operation ? operation.before : undefined;
    const key = JSON.stringify([kind, path, result.path, before, result.etag]);
    return { path, key, ...(before === undefined ? {} : { before }) };
  });
}

/** The plan that plan_id names. @throws CHANGE_NOT_FOUND; INVALID_INPUT for arguments that differ from the plan's */
function shownPlan<Args extends WriteArguments>({ tool, args, call }: WriteRun<Args>, id: string): DryRunPlan {
  if (args.dry_run === true)
    throw call.refuse('dry_run', 'cannot be combined with plan_id, which carries out a dry run');
  const plan = call.writes.findPlan(tool.name, id);
  for (const [name, value] of Object.entries(contentArguments(args))) {
    const isSame =
      isDeepStrictEqual(plan.args[name], value) || (name === 'if_match' && isEtagOf(String(value), plan.etag ?? ''));
    if (!isSame) throw call.refuse(name, 'differs from the plan; omit it when you pass plan_id');
  }
  return plan;
}

/** With a plan_id these are the plan's arguments, and the etag that its note had. @throws INVALID_INPUT if one is missing */
function plannedArguments<Args extends WriteArguments>(
  { name, input, required }: WriteTool<Args>,
  args: Args,
  shown: DryRunPlan | undefined,
): Args {
  const ofPlan = shown?.etag === undefined ? shown?.args : { ...shown.args, if_match: shown.etag };
  const all = { ...args, ...ofPlan };
  const missing = required.filter((argument) => all[argument] === undefined);
  if (missing.length === 0) return all;
  const issues = missing.map((path) => ({ path, rule: 'is required without plan_id' }));
  throw inputRefusal(name, Object.keys(input.shape), ...issues);
}

/** @throws CONFIRMATION_REQUIRED */
function requireConsent(tool: string, plan: WritePlan, { if_match, confirm }: WriteArguments): void {
  const { takesOver = [] } = plan;
  const hasConsent = (if_match !== undefined && takesOver.length === 0) || confirm === true;
  if (!plan.needsConsent || hasConsent || plan.files.length === 0) return;
  if (takesOver.length > 0) throw confirmationRequired(tool, plan, { dry_run: true, takes_over: takesOver });
  const takesEtag = plan.etagBefore === undefined ? {} : { if_match: true as const };
  throw confirmationRequired(tool, plan, { dry_run: true, ...takesEtag });
}

/** @throws WRITE_CONFLICT if the same arguments would now write something else */
async function requireUnchanged(
  { steps }: DryRunPlan,
  plan: WritePlan,
  { vault }: WriteSources,
  call: CallContext,
): Promise<void> {
  const now = stepsOf(plan);
  const [gone] = without(steps, now);
  const [added] = without(now, steps);
  const step = gone ?? added;
  if (step !== undefined) throw await writeConflict(step.path, gone?.before, vault, call);
}

function without(steps: readonly PlannedStep[], others: readonly PlannedStep[]): readonly PlannedStep[] {
  const keys = new Set(others.map(({ key }) => key));
  return steps.filter(({ key }) => !keys.has(key));
}

const MAX_AFFECTED = 20;
/** A form is read at a glance; a dry run shows all. */
const MAX_DIFF_LENGTH = 2_000;

function confirmationRequired(
  tool: string,
  { affected }: WritePlan,
  more: Partial<DetailsOf<'CONFIRMATION_REQUIRED'>>,
): VaultgraphError<'CONFIRMATION_REQUIRED'> {
  const options = more.answer === 'declined' || more.answer === 'cancelled' ? { retry: 'U' as const } : {};
  return new VaultgraphError(
    'CONFIRMATION_REQUIRED',
    { operation: tool, affected: firstOf(affected), ...more },
    options,
  );
}

/**
 * Asks the user, without the lock of the writes. A plan that the user refused is dropped.
 * @returns the id of the approved plan @throws CONFIRMATION_REQUIRED unless the user approves it in time
 */
async function approve<Args extends WriteArguments>(
  { tool: { name }, args, call }: WriteRun<Args>,
  plan: WritePlan,
): Promise<string> {
  const planId = args.plan_id ?? call.writes.addPlan(dryRunPlan(name, args, plan));
  const question = await questionAbout(name, plan, call);
  call.progress(0, 1, 'waiting for the answer of the user');
  const answer: Consent = (await call.consent?.(question)) ?? 'no_answer';
  if (answer === 'approved') return planId;
  if (answer === 'no_answer' || answer === 'not_asked')
    throw confirmationRequired(name, plan, { answer, plan_id: planId });
  call.writes.dropPlan(planId);
  throw confirmationRequired(name, plan, { answer });
}

async function questionAbout(tool: string, plan: WritePlan, call: CallContext): Promise<string> {
  const differences = { files: plan.files.map(differenceOf), longest: MAX_DIFF_LENGTH };
  const { diff, cut } = await call.compute.run(jobs.diff, differences, call.signal);
  const rest = cut === 0 ? '' : `\n(${plural(cut, 'file')} cut or left out)`;
  const head = `${tool} changes ${plural(plan.files.length, 'file')}:`;
  return [head, ...firstOf(plan.affected).map((one) => `- ${one}`), '', `${diff.trimEnd()}${rest}`].join('\n');
}

function firstOf(affected: readonly string[]): readonly string[] {
  const more = affected.length - MAX_AFFECTED;
  return more > 0 ? [...affected.slice(0, MAX_AFFECTED), `${more} more`] : affected;
}
