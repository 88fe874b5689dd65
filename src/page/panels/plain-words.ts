// Removes the marks of Markdown from a sentence.

/** Code, wikilinks, other links, strong, emphasis, in this order so that none starts inside another; lengths are bounded, so matching is linear. */
const MARKS =
  /`([^`\n]{1,400})`|!?\[\[([^\]\n|]{1,400})(?:\|([^\]\n]{0,400}))?\]\]|!?\[([^\]\n]{0,400})\]\([^()\s]{0,400}[^()\n]{0,200}\)|\*\*([^*\n]{1,400})\*\*|(?<![\w*])\*([^*\n]{1,400})\*(?!\w)|(?<!\w)_([^_\n]{1,400})_(?!\w)/g;

/** The marks of callouts and tasks. */
const BLOCK_MARKS = /\[![\w-]{1,60}\][+-]?\s?|(?<=[-*+] )\[[ x]\] /g;

/** The rest of a link of which a snippet has only the end or the beginning. */
const CUT_BEGIN = /^…(?:[^[\]\n|]{0,400}\|)?([^[\]\n|]{0,400})\]\]/;
const CUT_END = /!?\[(?:\[(?:[^[\]\n|]{0,400}\|)?([^[\]\n|]{0,400})|([^[\]\n]{0,400})\]\([^()\n]{0,400})…$/;

export function plainWords(text: string): string {
  return wholeMarks(text.replaceAll(BLOCK_MARKS, '').replace(CUT_BEGIN, '…$1').replace(CUT_END, '$1$2…'));
}

function wholeMarks(text: string): string {
  const plain = text.replaceAll(MARKS, (all, code, target, shown, words, strong, star, underscore) =>
    String(code ?? (shown || target) ?? words ?? strong ?? star ?? underscore ?? all),
  );
  return plain === text ? text : wholeMarks(plain);
}
