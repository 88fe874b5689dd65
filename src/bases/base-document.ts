// Reads a `.base` file: its filters, formulas, display names, summaries and views.
import type { Properties, PropertyValue } from '../base/note.ts';
import { readMapping } from '../markdown/properties/yaml-mapping.ts';
import { BaseFault, orFault } from './base-fault.ts';

/** The text of an expression and where it is. */
export interface WrittenExpression {
  readonly text: string;
  readonly line: number;
  /** `views.0.filters.and.1` */
  readonly place: string;
  /** Why it is no expression. */
  readonly fault?: BaseFault;
}

export type Filter =
  | { readonly type: 'statement'; readonly written: WrittenExpression }
  | { readonly type: 'and' | 'or' | 'not'; readonly filters: readonly Filter[] };

export interface PropertyOrder {
  readonly property: string;
  readonly descending: boolean;
}

export interface BaseView {
  readonly type: string;
  readonly name: string;
  readonly line: number;
  readonly filter: Filter | undefined;
  /** Its columns, as written. */
  readonly order: readonly string[];
  readonly sort: readonly PropertyOrder[];
  readonly groupBy: PropertyOrder | undefined;
  readonly limit: number | undefined;
  /** The name of a summary by property, as written. */
  readonly summaries: ReadonlyMap<string, string>;
  /** Why the view cannot be read; the others can. */
  readonly fault?: BaseFault;
}

export interface BaseDocument {
  readonly filter: Filter | undefined;
  readonly formulas: ReadonlyMap<string, WrittenExpression>;
  /** By property as written. */
  readonly displayNames: ReadonlyMap<string, string>;
  readonly summaries: ReadonlyMap<string, WrittenExpression>;
  /** At least one. */
  readonly views: readonly BaseView[];
}

/** @param linesAbove of a base in a note: how many lines are above it @throws BaseFault */
export function readBase(text: string, linesAbove = 0): BaseDocument {
  const mapping = readMapping(text);
  if (mapping.fault !== undefined) throw new BaseFault(mapping.fault.line + linesAbove, mapping.fault.reason);
  return new BaseReader((path) => mapping.lineOf(path) + linesAbove).document(mapping.values);
}

/** Every expression of the base. @throws BaseFault if a part of it cannot be read */
export function expressionsOf({ filter, formulas, summaries, views }: BaseDocument): readonly WrittenExpression[] {
  const filters = [filter, ...views.map((view) => view.filter)];
  const expressions = [...filters.flatMap(statementsOf), ...formulas.values(), ...summaries.values()];
  const fault = [...views, ...expressions].find((each) => each.fault !== undefined)?.fault;
  if (fault !== undefined) throw fault;
  return expressions;
}

function statementsOf(filter: Filter | undefined): readonly WrittenExpression[] {
  if (filter === undefined) return [];
  return filter.type === 'statement' ? [filter.written] : filter.filters.flatMap(statementsOf);
}

const WHOLE_VAULT: BaseView = {
  type: 'table',
  name: 'Table',
  line: 1,
  filter: undefined,
  order: [],
  sort: [],
  groupBy: undefined,
  limit: undefined,
  summaries: new Map(),
};

class BaseReader {
  readonly #lineOf: (path: string) => number;

  constructor(lineOf: (path: string) => number) {
    this.#lineOf = lineOf;
  }

  document(values: Properties): BaseDocument {
    const views = this.#list(values.views, 'views').map((view, at) => this.#view(view, at));
    return {
      filter: this.#filter(values.filters, 'filters'),
      formulas: this.#expressions(values.formulas, 'formulas'),
      displayNames: this.#displayNames(values),
      summaries: this.#expressions(values.summaries, 'summaries'),
      views: views.length === 0 ? [WHOLE_VAULT] : views,
    };
  }

  #fault(path: string, reason: string): BaseFault {
    return new BaseFault(this.#lineOf(path), `${path} ${reason}`);
  }

