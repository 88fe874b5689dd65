// Prompt: explain a topic from what the notes say about it.
import { definePrompt, OPTIONAL_TEXT, REQUIRED_TEXT } from './prompt-text.ts';

export const explainTopic = definePrompt({
  name: 'explain_topic',
  title: 'Explain a topic from my notes',
  description:
    'Explains a topic from your notes, with a source for each statement; points out gaps and contradictions.',
  needs: ['get_context'],
  arguments: {
    topic: { description: 'what to explain, in a few words', completes: 'topic', schema: REQUIRED_TEXT },
    note: {
      description: 'a note to start from, or a part of one: Note#Heading',
      completes: 'note',
      schema: OPTIONAL_TEXT,
    },
  },
  draft: ({ topic, note }) => {
    const context = { tool: 'get_context', decides: true };
    const others = { what: 'what my other notes say about it', tokens: 3_200 };
    return {
      task: `Explain ${JSON.stringify(topic)} to me from my own notes${note === undefined ? '' : `, starting from the note ${JSON.stringify(note)}`}.`,
      questions: [
        ...(note === undefined
          ? []
          : [
              {
                ...context,
                what: 'that note and what is linked with it',
                args: { notes: [note], budget_tokens: 2_000 },
                tokens: 2_200,
              },
            ]),
        {
          ...context,
          ...(note === undefined ? { ...others, what: 'what my notes say about it' } : others),
          args: { topic, budget_tokens: 3_000 },
        },
      ],
      steps: [
        'Explain the topic in your own words, in the order that is easiest to understand, with the source (`path:line`) of each statement.',
        'Point out where my notes contradict each other and what they leave open. If they say nothing about it, say that first.',
        {
          tools: ['read_notes', 'search_text', 'search', 'get_neighbors'],
          say: (tools) => `Look up what is left out above with ${tools} before you say that my notes do not have it.`,
        },
        'End with the three notes I should read again, and one question that my notes do not answer yet.',
      ],
    };
  },
});
