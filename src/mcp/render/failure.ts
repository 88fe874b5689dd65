// A VaultgraphError as the structured half of an answer, held to its sizes. Knows no transport and no tool.
import type { Action, Category, Choice, ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { boundDetails } from './bound-details.ts';
import type { PathMask } from './path-mask.ts';
import type { Plain, PlainObject } from './plain-value.ts';
import { cutText, escapeControls } from './shown-text.ts';

export interface Failure {
  readonly ok: false;
  readonly error: {
    readonly code: ErrorCode;
    readonly category: Category;
    readonly message: string;
    readonly hint: string;
    readonly retryable: boolean;
    readonly retry_after_ms?: number;
    readonly fix_by: 'caller' | 'user' | 'nobody';
    readonly error_id: string;
    readonly choices?: readonly Choice[];
    readonly total_matches?: number;
    readonly retry_with?: string;
    readonly actions?: readonly Action[];
    readonly details: PlainObject;
  };
}

/** Bytes of UTF-8; together with the choices and the details' line they keep the text under 4 KB. */
const LONGEST_MESSAGE = 1_200;
const LONGEST_HINT = 800;
const LONGEST_CHOICES = 1_200;
const MOST_CHOICES = 10;

/** @param listed the names of the tools that exist: an action that calls another one is left out */
export function failureOf(
  error: VaultgraphError,
  listed: ReadonlySet<string>,
  mask: PathMask,
  health: Readonly<Record<string, string>> = {},
): Failure {
  const actions = error.actions.filter((action) => action.kind !== 'tool_call' || listed.has(action.tool));
  return {
    ok: false,
    error: {
      code: error.code,
      category: error.category,
      message: shownMessage(error, mask),
      hint: shownHint(error, mask),
      retryable: error.retryable,
      ...(error.retryAfterMs === undefined ? {} : { retry_after_ms: error.retryAfterMs }),
      fix_by: error.fixBy,
      error_id: error.errorId,
      ...shownChoices(error),
      ...(actions.length === 0 ? {} : { actions }),
      details: boundDetails(error, mask, Object.keys(health).length === 0 ? {} : { health }),
    },
  };
}

/** A failed item of a batch: four fields, and what tells ambiguous names apart. */
export function itemFailureOf(error: VaultgraphError, mask: PathMask): { readonly [key: string]: Plain } {
  const { choices, total_matches } = shownChoices(error);
  return {
    code: error.code,
    message: shownMessage(error, mask),
    hint: shownHint(error, mask),
    retryable: error.retryable,
    ...(choices === undefined ? {} : { choices: choices.map((choice) => ({ ...choice })) }),
    ...(total_matches === undefined ? {} : { total_matches }),
  };
}

function shownMessage(error: VaultgraphError, mask: PathMask): string {
  return cutText(escapeControls(mask(error.message)), LONGEST_MESSAGE);
}

function shownHint(error: VaultgraphError, mask: PathMask): string {
  return cutText(escapeControls(mask(error.hint)), LONGEST_HINT);
}

interface ShownChoices {
  readonly choices?: readonly Choice[];
  readonly total_matches?: number;
  readonly retry_with?: string;
}

/** A choice is valid input, so it is shown whole or not at all; the total tells of those left out. */
function shownChoices({ choices }: VaultgraphError): ShownChoices {
  if (choices === undefined) return {};
  const shown: Choice[] = [];
  let bytes = 0;
  for (const choice of choices.items.slice(0, MOST_CHOICES)) {
    bytes += Buffer.byteLength(JSON.stringify(choice));
    if (bytes > LONGEST_CHOICES) break;
    shown.push(choice);
  }
  return { choices: shown, total_matches: choices.total, retry_with: choices.retryWith };
}
