// A note's text without the links in it, so that what it says is compared and not what it points at.

/** Longer than any link that somebody wrote; keeps a line of brackets cheap. */
const LINKS =
  /!?\[\[[^[\]\r\n]{1,500}\]\]|!?\[[^[\]\r\n]{0,500}\]\([^()\r\n]{0,1000}\)|!?\[[^[\]\r\n]{1,500}\]\[[^[\]\r\n]{0,500}\]|\bhttps?:\/\/[^\s<>)\]]{1,2000}/g;
const DEFINITIONS = /^ {0,3}\[[^[\]\r\n]{1,500}\]:[ \t][^\r\n]*$/gm;

/** Wikilinks, embeds, Markdown links with what they show, their definitions, and addresses: a blank stands for each. */
export function withoutLinks(text: string): string {
  return text.includes('[') || text.includes('://') ? text.replace(LINKS, ' ').replace(DEFINITIONS, ' ') : text;
}
