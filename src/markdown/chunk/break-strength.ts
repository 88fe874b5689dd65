// How firmly a line hangs together with the line above: what a cut between the two would part.

/** Below `BLANK`: as many quotes and list items as the cut would part, 0 between two blocks of the note itself. */
export const TIE = Object.freeze({
  /** A line of white space belongs to what is above it. */
  BLANK: 253,
  /** Two lines of one paragraph. */
  PARAGRAPH: 254,
  /** Two lines of one heading, table, fence, math or HTML block. */
  WHOLE: 255,
});
