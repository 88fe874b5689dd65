// Prompt: find tags that mean the same, and rename or remove them.
import { definePrompt, OPTIONAL_TEXT } from './prompt-text.ts';

/** More than most vaults have; the rest are counted. */
const MAX_TAGS = 300;

export const cleanUpTags = definePrompt({
  name: 'clean_up_tags',
  title: 'Clean up my tags',
  description: 'Finds tags that mean the same, are misspelled or used once, and what to rename them to.',
  needs: ['list_tags'],
  arguments: {
    tag: { description: 'only this tag and those nested below it', completes: 'tag', schema: OPTIONAL_TEXT },
  },
  draft: ({ tag }) => ({
    task: `Clean up ${tag ? `the tag ${JSON.stringify(tag)} and those nested below it` : 'my tags'}.`,
    questions: [
      {
        what: 'tags with the number of their notes, nested tags included, most used first',
        tool: 'list_tags',
        args: { sort: 'count', limit: MAX_TAGS, ...(tag && { prefix: tag }) },
        tokens: 5_000,
        decides: true,
      },
    ],
    steps: [
      'Group the tags: the same word in another spelling (plural, hyphen, case, language), a misspelling, two words for one thing, a tag that should be nested below another, a tag used once or twice.',
      {
        tools: ['list_notes', 'search_text'],
        say: (tools) =>
          `Where the meaning is not clear, look at the notes of a tag with ${tools} before you decide. A rare tag may be right.`,
      },
      'For each group say which tag to keep and why: prefer the one that most notes use. Leave alone what is only unusual.',
      {
        propose: 'the renames, each as old tag, new tag and number of notes',
        tools: ['rename_tag', 'set_properties', 'edit_note'],
      },
    ],
  }),
});
