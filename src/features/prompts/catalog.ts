// Every prompt there is, in the order in which they are listed. Adding a prompt is a file and a line here.
import type { AnyPrompt } from '../../contracts/prompt.ts';
import { connectNote } from './connect_note.ts';
import { dailyReview } from './daily_review.ts';
import { explainTopic } from './explain_topic.ts';
import { fixBrokenLinks } from './fix_broken_links.ts';

export const promptCatalog: readonly AnyPrompt[] = Object.freeze([
  dailyReview,
  explainTopic,
  fixBrokenLinks,
  connectNote,
]);
