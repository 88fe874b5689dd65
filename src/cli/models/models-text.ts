// The texts of `vaultgraph models`.
import type { ModelRecord } from '../../app/load-providers.ts';
import { commandLine } from '../../base/command-line.ts';
import { grouped } from '../../base/errors.ts';
import { shownPath } from '../../base/local-path.ts';
import type { ModelKey } from '../../config/model-section.ts';
import { CATALOGUE, type CatalogueModel, howToGet } from './catalogue.ts';
import type { DownloadPlan } from './fetch-model.ts';
import { type HubFile, hostOf } from './hub.ts';

export interface Added {
  readonly model: ModelRecord;
  readonly folder: string;
  /** Whether the files were there already. */
  readonly was_installed: boolean;
  readonly config: string;
  /** The config before the change; null if it did not change or did not exist. */
  readonly backup: string | null;
}

/** @param damaged names of models whose record cannot be read */
export function listText(installed: readonly ModelRecord[], damaged: readonly string[]): string {
  const records = new Map(installed.map((record) => [record.name, record]));
  const others = installed.filter(({ name }) => CATALOGUE.every((model) => model.name !== name));
  return [
    'Models for search by meaning, and for reranking its hits. All but those of Ollama run inside vaultgraph and need no server.',
    '',
    ...CATALOGUE.flatMap((model) => [...modelLines(model), stateLine(model, records.get(model.name))]),
    ...others.flatMap((record) => [record.name, installedLine(record)]),
    ...damaged.flatMap(damagedLines),
    '',
    'With -int8 after its name, a static model is stored with one byte per number (score not measured).',
    `Add one: ${commandLine('models add NAME')}`,
    '',
  ].join('\n');
}

function modelLines({ name, repository, languages, licence, disk, memory, score, chooseIf }: CatalogueModel): string[] {
  return [
    name,
    `  ${repository} · ${languages} · licence ${licence} · our score: ${score ?? 'not measured'}`,
    `  ${disk} on disk · in memory: ${memory ?? 'not measured'}`,
    `  choose it ${chooseIf}`,
  ];
}

const stateLine = (model: CatalogueModel, record: ModelRecord | undefined): string =>
  record === undefined && model.get !== undefined ? `  not installed; ${howToGet(model)}` : installedLine(record);

const damagedLines = (name: string): string[] => [
  name,
  `  its record is damaged: run \`${commandLine(`models remove ${name}`)}\`, then add it again`,
];

const kindOf = ({ key, dimensions }: ModelRecord): string =>
  key === 'rerank' ? 'orders hits' : `${dimensions} dimensions`;

function installedLine(record: ModelRecord | undefined): string {
  if (record === undefined) return '  not installed';
  const { installed_at: at, revision, source } = record;
  const origin = source === null ? `revision ${revision}` : `from ${shownPath(source)}`;
  return `  installed ${at.slice(0, 10)} · ${kindOf(record)} · ${origin}`;
}

export function planText(
  { repository, licence }: CatalogueModel,
  { place, files, bytes }: DownloadPlan,
  folder: string,
  isInt8: boolean,
): string {
  const hosts = [...new Set([hostOf(place.hub), ...files.flatMap(({ servedBy }) => servedBy ?? [])])];
  return [
    `${repository}, licence ${licence}`,
    `  revision   ${place.revision}`,
    `  from       ${hosts.join(', ')}`,
    `  to         ${shownPath(folder)}`,
    ...files.map(fileLine),
    `  in total   ${grouped(bytes)} bytes`,
    ...(isInt8 ? ['  stored     with one byte per number, made here after the download'] : []),
    '',
  ].join('\n');
}

const fileLine = ({ file, bytes, sha256 }: HubFile): string =>
  `  ${file}   ${grouped(bytes)} bytes, SHA-256 ${sha256 ?? 'not known before the download'}`;

export function addedText({ model, folder, was_installed: wasInstalled, config, backup }: Added): string {
  const computed = model.files.filter(({ hash_from }) => hash_from === 'computed');
  return [
    `${model.name} ${wasInstalled ? 'was installed already' : 'is installed'} in ${shownPath(folder)} (${kindOf(model)})`,
    ...(wasInstalled ? [] : model.files.map(({ file, sha256 }) => `  ${file}   SHA-256 ${sha256}`)),
    ...(wasInstalled || computed.length === 0
      ? []
      : [`  computed here, not compared with a hub: ${computed.map(({ file }) => file).join(', ')}`]),
    ...(wasInstalled || model.stored === null
      ? []
      : [`  stored with one byte per number: ${grouped(model.stored.bytes)} bytes, SHA-256 ${model.stored.sha256}`]),
    `providers.${model.key ?? 'embedding'} in ${shownPath(config)} names it.`,
    ...(backup === null ? [] : [`  backup: ${shownPath(backup)}`]),
    ...(model.key === 'rerank' ? [] : [`Next: ${commandLine('index')}`]),
    '',
  ].join('\n');
}

/** What the config no longer does, by the section that is removed. */
const OFF = { embedding: 'search by meaning is off', rerank: 'hits are no longer reordered' };

export function removedText({
  name,
  key,
  folder,
  config,
  backup,
}: {
  name: string;
  key: ModelKey;
  folder: string;
  config: string | null;
  backup: string | null;
}): string {
  return [
    `${name} is removed (${shownPath(folder)})`,
    ...(config === null ? [] : [`providers.${key} is removed from ${shownPath(config)}; ${OFF[key]}.`]),
    ...(backup === null ? [] : [`  backup: ${shownPath(backup)}`]),
    '',
  ].join('\n');
}
