// The number of the rules by which notes are read, so that an index knows by which it was built.

/** Grows by one with every change of what parsing makes of some text: notes that were read by other rules are read again. */
export const PARSER_RULES = 2;
