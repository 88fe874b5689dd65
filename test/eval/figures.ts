// Computes the figures of a method from its answers: over all queries, over each half and over each kind.
import { type Difference, pairedDifference } from './bootstrap.ts';
import { type Ranked, REFERENCES } from './methods.ts';
import { average, type Grades, type Measures, meanOf, measure } from './ranking-measures.ts';

export interface Requested {
  readonly text: string;
  readonly right: Grades;
  readonly kind?: string;
  readonly answers?: readonly string[];
}

/** The answer to one query, and how long it took. */
export interface Answer extends Ranked {
  readonly ms: number;
}

/** `all`, `even` and `odd` places of the list of queries, or the queries of one kind. */
export interface Group {
  readonly name: string;
  /** Places in the list of queries. */
  readonly places: readonly number[];
}

export interface Figures extends Measures {
  /** Queries that were refused; they count as no results. */
  readonly refused: number;
  readonly p50Ms: number;
  /** The mean number of tokens, for methods that report it. */
  readonly tokens?: number;
  /** The share of the questions with known answers for which a text that is shown contains one. */
  readonly answered?: number;
  /** nDCG@5 less that of the better form of the reference, on the same queries. */
  readonly lead?: Difference;
}

/** Decisions are tried on the even places and confirmed on the odd ones. */
export function groupsOf(requested: readonly Requested[]): Group[] {
  const all = [...requested.keys()];
  const kinds = [...Map.groupBy(all, (at) => requested[at]?.kind ?? '')].map(([name, places]) => ({ name, places }));
  return [
    { name: 'all', places: all },
    ...[0, 1].map((rest) => ({ name: ['even', 'odd'][rest] ?? '', places: all.filter((at) => at % 2 === rest) })),
    ...(kinds.length > 1 ? kinds : []),
  ];
}

/** Each query's measures by one method. */
export function measuresOf(requested: readonly Requested[], answers: readonly Answer[]): Measures[] {
  return requested.map(({ right }, at) => measure(answers[at]?.paths ?? [], right));
}

/** The form of the reference with the higher nDCG@5 over all queries; undefined where it did not take part. */
export function betterReference(byMethod: ReadonlyMap<string, readonly Measures[]>): readonly Measures[] | undefined {
  const [plain, stemmed] = REFERENCES.map((name) => byMethod.get(name));
  if (plain === undefined || stemmed === undefined) return plain ?? stemmed;
  return meanOf(plain).ndcg5 >= meanOf(stemmed).ndcg5 ? plain : stemmed;
}

export function figuresOf(
  { places }: Group,
  requested: readonly Requested[],
  answers: readonly Answer[],
  measured: readonly Measures[],
  reference: readonly Measures[] | undefined,
): Figures {
  const pick = <T>(all: readonly T[]): T[] => places.map((at) => all[at] as T);
  const ndcg5 = (all: readonly Measures[]): number[] => pick(all).map((one) => one.ndcg5);
  const tokens = pick(answers).flatMap((answer) => answer.tokens ?? []);
  const answered = places.flatMap((at) => isAnswered(requested[at]?.answers, answers[at]?.shown) ?? []);
  const isCompared = reference !== undefined && reference !== measured;
  return {
    ...meanOf(pick(measured)),
    refused: pick(answers).filter(({ isRefused }) => isRefused).length,
    p50Ms: median(pick(answers).map(({ ms }) => ms)),
    ...(tokens.length === 0 ? {} : { tokens: average(tokens) }),
    ...(answered.length === 0 ? {} : { answered: average(answered) }),
    ...(isCompared ? { lead: pairedDifference(ndcg5(measured), ndcg5(reference)) } : {}),
  };
}

/** 1 or 0; undefined if the answer is not known or the method shows no text. */
function isAnswered(known: readonly string[] | undefined, shown: readonly string[] | undefined): number | undefined {
  if (known === undefined || shown === undefined) return undefined;
  const texts = shown.map(plain);
  return known.some((answer) => texts.some((text) => text.includes(plain(answer)))) ? 1 : 0;
}

/** Snippets are one line. */
const plain = (text: string): string => text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
