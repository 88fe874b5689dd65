// The version of the parsing rules, stored with the index.

/** Raise it with every change that makes the parser read some text differently: all notes are then parsed again. */
export const PARSER_RULES = 2;
