// What tools answer now, as the data of a prompt: held to a size, and what failed said with its code. Knows no tool by name.
import type { FailedAnswer, PromptCall, ToolAnswer } from '../../contracts/prompt.ts';
import { tokenBound } from '../../markdown/chunk/token-bound.ts';
import { cutToLines } from '../notes/cut-text.ts';

export interface Question {
  /** What the answer is, for the reader: `open tasks`. */
  readonly what: string;
  readonly tool: string;
  readonly given: object;
  /** About as many tokens as the answer may take up, never more. */
  readonly tokens: number;
  /** An argument of the prompt stands in it: where the tool refuses that, there is nothing to write. */
  readonly decides?: true;
  /** Asked where no such note is there, and what it means that none is there then either. */
  readonly otherwise?: { readonly given: object; readonly what: string; readonly absent: string };
}

export interface LiveData {
  /** One line: what it is, by which tool, and what is wrong with it. */
  readonly label: string;
  readonly text: string;
}

/** In the order of the questions; of tools that are not listed nothing is asked, and nothing more once one that decides refuses. */
export async function liveData(
  questions: readonly Question[],
  call: PromptCall,
): Promise<{ readonly data: readonly LiveData[] } | { readonly refused: FailedAnswer }> {
  const asked = questions.filter(({ tool }) => call.lists(tool));
  const answers = new Map<Question, ToolAnswer>();
  for (const question of asked.filter(({ decides }) => decides)) {
    const answer = await call.ask(question.tool, question.given);
    if (answer.error?.fix_by === 'caller') return { refused: answer.error };
    answers.set(question, answer);
  }
  const data = asked.map(async (question) => {
    return shown(question, answers.get(question) ?? (await call.ask(question.tool, question.given)), call);
  });
  return { data: await Promise.all(data) };
}

async function shown(question: Question, answer: ToolAnswer, call: PromptCall): Promise<LiveData> {
  const { what, tool, tokens, otherwise } = question;
  if (otherwise === undefined || !isOfNoNote(answer)) return held(question, answer);
  const other = await call.ask(tool, otherwise.given);
  if (isOfNoNote(other)) return { label: `${what}: ${otherwise.absent}`, text: '' };
  return held({ what: otherwise.what, tool, tokens }, other);
}

function held(
  { what, tool, tokens }: Pick<Question, 'what' | 'tool' | 'tokens'>,
  { text, error, total }: ToolAnswer,
): LiveData {
  const cut = cutToTokens(text, tokens);
  const failed = error === undefined ? '' : `: not known, it failed with ${causeOf(error)}`;
  const all = total === undefined ? '' : `, ${total} in all`;
  const rest = cut.length === text.length ? '' : `; only the first ${cut.length} of ${text.length} characters${all}`;
  return { label: `${what} (${tool})${failed}${rest}`, text: cut };
}

const isOfNoNote = ({ error }: ToolAnswer): boolean => error !== undefined && causeOf(error) === 'NOTE_NOT_FOUND';

/** Of a batch that failed for one reason, that reason. */
function causeOf({ code, details }: FailedAnswer): string {
  if (code !== 'BATCH_FAILED') return code;
  const [first, ...others] = Object.keys((details.by_code ?? {}) as object);
  return first === undefined || others.length > 0 ? code : first;
}

const MOST_CHARACTERS_A_TOKEN = 4;
const SMALLER = 0.8;

/** Whole lines as long as they fit. */
function cutToTokens(text: string, tokens: number): string {
  let longest = tokens * MOST_CHARACTERS_A_TOKEN;
  let cut = cutToLines(text, longest).text;
  while (tokenBound(cut) > tokens) {
    longest = Math.floor(longest * SMALLER);
    cut = cutToLines(text, longest).text;
  }
  return cut;
}
