// `vaultgraph status`: prints what is configured, how fresh the index is and what failed.

import { NEVER } from '../base/async/waits.ts';
import { commandLine } from '../base/command-line.ts';
import { plural } from '../base/errors.ts';
import { oneLine } from '../base/visible-controls.ts';
import type { ModelFit } from '../contracts/model-fit.ts';
import type { VaultView } from '../contracts/vault.ts';
import type { CommonOptions } from './common-options.ts';
import { fitText } from './doctor/models.ts';
import { EXIT } from './exit-code.ts';
import { localTime, styled } from './output.ts';
import { type Done, inEachVault, withCore } from './with-core.ts';

export function runStatus(options: CommonOptions): Promise<number> {
  return inEachVault(options, statusIn);
}

function statusIn(options: CommonOptions): Promise<Done> {
  return withCore(options, async (core) => {
    const { text, structured } = await core.call('status', {}, { signal: NEVER });
    const shown = structured.ok
      ? statusText(structured.data as StatusData, core.config.vaultRoot, core.vault.view)
      : `${text}\n`;
    return { exit: structured.ok ? EXIT.done : EXIT.failed, json: structured, text: shown };
  });
}

interface Provider {
  readonly capability: string;
  readonly type: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly model?: string;
  readonly notes?: readonly string[];
}

interface Vectors {
  readonly role: string;
  readonly model: string;
  readonly state: string;
  readonly embedded: number;
  readonly total: number;
  readonly fit?: Fit;
}

type Fit = Pick<ModelFit, 'measured_at' | 'sentences' | 'found' | 'unknown_tokens'> & { readonly poor?: true };

/** The parts of the answer that are shown; a part that could not be read is missing. */
export interface StatusData {
  readonly vault?: { readonly access: string; readonly dialect?: string; readonly recognized_by?: string };
  readonly capabilities?: { readonly present: readonly Provider[] };
  readonly index?: {
    readonly complete: boolean;
    readonly as_of?: string;
    readonly total: number;
    readonly indexed: number;
    readonly pending: number;
    readonly holder?: { readonly client: string; readonly pid: number };
    readonly holder_unknown?: boolean;
  };
  readonly counts?: { readonly notes: number; readonly links: number; readonly unresolved: number };
  readonly embedding?: readonly Vectors[];
  readonly quarantine?: readonly { readonly path: string; readonly code: string; readonly reason: string }[];
  readonly quarantine_total?: number;
  readonly state_folder?: { readonly path: string; readonly errno?: string };
  readonly recovery?: {
    readonly recovered?: readonly { readonly change_id: string; readonly kept?: readonly string[] }[];
    readonly unfinished?: readonly string[];
    readonly error?: { readonly message: string };
  };
  readonly last_crash?: { readonly time: string; readonly kind: string };
  readonly unavailable?: readonly { readonly part: string; readonly code: string; readonly message: string }[];
}

const COLUMN = 11;

/**
 * @param vaultRoot absolute: the answer itself does not name it
 * @param view the globs of the part of the vault that clients may see, or change; a client does not get them
 */
export function statusText(data: StatusData, vaultRoot: string, view?: VaultView): string {
  const { vault, index, quarantine_total: quarantined = 0 } = data;
  const rows: readonly (readonly [label: string, lines: readonly string[]])[] = [
    ['vault', [`${vaultRoot}${vault === undefined ? '' : ` (${vault.access})`}`, ...dialectLines(vault)]],
    ['view', viewLines(view)],
    ['index', index === undefined ? [] : [...indexLines(index, data), ...unwritableText(data), ...driverText(data)]],
    ['server', index === undefined ? [] : [serverText(index)]],
    ['embedding', modelLines('embedding', data)],
    ['llm', modelLines('llm', data)],
    ['rerank', modelLines('rerank', data)],
    ['problems', problemsIn(data, quarantined).map((problem) => styled('yellow', problem, 'stdout'))],
  ];
  return rows
    .filter(([, lines]) => lines.length > 0)
    .flatMap(row)
    .join('');
}

/** What is said of an index without counts is not known. */
const isRead = ({ unavailable = [] }: StatusData): boolean => !unavailable.some(({ part }) => part === 'counts');

const dialectLines = ({ dialect, recognized_by: by }: NonNullable<StatusData['vault']> = { access: '' }): string[] =>
  dialect === undefined ? [] : [`read as ${dialect}, by ${by}`];

function viewLines(view: VaultView | undefined): string[] {
  return Object.entries(view?.globs ?? {}).map(([key, globs]) => `${key}: ${globs.join(', ')}`);
}

const row = ([label, lines]: readonly [string, readonly string[]]): string[] =>
  lines.map((line, at) => `${(at === 0 ? label : '').padEnd(COLUMN)}${oneLine(line)}\n`);

type Index = NonNullable<StatusData['index']>;

