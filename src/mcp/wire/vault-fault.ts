// A failure of what was asked of the vault, as the protocol tells it: a number, and the same facts as a tool's.
import type { Failure } from '../render/failure.ts';
import { escapeControls } from '../render/shown-text.ts';
import { type Fault, INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND } from './method.ts';

const NUMBERS: Readonly<Partial<Record<Failure['error']['code'], number>>> = {
  INVALID_INPUT: INVALID_PARAMS,
  NOTE_NOT_FOUND: RESOURCE_NOT_FOUND,
};

/** @param more stands beside the failure's own members, such as the `uri` that was asked for */
export function vaultFault(error: Failure['error'], more: object = {}): Fault {
  return { code: NUMBERS[error.code] ?? INTERNAL_ERROR, message: failureLine(error), data: { ...more, ...error } };
}

type ToldFailure = Pick<Failure['error'], 'code' | 'message' | 'hint' | 'choices'>;

/** Most clients show no more than this of a failure, so what mends it stands in it, too. */
export function failureLine({ code, message, hint, choices = [] }: ToldFailure): string {
  const sentence = /[.!?…]$/.test(message) ? message : `${message}.`;
  const values = choices.map(({ value }) => value).join(' · ');
  return escapeControls(`[${code}] ${sentence} ${hint}${values === '' ? '' : ` Choices: ${values}`}`);
}
