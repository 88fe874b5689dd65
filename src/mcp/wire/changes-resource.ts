// What changed in a whole vault, as one resource: listed, and read as `list_changes` answers.
import type { NoteUris } from '../../base/note-uri.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { Answer } from '../render/result.ts';
import type { WireRequest } from './method.ts';

/** The tool that answers; without it there is no such resource. */
export const LIST_CHANGES = 'list_changes';

export interface ChangesParts {
  /** Calls a listed tool. */
  readonly dispatch: Dispatch;
  readonly uris: NoteUris;
  /** The names of the vaults whose changes are known; of a single vault, an empty one. */
  readonly changing: readonly string[];
}

export function listedChanges({ uris, changing }: ChangesParts): object[] {
  return changing.map((vault) => ({
    uri: uris.changesIn(vault),
    name: vault === '' ? 'changes' : `${vault}: changes`,
    title: 'Latest changes',
    description:
      'What changed in the last seven days, as list_changes says. A subscription to it is one to the whole vault.',
    mimeType: 'application/json',
  }));
}

/** Undefined for a URI that is not of such a resource. */
export function changingVault({ uris, changing }: ChangesParts, uri: unknown): string | undefined {
  return typeof uri === 'string' ? changing.find((vault) => uris.changesIn(vault) === uri) : undefined;
}

/** For the signs of notes: no note has an empty path. */
export const placeOfChanges = (vault: string): string => (vault === '' ? '' : `${vault}/`);

export function askForChanges(
  { dispatch }: ChangesParts,
  vault: string,
  { id, client, signal }: WireRequest,
  more: object = {},
): Promise<Answer> {
  return dispatch(LIST_CHANGES, { ...more, ...(vault !== '' && { vault }) }, { requestId: id, client, signal });
}

export function changesContents(uri: string, { structured }: Answer): object {
  const { data, partial, warnings = [] } = structured as Extract<Answer['structured'], { ok: true }>;
  const _meta = partial || warnings.length > 0 ? { partial, warnings } : undefined;
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data), ...(_meta && { _meta }) }] };
}
