// Writes the answer of a view of a base as a Markdown table.
import { visibleControls } from '../../base/visible-controls.ts';
import { markdownCell, type PlainCell } from '../../bases/values/plain.ts';
import type { AnsweredRow, AnsweredSummary } from './view-answer.ts';

interface ShownView {
  readonly base: string;
  readonly view: string;
  readonly type: string;
  readonly shown_as?: string;
  readonly views?: readonly string[];
  readonly this?: string;
  readonly columns: readonly { readonly property: string; readonly name: string }[];
  readonly group_by?: string;
  readonly rows: readonly AnsweredRow[];
  readonly total: number;
  readonly matched?: number;
  readonly groups?: readonly { readonly group: PlainCell; readonly rows: number }[];
  readonly summaries?: readonly AnsweredSummary[];
  readonly next_cursor?: string;
}

export function showView(answer: ShownView): string {
  const { columns, rows, group_by, groups = [], summaries = [] } = answer;
  const grouping = group_by === undefined ? [] : [group_by];
  const heads = ['path', ...grouping, ...columns.map(headOf)];
  const lines = rows.map(({ path, group, cells }) => {
    const grouped = group_by === undefined ? [] : [group ?? null];
    return tableLine([path, ...grouped, ...cells].map(markdownCell));
  });
  const text = [
    ...factsOf(answer),
    ...groups.map(({ group, rows: count }) => `group ${markdownCell(group) || 'none'}: ${count} rows`),
    ...(rows.length === 0 ? [] : [tableLine(heads), `|${heads.map(() => '---').join('|')}|`, ...lines]),
    ...summaries.map(({ property, summary, value }) => `${summary} of ${property}: ${markdownCell(value) || 'none'}`),
    ...(answer.next_cursor === undefined ? [] : [`next_cursor: ${answer.next_cursor}`]),
  ].join('\n');
  return visibleControls(text);
}

function factsOf({ base, view, type, shown_as, views, total, matched, columns, ...rest }: ShownView): string[] {
  const shown = shown_as === undefined ? type : `${type}, shown as a ${shown_as}`;
  return [
    `base: ${base} · view: ${view} (${shown}) · total: ${total}${matched === undefined ? '' : ` of ${matched} matched`}`,
    ...(views === undefined ? [] : [`views: ${views.join(' · ')}`]),
    ...(rest.this === undefined ? [] : [`this: ${rest.this}`]),
    ...(rest.rows.length === 0 ? [`columns: ${columns.map(headOf).join(' · ')}`] : []),
  ];
}

/** The display name, and the property that it stands for. */
function headOf({ property, name }: ShownView['columns'][number]): string {
  const plain = property === name || property === `note.${name}` || property === `formula.${name}`;
  return markdownCell(plain ? property : `${name} (${property})`);
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