  #list(value: PropertyValue | undefined, path: string): readonly PropertyValue[] {
    if (value === undefined || value === null) return [];
    if (isItems(value)) return value;
    throw this.#fault(path, 'is not a list');
  }

  #map(value: PropertyValue | undefined, path: string): Properties {
    if (value === undefined || value === null) return {};
    if (typeof value === 'object' && !isItems(value)) return value;
    throw this.#fault(path, 'is not a map');
  }

  #text(value: PropertyValue | undefined, path: string): string {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
    throw this.#fault(path, 'is not a text');
  }

  #written(value: PropertyValue | undefined, place: string): WrittenExpression {
    return { text: this.#text(value, place), line: this.#lineOf(place), place };
  }

  #expressions(value: PropertyValue | undefined, path: string): ReadonlyMap<string, WrittenExpression> {
    const entries = Object.entries(this.#map(value, path));
    return new Map(
      entries.map(([name, each]) => {
        const place = `${path}.${name}`;
        // Obsidian keeps a formula that is still to be written.
        const isUnwritten = each === null || (typeof each === 'string' && each.trim() === '');
        const expression = orFault(BaseFault, () => this.#written(isUnwritten ? 'null' : each, place));
        return [
          name,
          expression instanceof BaseFault ? { text: '', line: expression.line, place, fault: expression } : expression,
        ];
      }),
    );
  }

  #filter(value: PropertyValue | undefined, path: string): Filter | undefined {
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'object') return { type: 'statement', written: this.#written(value, path) };
    const entries = Object.entries(this.#map(value, path));
    const [[type, filters] = ['', null], second] = entries;
    if (entries.length === 0) return undefined;
    const isOne = second === undefined && (type === 'and' || type === 'or' || type === 'not');
    if (!isOne) throw this.#fault(path, 'must have exactly one of and, or, not');
    const inner = this.#list(filters, `${path}.${type}`);
    return { type, filters: inner.flatMap((each, at) => this.#filter(each, `${path}.${type}.${at}`) ?? []) };
  }

  /** `properties`, and `display` of the first version of the format. */
  #displayNames(values: Properties): ReadonlyMap<string, string> {
    const names = new Map<string, string>();
    for (const [name, shown] of Object.entries(this.#map(values.display, 'display')))
      names.set(name, this.#text(shown, `display.${name}`));
    for (const [name, settings] of Object.entries(this.#map(values.properties, 'properties'))) {
      const { displayName } = this.#map(settings, `properties.${name}`);
      if (displayName !== undefined && displayName !== null)
        names.set(name, this.#text(displayName, `properties.${name}.displayName`));
    }
    return names;
  }

  #view(value: PropertyValue, at: number): BaseView {
    const path = `views.${at}`;
    const view = orFault(BaseFault, () => this.#readView(value, at, path));
    if (!(view instanceof BaseFault)) return view;
    const named = typeof value === 'object' && value !== null && !isItems(value) ? value.name : undefined;
    const name = typeof named === 'string' ? named : viewName(at);
    return { ...WHOLE_VAULT, name, line: this.#lineOf(path), fault: view };
  }

  #readView(value: PropertyValue, at: number, path: string): BaseView {
    const { type, name, filters, order, sort, groupBy, limit, summaries } = this.#map(value, path);
    const kind = type === undefined || type === null ? 'table' : this.#text(type, `${path}.type`);
    return {
      type: kind,
      name: name === undefined || name === null ? viewName(at) : this.#text(name, `${path}.name`),
      line: this.#lineOf(path),
      filter: this.#filter(filters, `${path}.filters`),
      order: this.#list(order, `${path}.order`).map((each, index) => this.#text(each, `${path}.order.${index}`)),
      sort: this.#list(sort, `${path}.sort`).map((each, index) => this.#order(each, `${path}.sort.${index}`)),
      groupBy: groupBy === undefined || groupBy === null ? undefined : this.#order(groupBy, `${path}.groupBy`),
      limit: this.#limit(limit, `${path}.limit`),
      summaries: this.#summaryNames(summaries, `${path}.summaries`),
    };
  }

  /** `column` is the older name of `property`. */
  #order(value: PropertyValue, path: string): PropertyOrder {
    if (typeof value === 'string') return { property: value, descending: false };
    const { property, column, direction = 'ASC' } = this.#map(value, path);
    const upper = this.#text(direction ?? 'ASC', `${path}.direction`).toUpperCase();
    if (upper !== 'ASC' && upper !== 'DESC') throw this.#fault(`${path}.direction`, 'is neither ASC nor DESC');
    return { property: this.#text(property ?? column, `${path}.property`), descending: upper === 'DESC' };
  }

  #limit(value: PropertyValue | undefined, path: string): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
    throw this.#fault(path, 'is not a number of rows');
  }

  #summaryNames(value: PropertyValue | undefined, path: string): ReadonlyMap<string, string> {
    const entries = Object.entries(this.#map(value, path));
    return new Map(entries.map(([name, summary]) => [name, this.#text(summary, `${path}.${name}`)]));
  }
}

const viewName = (at: number): string => `View ${at + 1}`;

function isItems(value: PropertyValue): value is readonly PropertyValue[] {
  return Array.isArray(value);
}
