// The closing text of `vaultgraph init`: the written file, the enabled tools and the next steps.

import { CLIENTS, clientsHere } from '../install/clients.ts';
import { calledAs, type Machine, thisMachine } from '../machine.ts';
import type { Installed } from './choose-models.ts';
import type { Chosen, ChosenModel } from './config-text.ts';

export interface Written {
  readonly file: string;
  readonly chosen: Chosen;
  readonly tools: readonly string[];
  readonly notes: number;
  /** Undefined if no model server answers. */
  readonly installed: Installed | undefined;
  /** Whether the user named the config file, so that commands must name it too. */
  readonly isNamed: boolean;
}

/** Suggested models by capability. */
const USUAL = { embedding: 'embeddinggemma', llm: 'llama3.2' };

export function initText(written: Written, machine: Machine = thisMachine()): string {
  const { file, chosen, tools, notes, installed } = written;
  const { vault, access } = chosen;
  return [
    `Wrote ${file}`,
    `  vault      ${vault} (${access}), ${notes === 1 ? '1 note' : `${notes} notes`}`,
    `  embedding  ${modelText('embedding', chosen.embedding, installed)}`,
    `  llm        ${modelText('llm', chosen.llm, installed)}`,
    `  tools      ${tools.join(', ')}`,
    ...(notes === 0 ? [`The folder has no notes: is it the right one? It is vault.path in ${file}.`] : []),
    ...nextSteps(written, machine),
    '',
  ].join('\n');
}

function modelText(
  capability: keyof Installed,
  chosen: ChosenModel | undefined,
  installed: Installed | undefined,
): string {
  if (chosen !== undefined) return `${chosen.model} at ${chosen.endpoint}`;
  if (installed === undefined) return 'off (Ollama does not answer)';
  return installed[capability].length > 0 ? 'off' : `off (\`ollama pull ${USUAL[capability]}\` gets a model for it)`;
}

/** One command per installed client, ready to paste. */
function nextSteps({ file, isNamed }: Written, machine: Machine): string[] {
  const called = calledAs();
  const config = isNamed ? ` --config ${/\s/.test(file) ? JSON.stringify(file) : file}` : '';
  const install = (client: string): string => `  ${called} install --client ${client}${config}`;
  const here = clientsHere(machine);
  const others = CLIENTS.map(({ name }) => name).join(', ');
  return [
    here.length === 0 ? `Next, for your client (${others}):` : 'Next, for each client that should use it:',
    ...(here.length === 0 ? [install('NAME')] : here.map(({ name }) => install(name))),
    `If something does not work: ${called} doctor${config}`,
  ];
}
