// Prompt: what happened about a topic, in order of time.
import { definePrompt, OPTIONAL_TEXT, REQUIRED_TEXT } from './prompt-text.ts';

export const timeline = definePrompt({
  name: 'timeline',
  title: 'When did it happen?',
  description: 'Reports what happened about a topic or person in order of time, with a source for each date.',
  needs: ['get_timeline'],
  arguments: {
    topic: { description: 'what or whom it is about, in a few words', completes: 'topic', schema: REQUIRED_TEXT },
    folder: { description: 'only notes in this folder', completes: 'folder', schema: OPTIONAL_TEXT },
  },
  draft: ({ topic, folder }) => ({
    task: `Report what happened about ${JSON.stringify(topic)} and when, from my notes.`,
    questions: [
      {
        what: 'dated passages about it, in order of time, each with what its date comes from',
        tool: 'get_timeline',
        args: { topic, limit: 30, ...(folder && { folder }) },
        tokens: 5_000,
        decides: true,
      },
    ],
    steps: [
      'Report it in order of time. Give each date as precisely as the passage does and no more: a month is not a day.',
      'Say which passages only mention the topic, and leave them out of the order. Say how many have no date.',
      'If two passages give different dates for one thing, quote both and do not choose.',
      {
        tools: ['get_timeline', 'read_notes', 'search_text'],
        say: (tools) => `If a time between two entries matters, look closer with ${tools} (before, after, around).`,
      },
    ],
  }),
});
