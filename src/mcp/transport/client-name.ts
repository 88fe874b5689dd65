// Shows the name that a client gave.
import { escapeControls } from '../render/safe-text.ts';

const MAX_CLIENT_NAME_LENGTH = 100;

/** Cut short and on one line, because it is foreign text. */
export function shownClientName(name = ''): string {
  return escapeControls(name.slice(0, MAX_CLIENT_NAME_LENGTH).toWellFormed());
}
