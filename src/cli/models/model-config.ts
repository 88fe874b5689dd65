// Names an installed model in the config file, or takes it out again.
import { dirname } from 'node:path';
import { VaultgraphError } from '../../base/errors.ts';
import { makeFolderDurably } from '../../base/make-folder.ts';
import type { Config } from '../../config/config.ts';
import { locateConfigFile } from '../../config/config-sources.ts';
import { type LocalModel, type ModelKey, modelIn, withModel } from '../../config/model-section.ts';
import type { CommonOptions } from '../common-options.ts';
import { type Edited, editSettings, readSettings } from '../install/settings-file.ts';
import { thisMachine } from '../machine.ts';
import { onDisk } from './download.ts';

type ModelType = LocalModel['type'];

/** The config file of these options, which may not exist yet. */
export function configFile({ config }: CommonOptions): string {
  const flags = config === undefined ? {} : { config };
  return locateConfigFile({ flags, ...thisMachine(), cwd: process.cwd() }).path;
}

const isModel = (section: unknown, folder: string): boolean => {
  const { type, model } = Object(section);
  return (type === 'model2vec' || type === 'onnx') && model === folder;
};

/** Edits nothing. @throws CONFIG_INVALID if the file has another model and may not lose it, or cannot be edited */
export function checkEditable(key: ModelKey, file: string, folder: string, mayReplace: boolean): void {
  const text = readSettings(file) ?? '';
  const section = modelIn(key, file, text);
  if (section !== undefined && !isModel(section, folder) && !mayReplace) {
    const { type, model } = Object(section);
    const what = `already has another model (${type ?? (key === 'rerank' ? 'rerank-server' : 'ollama')}${model === undefined ? '' : `, ${model}`}); it was not changed`;
    throw new VaultgraphError('CONFIG_INVALID', {
      faults: [{ file, key: `providers.${key}`, what }],
      advice: 'Pass --replace to use the new model instead; a backup of the file is kept.',
    });
  }
  withModel(key, file, text, { type: 'model2vec', model: folder });
}

/** A new file also names the vault. @throws CONFIG_INVALID, FILE_WRITE_FAILED */
export async function useModel(
  key: ModelKey,
  file: string,
  folder: string,
  type: ModelType,
  { vaultRoot }: Config,
): Promise<Edited> {
  await onDisk(file, () => makeFolderDurably(dirname(file)));
  return editSettings(file, (text) => {
    const before = text === '' ? `vault:\n  path: ${JSON.stringify(vaultRoot)}\n` : text;
    const named = modelIn(key, file, before);
    if (isModel(named, folder) && Object(named).type === type) return { text: before };
    return { text: withModel(key, file, before, { type, model: folder }) };
  });
}

/** The section that names the model; that of embedding if none does. @throws as `stopUsingModel` */
export function keyInConfig(file: string, folder: string): ModelKey {
  return isModel(modelIn('rerank', file, readSettings(file) ?? ''), folder) ? 'rerank' : 'embedding';
}

/** Undefined if the file does not name the model. @throws CONFIG_INVALID, FILE_WRITE_FAILED */
export async function stopUsingModel(key: ModelKey, file: string, folder: string): Promise<Edited | undefined> {
  const text = readSettings(file) ?? '';
  if (!isModel(modelIn(key, file, text), folder)) return undefined;
  return editSettings(file, (now) => ({ text: withModel(key, file, now, undefined) }));
}
