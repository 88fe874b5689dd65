// What was found out about a note in a few sentences, the main reason first. Finds out nothing itself.

import type { Standing } from './index-status.ts';
import type { CheckedQuery } from './query-check.ts';
import type { CheckedMeaning, CheckedVectors } from './vector-check.ts';

export interface Findings {
  readonly standing: Standing;
  readonly words: CheckedQuery | undefined;
  readonly vectors: CheckedVectors | undefined;
  readonly meaning: CheckedMeaning | undefined;
  /** Whether a job of the index is under way. */
  readonly isReading: boolean;
}

export function verdictOn({ standing, words, vectors, meaning, isReading }: Findings): string {
  const sentences = [
    standingSentence(standing, isReading),
    ...(standing.conflictCopy ? ['It is named like a conflict copy that a sync client made.'] : []),
    ...(words === undefined ? [] : [wordsSentence(words)]),
    ...(vectors?.reason === undefined ? [] : [vectorsSentence(vectors)]),
    ...(meaning === undefined ? [] : [meaningSentence(meaning)]),
  ];
  return sentences.join(' ');
}

function standingSentence({ standing, rule = '', isUnseen, quarantine, record }: Standing, isReading: boolean): string {
  const [fault] = quarantine;
  const soon = isReading ? 'a job that reads it is under way' : 'reindex reads it at once';
  switch (standing) {
    case 'indexed':
      return fault === undefined
        ? 'Indexed as it is on disk.'
        : `Indexed as it is on disk, but not all of it could be read [${fault.code}].`;
    case 'changed':
      return fault?.phase === 'read'
        ? `Its newest text could not be read [${fault.code}]; searches find the one before.`
        : `Changed since it was indexed, so searches find its earlier text; ${soon}.`;
    case 'pending':
      return `It lies in the vault and is not indexed yet; ${soon}.`;
    case 'missing':
      return 'It is gone from disk; the index forgets it with its next scan.';
    case 'quarantined':
      return `Not indexed: it could not be read${fault === undefined ? '' : ` [${fault.code}]`}.`;
    case 'evicted':
      return record !== undefined && record.hash !== null
        ? 'It is in the cloud and not on this machine; searches find the text it had before.'
        : 'Not indexed: it is in the cloud and not on this machine, and is read once it is downloaded.';
    case 'ignored':
      return `Left out: ${rule}.${isUnseen ? ' Whether it exists was not looked at.' : ''}`;
    case 'no_note':
      return 'It is an attachment, not a note: only its name is known, no text is searched.';
  }
}

function wordsSentence({ rank, found, terms }: CheckedQuery): string {
  if (rank !== undefined) return `search_text finds it at rank ${rank} of ${found}.`;
  const unwanted = terms.find(({ negated, fields }) => negated && fields.length > 0);
  if (unwanted !== undefined) return `search_text keeps it out: it holds what ${unwanted.term} excludes.`;
  const common = terms.some(({ dropped, fields }) => dropped === 'in_most_notes' && fields.length > 0);
  const but = common ? '; those it holds stand in most notes and do not count' : '';
  return `search_text does not find it: none of the words looked for stands in it${but}.`;
}

function vectorsSentence({ embedded, reason = '' }: CheckedVectors): string {
  return embedded ? `Embedded, but ${reason}.` : `Not embedded: ${reason}.`;
}

function meaningSentence(search: CheckedMeaning): string {
  if ('error' in search) return `By meaning nothing could be asked [${search.error.code}].`;
  const { rank, found } = search.meaning;
  const all = found === undefined ? '' : ` of ${found}`;
  const near = rank === undefined ? 'by meaning it is not among the nearest' : `by meaning it is ${rank}${all}`;
  return search.rank === undefined
    ? `search shows it on no first page; ${near}.`
    : `search shows it at rank ${search.rank}; ${near}.`;
}