function indexLines(index: Index, data: StatusData): string[] {
  const { counts } = data;
  const { complete, as_of: asOf, indexed, pending, holder } = index;
  if (!isRead(data)) return ['it cannot be read now'];
  if (!complete) return [firstIndexText(index)];
  const { links = 0, unresolved = 0 } = counts ?? {};
  const broken = unresolved === 0 ? '' : ` (${unresolved} unresolved)`;
  const waiting = pending === 0 ? '' : `, ${plural(pending, 'changed note')} not indexed yet`;
  const size = `${plural(counts?.notes ?? indexed, 'note')}, ${plural(links, 'link')}${broken}${waiting}`;
  const compared = asOf === undefined ? '' : `compared with the vault at ${localTime(asOf)}`;
  const later =
    holder === undefined && unwritableText(data).length === 0
      ? `; run \`${commandLine('index')}\` to add what changed since`
      : '';
  return [size, ...(compared === '' ? [] : [`${compared}${later}`])];
}

/** How an index in a folder that cannot be written is read. */
const unwritableText = (data: StatusData): string[] =>
  /read (?:in place|from a private copy)[^;]*(?:; this server[^;]*)?/.exec(storeDetail(data)) ?? [];

/** Whether it is read without the native parts. */
const driverText = (data: StatusData): string[] => /on node:sqlite.*/.exec(storeDetail(data)) ?? [];

const storeDetail = ({ capabilities }: StatusData): string =>
  capabilities?.present.find(({ capability }) => capability === 'store')?.detail ?? '';

function firstIndexText({ indexed, total, holder }: Index): string {
  if (holder !== undefined) return `the first index is being built: ${indexed} of ${plural(total, 'note')}`;
  if (total === 0) return `no notes are indexed yet: run \`${commandLine('index')}\`, or start the server`;
  return `${indexed} of ${plural(total, 'note')} are indexed: run \`${commandLine('index')}\` for the rest`;
}

function serverText({ holder, holder_unknown: isUnknown }: Index): string {
  if (isUnknown) return 'which server keeps the index up to date cannot be read now';
  if (holder === undefined) return 'none keeps the index up to date now';
  return `${holder.client} (process ${holder.pid}) keeps the index up to date`;
}

const VECTOR_STATES: Readonly<Record<string, string>> = {
  building: 'so far',
  mismatched: 'by another model, so that they are not searched',
};

function modelLines(name: 'embedding' | 'llm' | 'rerank', { capabilities, embedding = [] }: StatusData): string[] {
  if (capabilities === undefined) return [];
  const providers = capabilities.present.filter(({ capability }) => capability.split('.')[0] === name);
  if (providers.length === 0) return [`off (providers.${name} in the config turns it on)`];
  const vectors = name === 'embedding' ? embedding.filter(({ state }) => state !== 'previous') : [];
  return [...providers.map(providerText), ...vectors.flatMap((each) => [vectorsText(each), ...measuredText(each)])];
}

const providerText = ({ type, model, ok, detail }: Provider): string =>
  `${type} ${model ?? ''}: ${ok ? detail : styled('yellow', detail, 'stdout')}`;

function vectorsText({ role, model, state, embedded, total }: Vectors): string {
  const which = role === 'main' ? '' : `${role}: `;
  const how = VECTOR_STATES[state];
  return `${which}${embedded} of ${plural(total, 'note')} embedded with ${model}${how === undefined ? '' : ` ${how}`}`;
}

function measuredText({ fit }: Vectors): string[] {
  if (fit === undefined) return [];
  const text = `${fitText(fit)}, measured at ${localTime(fit.measured_at)}`;
  return [fit.poor ? styled('yellow', text, 'stdout') : text];
}

function problemsIn(data: StatusData, quarantined: number): string[] {
  const { capabilities, quarantine = [], state_folder: folder, recovery, last_crash: crash, unavailable = [] } = data;
  const rest = quarantined - quarantine.length;
  return [
    ...quarantine.map(({ path, code, reason }) => `${path}: [${code}] ${reason}`),
    ...(rest > 0 ? [`and ${plural(rest, 'other')} not read completely`] : []),
    ...(capabilities?.present ?? []).flatMap(({ capability, notes = [] }) =>
      notes.map((note) => `${capability}: ${note}`),
    ),
    ...(capabilities?.present ?? [])
      .filter(({ capability, ok }) => !ok && ['vault', 'store', 'writer'].includes(capability))
      .map(({ capability, detail }) => `${capability}: ${detail}`),
    ...(folder?.errno === undefined
      ? []
      : [`${folder.path} cannot be written (${folder.errno}): no note can be changed`]),
    ...(recovery?.recovered ?? []).flatMap(keptText),
    ...(recovery?.unfinished ?? []).map((id) => `the change ${id} is not finished`),
    ...(recovery?.error === undefined ? [] : [recovery.error.message]),
    ...(crash === undefined ? [] : [`a server crashed at ${localTime(crash.time)}: ${crash.kind}`]),
    ...unavailable.map(({ part, code, message }) => `${part} cannot be shown: [${code}] ${message}`),
  ];
}

function keptText({
  change_id: id,
  kept = [],
}: {
  readonly change_id: string;
  readonly kept?: readonly string[];
}): string[] {
  if (kept.length === 0) return [];
  return [
    `the change ${id} was taken back after a crash, but these notes were edited after it had reached them: ${kept.join(', ')}`,
  ];
}
