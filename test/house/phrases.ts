// Lists phrases that the source and the documentation do not use, with what to write in their place.

export interface Phrase {
  readonly pattern: RegExp;
  /** What to write in its place. */
  readonly instead: string;
  /** Lines that have the phrase. */
  readonly caught: readonly string[];
  /** Lines that only look like it. */
  readonly allowed?: readonly string[];
}

export const PHRASES: readonly Phrase[] = [
  {
    pattern: /\bknows? (?:no|nothing)\b/i,
    instead: 'nothing, since the import rules say so',
    caught: ['// Knows no engine.'],
  },
  { pattern: /\banew\b/i, instead: 'again', caught: ['read every note anew'], allowed: ['a new note'] },
  {
    pattern: /\bmend(?:s|ed|ing)?\b/i,
    instead: 'fix',
    caught: ['Mend those links first', 'who can mend it'],
    allowed: ['we recommend it', 'an amended text'],
  },
  { pattern: /\bheed(?:s|ed|ing)?\b/i, instead: 'follow', caught: ['flags that are heeded'] },
  { pattern: /\bwh(?:o|om|ose)ever\b/i, instead: 'the caller or the client', caught: ['whoever calls', 'to whomever'] },
  {
    // `nobody` is a value of `fix_by`, which the table of errors shows too.
    pattern: /(?<!'|\| |N: )\bnobody\b/i,
    instead: 'no process, no client',
    caught: ['a file nobody reads'],
    allowed: ["fixBy: 'caller' | 'nobody'", '| store | nobody: retry later |', '"N: nobody. C: the caller"'],
  },
  { pattern: /\bsomebody\b/i, instead: 'a process, a user', caught: ["somebody else's file"] },
  {
    pattern: /\bwhat (?:else )?stands\b/i,
    instead: 'what is there',
    caught: ['what stands there', 'what else stands there stays'],
    allowed: ['what standard it follows'],
  },
  {
    pattern: /\bstands? (?:in|there|at|on|for itself|alone in|behind the|before|after)\b/i,
    instead: 'is in, is at',
    caught: [
      'text stands in it between marks',
      'the note it stands in',
      'what it stands at',
      'stands before all others',
    ],
    allowed: ['a standard in use', 'he understands in time', 'a standby in place'],
  },
  {
    pattern: /\b(?:is|are|was|were|be|been|being) told\b/i,
    instead: 'is notified, is reported',
    caught: ['a note that changes is told', 'clients are told'],
  },
  {
    pattern: /\blies? (?:in|there|beside|at|within)\b/i,
    instead: 'is in',
    caught: ['the index lies in a folder'],
    allowed: ['it relies in part on'],
  },
  { pattern: /\bhangs? together\b/i, instead: 'is connected', caught: ['how they hang together'] },
  {
    pattern:
      /(?<!\b(?:there|here) )\bis no (?:valid|tag|note|link|text|file|number|date|json|yaml|list|path|name|match|query)\b/i,
    instead: 'is not a',
    caught: ['it is no tag', 'text that is no valid YAML'],
    allowed: ['there is no note', 'it is not a tag'],
  },
  { pattern: /\bhas no reading\b/i, instead: 'cannot be parsed', caught: ['since has no reading'] },
  { pattern: /\bof its own accord\b/i, instead: 'by itself', caught: ['ends of its own accord'] },
  { pattern: /\bbe(?:ing|en)? let go\b/i, instead: 'be discarded', caught: ['may be let go'] },
  { pattern: /\bletter by letter\b/i, instead: 'exactly', caught: ['the rest stays letter by letter'] },
  { pattern: /\btelling (?:words|terms|sentence)/i, instead: 'distinctive words', caught: ['its telling words'] },
  { pattern: /\b(?:which|that|what|who) tells\b/i, instead: 'says, returns', caught: ['a list that tells why'] },
  { pattern: /\b(?:who|what) is asked\b|\bwho asks\b/i, instead: 'the caller', caught: ['for the one who asks'] },
  { pattern: /\bfor want of\b/i, instead: 'without', caught: ['for want of room'] },
  { pattern: /\bmay (?:well )?be had\b|\bto be had\b/i, instead: 'available', caught: ['where it is to be had'] },
  {
    pattern: /\bthe one before it can\b/i,
    instead: 'the previous one can',
    caught: ['and the one before it can write nothing'],
  },
  { pattern: /\b(?:lately|of late)\b/i, instead: 'recently', caught: ['no crash lately'] },
];

/** `path:line phrase -> what to write`, for each line of a text that has a phrase. */
export function phrasesIn(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, at) =>
    PHRASES.flatMap(({ pattern, instead }) => {
      const [found] = pattern.exec(line) ?? [];
      return found === undefined ? [] : [`${path}:${at + 1} "${found}": write ${instead}`];
    }),
  );
}
