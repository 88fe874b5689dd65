// Finds pairs of near statements of different notes that differ in numbers, dates, negation or state.
import { everyLanguage } from '../dates/moment-language.ts';
import { nameDate } from '../dates/note-date.ts';
import type { PlainDate } from '../dates/written/plain-date.ts';
import { foldText } from '../excerpt/fold-text.ts';
import { type Claim, claimsIn, contentTerms, type NumberedName } from './claims.ts';
import type { Amount } from './numbers.ts';

export interface NoteWithClaims {
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

export interface ConflictQuery {
  readonly notes: readonly NoteWithClaims[];
  /** Both statements have most of its words, or their notes do. */
  readonly topic?: string;
  /** One of the two is in one of these. */
  readonly of?: readonly string[];
  /** Passages that are near in meaning: their statements need fewer words in common. */
  readonly near?: readonly NearPassages[];
}

interface Place {
  readonly path: string;
  /** First and last. */
  readonly lines: readonly [number, number];
}

export type NearPassages = readonly [Place, Place];

export interface Passage {
  readonly path: string;
  readonly line: number;
  readonly heading?: string;
  readonly text: string;
}

export interface Conflict {
  readonly kind: 'number' | 'date' | 'state' | 'negation';
  readonly similarity: number;
  readonly foundBy: 'words' | 'meaning';
  readonly passages: readonly [Passage, Passage];
}

export interface FoundConflicts {
  readonly conflicts: readonly Conflict[];
  /** The number of statements that were compared. */
  readonly compared: number;
  /** How many were left out as statements that many notes make with other values, such as a daily measure. */
  readonly series: number;
}

interface PlacedClaim extends Claim {
  readonly path: string;
  /** That the note is named by. */
  readonly day: string | undefined;
}

const MAX_CLAIMS = 20_000;
const MAX_PAIRS = 2_000;
/** Words of more statements do not find a pair by themselves. */
const MAX_POSTINGS = 60;
/** Two near statements share one of so many of the rarest words of both. */
const RAREST = 4;
/** So many statements with the same words are a series. */
const MAX_ALIKE = 4;
const MIN_SIMILARITY = { number: 0.5, date: 0.5, state: 0.6, negation: 0.7 } as const;
/** For statements that differ in the word for a state. */
const MIN_SIMILARITY_SAID = 0.75;
/** In passages that are near in meaning. */
const MIN_SIMILARITY_NEAR = { number: 0.1, date: 0.1, state: 0.4, negation: 0.6 } as const;
/** A statement of two words is denied in too many contexts. */
const MIN_DENIED = 3;
/** Within one note, statements are about one subject only if they have the same words. */
const MIN_IN_ONE_NOTE = 0.95;
/** So near to each other, a statement and its denial are two cases. */
const MAX_CONTRAST_LINES = 5;

interface NoteClaims {
  readonly title: string;
  readonly text: string;
  readonly claims: readonly PlacedClaim[];
}

/** The claims of the last call in this thread, by path: between two calls most notes stay as they are. */
let lastClaims = new Map<string, NoteClaims>();

export async function conflictsAmong({ notes, topic, of, near = [] }: ConflictQuery): Promise<FoundConflicts> {
  const languages = await everyLanguage();
  const before = lastClaims;
  lastClaims = new Map();
  const claims: PlacedClaim[] = [];
  for (const { path, title, text } of notes) {
    const cached = before.get(path);
    const isSame = cached?.title === title && cached.text === text;
    const noteClaims = isSame ? cached.claims : placed(path, claimsIn(title, text, languages));
    lastClaims.set(path, { title, text, claims: noteClaims });
    for (const claim of noteClaims) claims.push(claim);
    if (claims.length > MAX_CLAIMS) break;
  }
  const topicTerms = topic === undefined ? [] : contentTerms(topic);
  const among = claims.filter((claim) => isAbout(claim, topicTerms));
  const { alike, series } = withoutSeries(among);
  const named = of === undefined ? undefined : new Set(of);
  return { conflicts: pairs(alike, named, near), compared: among.length, series };
}

function placed(path: string, claims: readonly Claim[]): readonly PlacedClaim[] {
  const day = nameDate(path)?.date;
  return claims.map((claim) => ({ ...claim, path, day }));
}

function isAbout({ terms, context }: Claim, topicTerms: readonly string[]): boolean {
  const count = topicTerms.filter((term) => terms.includes(term) || context.includes(term)).length;
  return count * 2 >= topicTerms.length && (topicTerms.length === 0 || count > 0);
}

function withoutSeries(claims: readonly PlacedClaim[]) {
  const byWords = Map.groupBy(claims, ({ terms, context, state }) => {
    return JSON.stringify([[...terms].sort(), state?.of === 'status' || terms.length < 2 ? [...context].sort() : []]);
  });
  const groups = [...byWords.values()];
  const alike = groups.filter((group) => group.length <= MAX_ALIKE).flat();
  return { alike, series: groups.filter((group) => group.length > MAX_ALIKE).length };
}

function pairs(
  claims: readonly PlacedClaim[],
  of: ReadonlySet<string> | undefined,
  near: readonly NearPassages[],
): readonly Conflict[] {
  const counts = new Map<string, number>();
  for (const claim of claims) for (const term of keysOf(claim)) counts.set(term, (counts.get(term) ?? 0) + 1);
  const weights = new Map([...counts].map(([term, count]) => [term, Math.log(1 + claims.length / count)]));
  const rarest = claims.map((claim) => rarestOf(claim, counts));
  const postings = new Map<string, number[]>();
  for (const [at, terms] of rarest.entries())
    for (const term of terms) {
      const notes = postings.get(term);
      if (notes === undefined) postings.set(term, [at]);
      else notes.push(at);
    }
  const conflicts: Conflict[] = [];
  for (const [at, claim] of claims.entries()) {
    for (const other of candidates(at, rarest[at] ?? [], postings)) {
      const second = claims[other] as PlacedClaim;
      const isWanted = of === undefined || of.has(claim.path) || of.has(second.path);
      const conflict = isWanted ? conflictOf(claim, second, weights) : undefined;
      if (conflict !== undefined) conflicts.push(conflict);
      if (conflicts.length >= MAX_PAIRS) return conflicts;
    }
  }
  return [...conflicts, ...nearPairs(claims, near, weights, conflicts)];
}

const MAX_NEAR_CLAIMS = 40;

function nearPairs(
  claims: readonly PlacedClaim[],
  near: readonly NearPassages[],
  weights: ReadonlyMap<string, number>,
  conflicts: readonly Conflict[],
): readonly Conflict[] {
  const byPath = Map.groupBy(claims, ({ path }) => path);
  const within = ({ path, lines: [from, to] }: Place): readonly PlacedClaim[] =>
    (byPath.get(path) ?? []).filter(({ line }) => line >= from && line <= to).slice(0, MAX_NEAR_CLAIMS);
  const keyOf = ({ passages }: Pick<Conflict, 'passages'>): string =>
    passages
      .map(({ path, line, text }) => `${path}\0${line}\0${text}`)
      .sort()
      .join('\0');
  const byPair = new Map<string, Conflict>();
  const isKnown = new Set(conflicts.map(keyOf));
  for (const [first, second] of near)
    for (const one of within(first))
      for (const other of within(second)) {
        const conflict = conflictOf(one, other, weights, MIN_SIMILARITY_NEAR);
        if (conflict === undefined || isKnown.has(keyOf(conflict))) continue;
        byPair.set(keyOf(conflict), { ...conflict, foundBy: 'meaning' });
        if (conflicts.length + byPair.size >= MAX_PAIRS) return [...byPair.values()];
      }
  return [...byPair.values()];
}

/** A status is of its note, and a short statement of its heading. */
const keysOf = ({ terms, context, state }: Claim): readonly string[] =>
  state?.of === 'status' || terms.length < 2 ? [...new Set([...terms, ...context])] : terms;

function rarestOf(claim: Claim, counts: ReadonlyMap<string, number>): readonly string[] {
  const byCount = (one: string, other: string): number => (counts.get(one) ?? 0) - (counts.get(other) ?? 0);
  return [...keysOf(claim)].sort((one, other) => byCount(one, other) || (one < other ? -1 : 1)).slice(0, RAREST);
}

/** The later statements that share one of the rarest words. */
function candidates(at: number, terms: readonly string[], postings: ReadonlyMap<string, readonly number[]>) {
  const rows = new Set<number>();
  for (const term of terms) {
    const list = postings.get(term) ?? [];
    if (list.length > MAX_POSTINGS) continue;
    for (const other of list) if (other > at) rows.add(other);
  }
  return rows;
}

function conflictOf(
  one: PlacedClaim,
  other: PlacedClaim,
  weights: ReadonlyMap<string, number>,
  least: Readonly<Record<Conflict['kind'], number>> = MIN_SIMILARITY,
): Conflict | undefined {
  if (one.labels !== other.labels || haveOtherSubjects(one, other) || areOfOtherPeriods(one, other)) return undefined;
  const isOneNote = one.path === other.path;
  if (isOneNote ? areOfSeries(one.below, other.below) : areOfSeries(one.title, other.title)) return undefined;
  if (isOneNote && (one.heading === other.heading || one.terms.length < MIN_DENIED)) return undefined;
  const isContrast = isOneNote && Math.abs(one.line - other.line) <= MAX_CONTRAST_LINES;
  const differing = differences(one, other).filter((kind) => kind !== 'negation' || !isContrast);
  const similarity = differing.length === 0 ? 0 : similarityOf(one, other, weights);
  const isSaid = one.state?.others !== undefined && differing.includes('state');
  const leastOf = (each: Conflict['kind']): number => (isSaid && each === 'state' ? MIN_SIMILARITY_SAID : least[each]);
  const kind = differing.find((each) => similarity >= leastOf(each));
  if (kind === undefined || (isOneNote && similarity < MIN_IN_ONE_NOTE)) return undefined;
  const rounded = Math.round(similarity * 100) / 100;
  return { kind, similarity: rounded, foundBy: 'words', passages: [passage(one), passage(other)] };
}

/** Whether the names differ in their number alone, such as level 4 and level 5 of a game. */
const areOfSeries = (one: NumberedName, other: NumberedName): boolean =>
  one.words === other.words && one.numbers !== other.numbers && one.numbers !== '' && other.numbers !== '';

/** A status is of its note: only a note that is called the same can contradict it. */
const haveOtherNames = (one: Claim, other: Claim): boolean =>
  one.state?.of === 'status' &&
  other.state?.of === 'status' &&
  (one.title.words !== other.title.words || one.title.numbers !== other.title.numbers);

/** Both begin with the titles of their notes, which are not the same. */
const areLedApart = ({ lead: one }: Claim, { lead: other }: Claim): boolean =>
  one !== undefined && other !== undefined && [...one.terms].sort().join(' ') !== [...other.terms].sort().join(' ');

/** Each names its own note and not the other one, or is about other code. */
function haveOtherSubjects(one: Claim, other: Claim): boolean {
  if (haveOtherNames(one, other) || areLedApart(one, other)) return true;
  if (one.code.length > 0 && other.code.length > 0 && !one.code.some((code) => other.code.includes(code))) return true;
  const lacks = ({ subject }: Claim, { terms }: Claim): boolean => subject.some((term) => !terms.includes(term));
  return (lacks(one, other) && lacks(other, one)) || isLedElsewhere(one, other) || isLedElsewhere(other, one);
}

/** Whether it begins with the title of its note, of which the other one has nothing. */
function isLedElsewhere({ lead }: Claim, { terms, context, text }: Claim): boolean {
  if (lead === undefined) return false;
  if (lead.terms.length === 0) return !foldText(text).includes(lead.title);
  return !lead.terms.some((term) => terms.includes(term) || context.includes(term));
}

/** A year, quarter, month or week, as in the name of a review. */
const PERIOD = /(?:^|\/)(\d{4}(?:[-_. ]?(?:\d{2}|[QW]\d{1,2}))?)\.md$/i;

function areOfOtherPeriods({ path }: PlacedClaim, other: PlacedClaim): boolean {
  const [, one] = PERIOD.exec(path) ?? [];
  const [, second] = PERIOD.exec(other.path) ?? [];
  return one !== undefined && second !== undefined && one !== second;
}

const passage = ({ path, line, heading, text }: PlacedClaim): Passage => ({
  path,
  line,
  ...(heading !== undefined && { heading }),
  text,
});

/** The share of the words in common by their weight; 0 if they are too few to be about one subject. */
function similarityOf(one: Claim, other: Claim, weights: ReadonlyMap<string, number>): number {
  if (one.state?.of === 'status' && other.state?.of === 'status') return overlap(one.context, other.context, weights);
  const isSaid = isOtherState(one, other);
  const [own, others] = isSaid ? [one.state?.others, other.state?.others] : [];
  const [terms, otherTerms] = [own ?? one.terms, others ?? other.terms];
  const shared = terms.filter((term) => otherTerms.includes(term)).length;
  const sharedContext = !isSaid && one.context.some((term) => other.context.includes(term));
  if (shared < 2 && !(shared === 1 && sharedContext)) return 0;
  return overlap(terms, otherTerms, weights);
}

const sharedTerms = (one: Claim, other: Claim): number => one.terms.filter((term) => other.terms.includes(term)).length;

const isOtherState = ({ state: one }: Claim, { state: other }: Claim): boolean =>
  one !== undefined && one.of === other?.of && one.value !== other.value;

function overlap(one: readonly string[], other: readonly string[], weights: ReadonlyMap<string, number>): number {
  const weightOf = (terms: readonly string[]): number => terms.reduce((sum, term) => sum + (weights.get(term) ?? 1), 0);
  const shared = weightOf(one.filter((term) => other.includes(term)));
  const all = weightOf(one) + weightOf(other) - shared;
  return all === 0 ? 0 : shared / all;
}

/** What happened on two days has two dates. */
const areOfOtherDays = ({ day: one }: PlacedClaim, { day: other }: PlacedClaim): boolean =>
  one !== undefined && other !== undefined && one !== other;

function differences(one: PlacedClaim, other: PlacedClaim): Conflict['kind'][] {
  return [
    ...(differInNumbers(one, other) ? (['number'] as const) : []),
    ...(differInDates(one, other) && !(one.isAppointment && other.isAppointment) && !areOfOtherDays(one, other)
      ? (['date'] as const)
      : []),
    ...(isOtherState(one, other) ? (['state'] as const) : []),
    ...(isDenied(one, other) ? (['negation'] as const) : []),
  ];
}

const isDenied = (one: Claim, other: Claim): boolean =>
  one.isNegated !== other.isNegated && !(one.isChange || other.isChange) && sharedTerms(one, other) >= MIN_DENIED;

/** Whether both have numbers of one unit and none in common. Without a unit only a single one is compared. */
function differInNumbers({ numbers: one }: Claim, { numbers: other }: Claim): boolean {
  return [...one].some(([unit, values]) => {
    const others = other.get(unit) ?? [];
    if (others.length === 0 || (unit === '' && (values.length > 1 || others.length > 1))) return false;
    return !values.some((amounts) => others.some((second) => canBeOne(amounts, second)));
  });
}

/** A number can be one of a range. */
const canBeOne = (amounts: readonly Amount[], others: readonly Amount[]): boolean =>
  amounts.some(([least, most]) => others.some(([from, to]) => least <= to && from <= most));

function differInDates({ dates: one }: Claim, { dates: other }: Claim): boolean {
  return one.length > 0 && other.length > 0 && !one.some((date) => other.some((second) => areOne(date, second)));
}

const PARTS = ['year', 'quarter', 'month', 'week', 'day', 'time'] as const;

/** Compares the parts that both name: a day can be in the month that the other names. */
function areOne(one: PlainDate, other: PlainDate): boolean {
  return PARTS.every((part) => one[part] === undefined || other[part] === undefined || one[part] === other[part]);
}
