// Which characters are of scripts written without blanks, in which a word begins and ends anywhere.

const SPACELESS =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** Whether any character of the text is one. */
export function isSpaceless(text: string): boolean {
  return SPACELESS.test(text);
}
