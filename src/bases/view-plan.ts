// Prepares a view of a base: parses the expressions that it uses and refuses what is not supported.

import { letOthersRun } from '../base/threads/turns.ts';
import type { BaseDocument, BaseView, Filter, PropertyOrder, WrittenExpression } from './base-document.ts';
import { BaseFault, orFault, UnsupportedFault } from './base-fault.ts';
import {
  type Expression,
  parseExpression,
  partsOf,
  type RegexExpression,
  regexKey,
  SyntaxFault,
  type WrittenRegex,
} from './expression.ts';
import { globalFunction, isMethod } from './functions/function-list.ts';
import { FILE_FIELDS, NEED_LINKS } from './functions/typed-functions.ts';
import { type Comparing, isEqual, sortKeyOf } from './values/compare.ts';
import { difference } from './values/dates.ts';
import { deviation, largest, least, mean, median, numbersIn, ofNumbers, sum } from './values/statistics.ts';
import { type DateValue, isEmpty, typeOf, type Value } from './values/value.ts';

export type PlannedFilter =
  | { readonly type: 'statement'; readonly expression: Expression; readonly place: string }
  | { readonly type: 'and' | 'or' | 'not'; readonly filters: readonly PlannedFilter[] };

interface Column {
  /** `note.age`, `file.name` or `formula.total`. */
  readonly property: string;
  /** Its display name. */
  readonly name: string;
  readonly expression: Expression;
}

interface OrderedColumn extends Column {
  readonly descending: boolean;
}

export interface PlannedSummary {
  /** The property, as `Column.property`. */
  readonly property: string;
  readonly summary: string;
  readonly values: Expression;
  /** Absent if it is one that every base has. */
  readonly custom?: Expression;
}

export interface ViewPlan {
  readonly view: BaseView;
  readonly filters: readonly PlannedFilter[];
  readonly formulas: ReadonlyMap<string, Expression>;
  readonly columns: readonly Column[];
  readonly sort: readonly OrderedColumn[];
  readonly groupBy: OrderedColumn | undefined;
  readonly summaries: readonly PlannedSummary[];
  readonly regexes: readonly WrittenRegex[];
  /** Whether an expression asks which files link to each other. */
  readonly needsLinks: boolean;
}

/** In a chain in which each uses the next. */
const MAX_FORMULAS = 100;

/** @throws BaseFault, UnsupportedFault */
export function planView(document: BaseDocument, view: BaseView): ViewPlan {
  return new ViewPlanner(document, view).plan();
}

class ViewPlanner {
  readonly #document: BaseDocument;
  readonly #view: BaseView;
  readonly #formulas = new Map<string, Expression>();
  /** Formulas that are being prepared, each used by the one before it. */
  readonly #open: string[] = [];
  readonly #regexes = new Map<string, WrittenRegex>();
  #needsLinks = false;

  constructor(document: BaseDocument, view: BaseView) {
    this.#document = document;
    this.#view = view;
  }

