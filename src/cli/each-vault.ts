// Runs a command for each of several vaults in turn, so that one that fails leaves the others done.
import { outcomeOf } from '../base/outcome.ts';
import { type CommonOptions, configsFor } from './common-options.ts';
import { exitCodeOf } from './exit-code.ts';
import { print, printJson } from './output.ts';
import { failureJson, failureText } from './perform.ts';

/** What a command did in one vault. */
export interface Done {
  readonly exit: number;
  readonly json: object;
  readonly text: string;
}

/** The names of several vaults; undefined if the command is about one. @throws CONFIG_INVALID, CONFIG_MISSING */
export async function severalNames(options: CommonOptions): Promise<readonly string[] | undefined> {
  const configs = await configsFor(options);
  return 'one' in configs ? undefined : configs.several.map(({ name }) => name);
}

/** Prints what `run` did in the vault; in each of several, under its name. @returns the highest exit code */
export async function inEachVault<O extends CommonOptions>(
  options: O,
  run: (options: O) => Promise<Done>,
): Promise<number> {
  const names = await severalNames(options);
  if (names === undefined) return printed(await run(options), options);
  const all: Done[] = [];
  for (const name of names) {
    const done = await doneIn(run({ ...options, vault: name }));
    all.push({ ...done, json: { vault: name, ...done.json }, text: `${name}\n${indented(done.text)}` });
  }
  const exit = Math.max(...all.map((done) => done.exit));
  const text = all.map((done) => done.text).join('\n');
  return printed({ exit, text, json: { vaults: all.map(({ json }) => json) } }, options);
}

function printed({ exit, json, text }: Done, options: CommonOptions): number {
  if (options.json) printJson(json);
  else print(text);
  return exit;
}

async function doneIn(run: Promise<Done>): Promise<Done> {
  const outcome = await outcomeOf(run);
  if ('value' in outcome) return outcome.value;
  const { error } = outcome;
  return { exit: exitCodeOf(error), json: failureJson(error), text: failureText(error) };
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');
