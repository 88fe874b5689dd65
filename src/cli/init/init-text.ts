// The texts of `vaultgraph init`: the written file and the enabled tools, and the next steps.
import { programName, shellWord } from '../../base/command-line.ts';
import { plural } from '../../base/errors.ts';
import { CLIENTS, clientsHere } from '../install/clients.ts';
import { thisMachine, type Workplace } from '../machine.ts';
import { type Chosen, type ChosenModel, type Installed, USUAL } from './config-text.ts';

export interface Written {
  readonly file: string;
  readonly chosen: Chosen;
  readonly tools: readonly string[];
  readonly notes: number;
  /** Undefined if no model server answers. */
  readonly installed: Installed | undefined;
  /** Whether the user named the config file, so that commands must name it too. */
  readonly isNamed: boolean;
  /** The model that `init` installed. */
  readonly staticModel?: string | undefined;
}

export function writtenText(written: Written): string {
  const { file, chosen, tools, notes } = written;
  const { vault, vaults = [], access } = chosen;
  return [
    `Wrote ${file}`,
    ...(vaults.length === 0
      ? [`  vault      ${vault} (${access}), ${plural(notes, 'note')}`]
      : [
          ...vaults.map(({ name, path }, at) => `  ${at === 0 ? 'vaults' : '      '}     ${name}: ${path} (${access})`),
          `  notes      ${notes}`,
        ]),
    `  embedding  ${modelText('embedding', written)}`,
    `  llm        ${modelText('llm', written)}`,
    `  tools      ${tools.join(', ')}`,
    ...(notes === 0 ? [`The folder has no notes: is it the right one? It is vault.path in ${file}.`] : []),
    '',
  ].join('\n');
}

const instead = (): string => `; \`${programName()} models\` lists models that need no server`;

function modelText(capability: keyof Installed, { file, chosen, installed, staticModel }: Written): string {
  if (capability === 'embedding' && staticModel !== undefined) return `${staticModel}, inside vaultgraph`;
  const model: ChosenModel | undefined = chosen[capability];
  if (model !== undefined) return `${model.model} at ${model.endpoint}`;
  if (installed === undefined) return `off (Ollama does not answer${capability === 'embedding' ? instead() : ''})`;
  const models = installed[capability];
  if (models.length === 0) return `off (\`ollama pull ${USUAL[capability]}\` gets a model for it)`;
  return `off (installed: ${models.join(', ')}; to use one, uncomment providers.${capability} in ${file})`;
}

/** One command per installed client, ready to paste. */
export function nextStepsText(
  { file, isNamed }: Pick<Written, 'file' | 'isNamed'>,
  machine: Workplace = thisMachine(),
): string {
  const called = programName();
  const config = isNamed ? ` --config ${shellWord(file)}` : '';
  const install = (client: string): string => `  ${called} install --client ${client}${config}`;
  const here = clientsHere(machine);
  const others = CLIENTS.map(({ name }) => name).join(', ');
  return [
    here.length === 0 ? `Next, for your client (${others}):` : 'Next, for each client that should use it:',
    ...(here.length === 0 ? [install('NAME')] : here.map(({ name }) => install(name))),
    `If something does not work: ${called} doctor${config}`,
    '',
  ].join('\n');
}