  plan(): ViewPlan {
    const { order, sort, groupBy, summaries, fault } = this.#view;
    if (fault !== undefined) throw fault;
    const filters = [this.#document.filter, this.#view.filter].flatMap((filter) =>
      filter === undefined ? [] : [this.#filter(filter)],
    );
    const columns = (order.length === 0 ? ['file.name'] : order).map((property) => this.#column(property));
    const planned = {
      view: this.#view,
      filters,
      columns,
      sort: sort.map((order) => this.#ordered(order)),
      groupBy: groupBy === undefined ? undefined : this.#ordered(groupBy),
      summaries: [...summaries].map(([property, summary]) => this.#summary(property, summary)),
    };
    const regexes = [...this.#regexes.values()];
    return { ...planned, formulas: this.#formulas, regexes, needsLinks: this.#needsLinks };
  }

  #filter(filter: Filter): PlannedFilter {
    if (filter.type !== 'statement')
      return { type: filter.type, filters: filter.filters.map((each) => this.#filter(each)) };
    const { written } = filter;
    return { type: 'statement', expression: this.#expression(written), place: written.place };
  }

  #expression(written: WrittenExpression): Expression {
    if (written.fault !== undefined) throw written.fault;
    try {
      const expression = parseExpression(written.text);
      this.#check(expression, written);
      return expression;
    } catch (thrown) {
      if (!(thrown instanceof SyntaxFault)) throw thrown;
      const where = `${written.place}, character ${thrown.at + 1}`;
      throw new BaseFault(written.line, `${where}: ${thrown.message}`);
    }
  }

  /** Walks without recursion: an expression may be deep. */
  #check(expression: Expression, written: WrittenExpression): void {
    const open: Expression[] = [expression];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const unsupported = unsupportedIn(next);
      if (unsupported !== undefined) throw new UnsupportedFault(written.line, unsupported, written.place);
      if (next.type === 'regex') this.#regex(next, written);
      if (next.type === 'formula') this.#formula(next.name, written);
      if (asksForLinks(next)) this.#needsLinks = true;
      open.push(...partsOf(next));
    }
  }

  #regex({ pattern, flags }: RegexExpression, { line, place }: WrittenExpression): void {
    const key = regexKey({ pattern, flags });
    if (!this.#regexes.has(key)) this.#regexes.set(key, { pattern, flags, line, place });
  }

  #formula(name: string, { line, place }: Pick<WrittenExpression, 'line' | 'place'>): void {
    if (this.#open.includes(name)) {
      const circle = [...this.#open.slice(this.#open.indexOf(name)), name].join(' → ');
      throw new BaseFault(line, `${place}: the formula uses itself: ${circle}`);
    }
    if (this.#formulas.has(name)) return;
    if (this.#open.length >= MAX_FORMULAS)
      throw new BaseFault(line, `${place}: more than ${MAX_FORMULAS} formulas use each other`);
    const formula = this.#document.formulas.get(name);
    if (formula === undefined) throw new BaseFault(line, `${place}: there is no formula ${JSON.stringify(name)}`);
    this.#open.push(name);
    this.#formulas.set(
      name,
      orFaultExpression(() => this.#expression(formula)),
    );
    this.#open.pop();
  }

  #column(written: string): Column {
    const property = canonical(written);
    const [kind = '', name = ''] = splitAtDot(property);
    const { line } = this.#view;
    const place = `the view ${JSON.stringify(this.#view.name)}`;
    const expression = orFaultExpression(() => {
      const expression = expressionOf(kind, name);
      this.#check(expression, { text: written, line, place });
      return expression;
    });
    const shown = this.#displayName(written, property);
    return { property, name: shown ?? (kind === 'file' ? property : name), expression };
  }

  #displayName(written: string, property: string): string | undefined {
    const { displayNames } = this.#document;
    const bare = property.startsWith('note.') ? displayNames.get(property.slice('note.'.length)) : undefined;
    return displayNames.get(written) ?? displayNames.get(property) ?? bare;
  }

  #ordered({ property, descending }: PropertyOrder): OrderedColumn {
    return { ...this.#column(property), descending };
  }

  #summary(written: string, summary: string): PlannedSummary {
    const { property, expression: values } = this.#column(written);
    const custom = this.#document.summaries.get(summary);
    if (custom === undefined && Object.hasOwn(SUMMARIES, summary)) return { property, summary, values };
    const place = `the view ${JSON.stringify(this.#view.name)}`;
    const planned = orFaultExpression(() => {
      if (custom !== undefined) return this.#expression(custom);
      throw new UnsupportedFault(this.#view.line, `the summary ${JSON.stringify(summary)}`, place);
    });
    return { property, summary, values, custom: planned };
  }
}

/** What cannot be evaluated spoils its own cells only. */
function orFaultExpression(read: () => Expression): Expression {
  const outcome = orFault(BaseFault, read);
  if (!(outcome instanceof BaseFault)) return outcome;
  return { type: 'fault', reason: `line ${outcome.line}: ${outcome.message}`, at: 0 };
}

function canonical(written: string): string {
  return /^(?:file|note|formula)\../s.test(written) ? written : `note.${written}`;
}

function splitAtDot(property: string): readonly string[] {
  const dot = property.indexOf('.');
  return [property.slice(0, dot), property.slice(dot + 1)];
}

function expressionOf(kind: string, name: string): Expression {
  if (kind === 'formula' || kind === 'note') return { type: kind === 'note' ? 'property' : 'formula', name, at: 0 };
  return { type: 'member', object: { type: 'name', name: 'file', at: 0 }, name, at: 0 };
}

/** What of the expression itself is not supported, without its parts. */
function unsupportedIn(expression: Expression): string | undefined {
  if (expression.type === 'call') {
    const { object, name } = expression;
    const isKnown = object === undefined ? globalFunction(name) !== undefined : isMethod(name);
    return isKnown ? undefined : `the function ${object === undefined ? '' : '.'}${name}()`;
  }
  if (expression.type !== 'member' || expression.object.type !== 'name' || expression.object.name !== 'file')
    return undefined;
  return FILE_FIELDS.includes(expression.name) ? undefined : `the property file.${expression.name}`;
}

function asksForLinks(expression: Expression): boolean {
  if (expression.type === 'member' || expression.type === 'call') return NEED_LINKS.has(expression.name);
  if (expression.type !== 'index' || expression.index.type !== 'literal') return false;
  return NEED_LINKS.has(String(expression.index.value));
}

// The summaries that every base has.

type Summary = (values: readonly Value[], comparing: Comparing) => Value | Promise<Value>;

/** Ascending. */
function datesIn(values: readonly Value[]): readonly DateValue[] {
  const dates = values.filter((value): value is DateValue => typeOf(value) === 'date');
  return dates.sort((one, other) => one.ms - other.ms);
}

export const SUMMARIES: Readonly<Record<string, Summary>> = {
  Average: ofNumbers(mean),
  Min: ofNumbers(least),
  Max: ofNumbers(largest),
  Sum: ofNumbers(sum),
  Range: range,
  Median: ofNumbers(median),
  Stddev: ofNumbers(deviation),
  Earliest: (values) => datesIn(values)[0] ?? null,
  Latest: (values) => datesIn(values).at(-1) ?? null,
  Checked: (values) => values.filter((value) => value === true).length,
  Unchecked: (values) => values.filter((value) => value === false).length,
  Empty: (values) => values.filter(isEmpty).length,
  Filled: (values) => values.filter((value) => !isEmpty(value)).length,
  Unique: distinct,
};

/** Compares numbers, or else dates. */
function range(values: readonly Value[]): Value {
  const numbers = numbersIn(values);
  if (numbers.length > 0) return largest(numbers) - least(numbers);
  const dates = datesIn(values);
  return dates.length === 0 ? null : difference((dates.at(-1)?.ms ?? 0) - (dates[0]?.ms ?? 0));
}

/** Values with the same text are compared; nothing else can be equal. */
async function distinct(values: readonly Value[], comparing: Comparing): Promise<number> {
  const valuesByColumn = new Map<string, Value[]>();
  for (const value of values) {
    if (isEmpty(value)) continue;
    const key = sortKeyOf(value);
    comparing.spend((key?.text.length ?? 0) >> 4);
    const alike = valuesByColumn.get(`${key?.number} ${key?.text}`) ?? [];
    if (!alike.some((each) => isEqual(each, value, comparing))) alike.push(value);
    valuesByColumn.set(`${key?.number} ${key?.text}`, alike);
    await letOthersRun();
  }
  return [...valuesByColumn.values()].reduce((count, alike) => count + alike.length, 0);
}
