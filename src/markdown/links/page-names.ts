// Names of notes that are not the names of their files: pages of Logseq and of wikis, and notes of a Zettelkasten by their ids.
import { currentDialect, noteName } from '../../base/note.ts';

/** The page that a file is: of Logseq `a/b` for `a___b.md` and `a%2Fb.md`, of a wiki `Two words` for `Two-words.md`; undefined where the file has the name itself. */
export function pageName(path: string): string | undefined {
  const dialect = currentDialect();
  if (dialect !== 'logseq' && dialect !== 'wiki') return undefined;
  const file = noteName(path);
  const page = dialect === 'wiki' ? file.replaceAll('-', ' ') : decoded(file.replaceAll('___', '/'));
  return page === file ? undefined : page;
}

/** The file names that the page can have, beside its own. */
export function filesOfPage(page: string): readonly string[] {
  return fileNames(page).filter((name) => name !== page);
}

function fileNames(page: string): readonly string[] {
  switch (currentDialect()) {
    case 'wiki':
      return [page.replaceAll(' ', '-'), page.replaceAll('-', ' ')];
    case 'logseq': {
      const safe = page.replace(/[%?:*"<>|\\#^[\]]/g, percent).replace(/\.$/, percent);
      return [...new Set(['___', '%2F', '.'].map((slash) => safe.replaceAll('/', slash)))];
    }
    default:
      return [];
  }
}

function percent(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (thrown) {
    // A lone `%` is a character of the name.
    if (thrown instanceof URIError) return name;
    throw thrown;
  }
}

const WEEKDAY = '(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?, )';
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** The forms that Logseq offers for titles and files of its journal. One that could have the month first or last is none. */
const JOURNAL_DAYS = [
  String.raw`${WEEKDAY}?(?<y>\d{4})([-_/.]?)(?<m>\d\d)\2(?<d>\d\d)(?: [A-Z][a-z]+day)?`,
  String.raw`(?<y>\d{4})年(?<m>\d\d?)月(?<d>\d\d?)日`,
  String.raw`${WEEKDAY}(?<d>\d\d)-(?<m>\d\d)-(?<y>\d{4})`,
  String.raw`${WEEKDAY}?(?<d>\d\d)\.(?<m>\d\d)\.(?<y>\d{4})`,
  String.raw`${WEEKDAY}?(?<m>\d\d)([/_])(?<d>\d\d)\2(?<y>\d{4})`,
  String.raw`(?<month>[A-Z][a-z]{2,8}) (?<d>\d\d?)(?:st|nd|rd|th), (?<y>\d{4})`,
  String.raw`(?<d>\d\d?)(?:st|nd|rd|th) (?<month>[A-Z][a-z]{2,8}) (?<y>\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/** The day that the title or the file of a page of Logseq's journal names, as `2020-01-02`. */
export function journalDay(name: string): string | undefined {
  if (currentDialect() !== 'logseq' || name.length > 40 || !/\d/.test(name)) return undefined;
  for (const form of JOURNAL_DAYS) {
    const { y, m, month, d } = form.exec(name)?.groups ?? {};
    const number = month === undefined ? Number(m) : MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
    if (y !== undefined && number >= 1 && number <= 12 && Number(d) >= 1 && Number(d) <= 31)
      return [y, String(number).padStart(2, '0'), String(d).padStart(2, '0')].join('-');
  }
  return undefined;
}

/** A time with minutes or seconds, and a letter where several notes have one, at the beginning of a name or at its end. */
const ID = /^(\d{12}(?:\d\d)?(?:[a-z](?![\p{L}\d]))?)(?!\d)|(?<!\d)(\d{12}(?:\d\d)?[a-z]?)(?=\.\p{L}+$|$)/iu;

/** The id of a note of a Zettelkasten by the name of its file. */
export function noteId(name: string): string | undefined {
  const [, first, last] = (currentDialect() === 'zettelkasten' && ID.exec(name)) || [];
  return first ?? last;
}
