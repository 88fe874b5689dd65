// A vault for the pictures of the page: every kind of content, groups of notes with dates, folders, tags and long titles.
import type { Files } from './page-under-test.ts';
import { READING_VAULT } from './reading-vault.ts';

const SUBJECTS = ['tide', 'lantern', 'orchard', 'granite'];
const PER_SUBJECT = 14;
const day = (at: number): string => new Date(Date.UTC(2024, 0, 5 + at * 11)).toISOString().slice(0, 10);

function notesAbout(subject: string, turn: number): [string, string][] {
  const name = (at: number): string =>
    at === 5 ? `What I learned about ${subject} from people who know far more than I do` : `The ${subject} ${at}`;
  return Array.from({ length: PER_SUBJECT }, (_, at) => {
    const links = [
      at === 0 ? 'Essay' : name(0),
      name((at * 5) % PER_SUBJECT),
      at % 6 === 0 ? 'A note to write' : name(1),
    ];
    const words = links.map((link) => `Close to [[${link}]].`).join('\n\n');
    const head = `---\ndate: ${day(turn * PER_SUBJECT + at)}\ntags: [${subject}/part${at % 3}]\n---\n`;
    return [`${subject}/${name(at)}.md`, `${head}About the ${subject}, part ${at}.\n\n${words}\n`];
  });
}

export const STATES_VAULT: Files = {
  ...READING_VAULT,
  ...Object.fromEntries(SUBJECTS.flatMap(notesAbout)),
  'Alone.md': 'Nothing links here.\n',
};
