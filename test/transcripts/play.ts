// Plays a transcript against the built program, and compares what is shown with what the transcript expects.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { countO200k } from '../bench/o200k.ts';
import { fingerprint } from '../journeys/fingerprint.ts';
import { openSession, ROOT, runBeside, type Session, temporaryFolder } from '../journeys/session.ts';
import { until } from '../until.ts';
import { equals, fits, valueAt } from './match.ts';
import { type Asked, type Expectation, parseTranscript, type Step } from './transcript.ts';

/** With this in the environment, a transcript that does not hold is printed as it would hold. It fails all the same. */
const PRINTS = process.env.VAULTGRAPH_TRANSCRIPTS === 'print';
const MAX_SHOWN_LINES = 40;

interface Shown {
  readonly text: string;
  readonly stderr: string;
  readonly root: unknown;
  readonly status: number | null;
  readonly code: string | undefined;
}

/** The limits of a wish, and what its calls took. */
interface Wish {
  readonly at: number;
  readonly calls: number;
  readonly tokens: number;
  made: number;
  asText: number;
  asJson: number;
}

/** By the number of a line that does not hold: the lines that would. */
type Differences = Map<number, readonly string[]>;

export async function playTranscript(context: TestContext, file: string): Promise<void> {
  const text = readFileSync(file, 'utf8');
  const play = new Play(context);
  for (const step of parseTranscript(text)) await play.run(step);
  play.endWish();
  const lines = text.split('\n');
  if (PRINTS && play.differences.size > 0)
    process.stdout.write(`${lines.flatMap((line, at) => play.differences.get(at + 1) ?? [line]).join('\n')}\n`);
  const byLine = [...play.differences].sort(([one], [other]) => one - other);
  const shown = byLine.map(([at, now]) => `line ${at}\n- ${lines[at - 1]}\n${now.map((one) => `+ ${one}`).join('\n')}`);
  if (shown.length > 0) assert.fail(shown.join('\n\n'));
}

class Play {
  readonly differences: Differences = new Map();
  readonly #context: TestContext;
  readonly #vault: string;
  readonly #data: string;
  readonly #names = new Map<string, string>();
  #config: string | undefined;
  #session: Session | undefined;
  #marked = '';
  #wish: Wish | undefined;

  constructor(context: TestContext) {
    this.#context = context;
    [this.#vault, this.#data] = [temporaryFolder(context), temporaryFolder(context)];
    this.#names.set('vault', this.#vault);
  }

  async run(step: Step): Promise<void> {
    if (step.kind === 'do') return this.#do(step);
    for (const asked of step.asked) {
      const look = async (): Promise<Differences> => this.#compare(asked, await this.#ask(asked), step.expected);
      let seen = await look();
      if (asked.form === 'again')
        await until(async () => {
          if (seen.size > 0) seen = await look();
          return seen.size === 0;
        }, asked.text).catch(() => undefined);
      for (const [at, now] of seen) this.differences.set(at, now);
    }
  }

  async #do({ at, verb, what, body }: Extract<Step, { kind: 'do' }>): Promise<void> {
    const text = body.map((line) => `${this.#filled(line.text)}\n`).join('');
    const [path = '', rest = ''] = this.#filled(what).split(' to ');
    const place = join(this.#vault, path);
    if (verb === 'write' || verb === 'append') mkdirSync(dirname(place), { recursive: true });
    if (verb === 'vault') cpSync(join(ROOT, 'vault-fixtures', what), this.#vault, { recursive: true });
    else if (verb === 'config') {
      this.#config = join(temporaryFolder(this.#context), 'config.yaml');
      writeFileSync(this.#config, text);
    } else if (verb === 'write') writeFileSync(place, text);
    else if (verb === 'append') appendFileSync(place, text);
    else if (verb === 'delete') rmSync(place, { recursive: true });
    else if (verb === 'move') renameSync(place, join(this.#vault, rest));
    else if (verb === 'time') utimesSync(place, new Date(rest), new Date(rest));
    else if (verb === 'mark files') this.#marked = fingerprint(this.#vault);
    else if (verb === 'same files') this.#check(at, fingerprint(this.#vault) === this.#marked, ['other files']);
    else if (verb === 'file') this.#checkFile(at, place, text);
    else if (verb === 'gone') this.#check(at, !existsSync(place), [`file ${place}`]);
    else if (verb === 'wish') this.#beginWish(at, what);
    else await this.#endServer(verb === 'kill');
  }

  /** The calls that follow fulfil the wish of a user, within limits: `2 calls, 500 tokens: What is due?`. */
  #beginWish(at: number, what: string): void {
    this.endWish();
    const [, calls, tokens] =
      /^(\d+) calls?, (\d+) tokens: /.exec(what) ?? assert.fail(`transcript line ${at}: ${what}`);
    this.#wish = { at, calls: Number(calls), tokens: Number(tokens), made: 0, asText: 0, asJson: 0 };
  }

  /** Compares what the calls of a wish took with its limits, in either form of an answer. */
  endWish(): void {
    if (this.#wish === undefined) return;
    const { at, calls, tokens, made, asText, asJson } = this.#wish;
    const isWithin = made <= calls && asText <= tokens && asJson <= tokens;
    this.#check(at, isWithin, [`wish ${made} calls, ${asText} tokens as text, ${asJson} as JSON`]);
    this.#wish = undefined;
  }

  #checkFile(at: number, place: string, expected: string): void {
    const now = existsSync(place) ? readFileSync(place, 'utf8') : '';
    this.#check(at, fits(expected.trimEnd(), now.trimEnd()), [
      `file ${place}`,
      ...now
        .trimEnd()
        .split('\n')
        .map((line) => `| ${line}`),
    ]);
  }

  #check(at: number, holds: boolean, now: readonly string[]): void {
    if (!holds) this.differences.set(at, now);
  }

  async #endServer(isKilled: boolean): Promise<void> {
    if (isKilled && this.#session !== undefined) process.kill(this.#session.processId, 'SIGKILL');
    await this.#session?.close();
    this.#session = undefined;
  }

  /** Days as `{today}` and `{today-2}`, the folder of the vault, and what was kept. */
  #filled(text: string): string {
    return text.replaceAll(/\{(\w+)([+-]\d+)?\}/g, (whole, name: string, days?: string) => {
      if (name !== 'today') return this.#names.get(name) ?? whole;
      const day = new Date();
      day.setDate(day.getDate() + Number(days ?? 0));
      return day.toLocaleDateString('sv');
    });
  }

