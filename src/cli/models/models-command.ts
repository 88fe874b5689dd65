// `vaultgraph models`: lists recommended and installed models, adds one and removes one.
import type { VaultgraphError } from '../../base/errors.ts';
import type { ModelKey } from '../../config/model-section.ts';
import { EXIT } from '../exit-code.ts';
import { askPerson } from '../init/questions.ts';
import { print, printJson, report } from '../output.ts';
import { usageError } from '../usage.ts';
import { addModel, type ModelsOptions } from './add-model.ts';
import { CATALOGUE, MODEL_NAMES } from './catalogue.ts';
import { nameOfSource } from './fetch-model.ts';
import { configFile, keyInConfig, stopUsingModel } from './model-config.ts';
import {
  damagedModels,
  folderOf,
  installedModels,
  isInstalled,
  isModelName,
  isStaged,
  modelsFolder,
  recordOf,
  removeModel,
} from './model-folders.ts';
import { addedText, listText, removedText } from './models-text.ts';
import { removeRuntime } from './runtime.ts';

export type ModelAction = 'list' | 'add' | 'remove';

export async function runModels(
  action: ModelAction,
  name: string | undefined,
  options: ModelsOptions,
): Promise<number> {
  if (action === 'list') return list(name, options);
  const named = name ?? (action === 'add' && options.from !== undefined ? nameOfSource(options.from) : undefined);
  if (named === undefined) throw wrongName(`name the model: \`models ${action} NAME\``, action, options);
  return action === 'add' ? add(named, options) : remove(named, options);
}

function list(name: string | undefined, options: ModelsOptions): number {
  if (name !== undefined)
    throw usageError({
      command: 'models',
      rule: '`models list` takes no name',
      accepted: ['list', 'add NAME', 'remove NAME'],
    });
  const models = modelsFolder(options);
  const installed = installedModels(models);
  const recommended = CATALOGUE.map((model) => ({ ...model, score: model.score ?? 'not measured' }));
  const damaged = damagedModels(models);
  if (options.json) printJson({ recommended, installed, damaged, folder: models });
  else print(listText(installed, damaged));
  return EXIT.done;
}

async function add(name: string, options: ModelsOptions): Promise<number> {
  const isAsking = options.yes !== true && process.stdin.isTTY === true && options.json !== true;
  const person = isAsking ? askPerson(process.stdin) : undefined;
  try {
    const added = await addModel(name, options, person);
    if (added === undefined) {
      report('Nothing was installed and the config was not changed.\n');
      return EXIT.failed;
    }
    if (options.json) printJson(added);
    else print(addedText(added));
    return EXIT.done;
  } finally {
    person?.close();
  }
}

/** The config stops naming the model before its folder is gone. */
async function remove(name: string, options: ModelsOptions): Promise<number> {
  const models = modelsFolder(options);
  if (!isModelName(name) || !(isInstalled(models, name) || isStaged(models, name)))
    throw wrongName(`no model named ${name} is installed`, 'remove', options, name);
  const folder = folderOf(models, name);
  const key: ModelKey = recordOf(models, name)?.key ?? keyInConfig(configFile(options), folder);
  const edited = await stopUsingModel(key, configFile(options), folder);
  await removeModel(models, name);
  const isRuntimeNeeded =
    damagedModels(models).length > 0 || installedModels(models).some(({ type }) => type === 'onnx');
  if (!isRuntimeNeeded) await removeRuntime(models);
  const removed = {
    name,
    key,
    folder,
    config: edited === undefined ? null : configFile(options),
    backup: edited?.backup ?? null,
  };
  if (options.json) printJson(removed);
  else print(removedText(removed));
  return EXIT.done;
}

function wrongName(rule: string, action: ModelAction, options: ModelsOptions, received?: string): VaultgraphError {
  const names = action === 'add' ? MODEL_NAMES : installedModels(modelsFolder(options)).map((one) => one.name);
  return usageError({
    command: `models ${action}`,
    rule,
    accepted: names,
    ...(received !== undefined && { received }),
  });
}