  async #ask({ form, text }: Asked): Promise<Shown> {
    const filled = this.#filled(text);
    if (form === 'command') return this.#command(argumentsIn(filled));
    const [, tool = '', given = '{}'] = /^(\w+) ?(.*)$/.exec(filled) ?? [];
    this.#session ??= await this.#start();
    const answer = await this.#session.call(tool, JSON.parse(given || '{}'));
    if (this.#wish !== undefined) {
      const sent = countO200k(given);
      this.#wish.made += 1;
      this.#wish.asText += sent + countO200k(answer.text);
      this.#wish.asJson += sent + countO200k(JSON.stringify(answer.structured));
    }
    return {
      text: answer.text,
      stderr: '',
      root: answer.structured,
      status: null,
      code: answer.structured?.error?.code,
    };
  }

  async #start(): Promise<Session> {
    const place = this.#config === undefined ? { vault: this.#vault } : { config: this.#config };
    const session = await openSession(this.#context, { ...place, dataFolder: this.#data });
    await session.indexed();
    return session;
  }

  async #command(args: readonly string[]): Promise<Shown> {
    const place = this.#config === undefined ? ['--vault', this.#vault] : ['--config', this.#config];
    const { status, stdout, stderr } = await runBeside(this.#context, [...args, ...place, '--data-dir', this.#data]);
    return { text: stdout, stderr, root: printedJson(stdout), status, code: undefined };
  }

  async #compare(asked: Asked, shown: Shown, expected: readonly Expectation[]): Promise<Differences> {
    const differences: Differences = new Map();
    const lines = shown.text.split('\n');
    const isMarked = (kind: Expectation['kind']): boolean => expected.some((one) => one.kind === kind);
    if (shown.code !== undefined && !isMarked('error'))
      differences.set(asked.at, [`> ${asked.text}`, `error ${shown.code}`, ...shownText(lines)]);
    if (asked.form === 'command' && shown.status !== 0 && !isMarked('exit'))
      differences.set(asked.at, [`$ vaultgraph ${asked.text}`, `exit ${shown.status}`, `2| ${shown.stderr}`]);
    let next = 0;
    let isNext = false;
    for (const one of expected) {
      const text = this.#filled(one.text);
      const differs = (...now: string[]): void => void differences.set(one.at, now);
      if (one.kind === 'text' && text === '...') isNext = false;
      else if (one.kind === 'text') {
        const found = lines.findIndex((line, at) => at >= next && fits(text, line));
        if (found === -1 || (isNext && found !== next)) differs(...shownText(lines.slice(next)));
        else next = found + 1;
        isNext = true;
      } else if (one.kind === 'no text') {
        const line = lines.find((each) => fits(text, each));
        if (line !== undefined) differs(`| ${line}`);
      } else if (one.kind === 'none') {
        const printed = text === 'output' ? shown.text : shown.stderr;
        if (printed !== '') differs(...shownText(printed.split('\n')));
      } else if (one.kind === 'stderr') {
        if (!shown.stderr.split('\n').some((line) => fits(text, line))) differs(`2| ${shown.stderr.trimEnd()}`);
      } else if (one.kind === 'log') {
        const isLogged = (): boolean =>
          this.#session
            ?.stderr()
            .split('\n')
            .some((line) => fits(text, line)) === true;
        await until(isLogged, text).catch(() => differs(`log| ${this.#session?.stderr()}`));
      } else if (one.kind === 'error') {
        if (shown.code !== text) differs(`error ${shown.code}`, ...shownText(lines));
      } else if (one.kind === 'exit') {
        if (String(shown.status) !== text) differs(`exit ${shown.status}`);
      } else if (one.kind === 'keep') {
        const [name = '', path = ''] = text.split(' = ');
        const value = valueAt(shown.root, path);
        this.#names.set(name, typeof value === 'string' ? value : JSON.stringify(value));
      } else {
        const [, path = '', value = ''] = /^([^ ]+): (.*)$/.exec(text) ?? [];
        const actual = valueAt(shown.root, path);
        const holds = value === 'absent' ? actual === undefined : equals(JSON.parse(value), actual);
        if (!holds) differs(`${path}: ${actual === undefined ? 'absent' : JSON.stringify(actual)}`);
      }
    }
    return differences;
  }
}

const shownText = (lines: readonly string[]): string[] => lines.slice(0, MAX_SHOWN_LINES).map((line) => `| ${line}`);

/** JSON on several lines, or one object on each of them, which are a list then. */
function printedJson(stdout: string): unknown {
  const lines = stdout.trimEnd().split('\n');
  const isList = lines.length > 1 && lines.every((line) => line.startsWith('{'));
  if (isList) return lines.map((line) => JSON.parse(line));
  return stdout.startsWith('{') ? JSON.parse(stdout) : undefined;
}

/** As a shell splits them: at spaces, but not inside single quotes. */
function argumentsIn(text: string): string[] {
  return [...text.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
