// Plays long transcripts of sessions against the built program.
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { playTranscript } from './play.ts';

for (const file of globSync(join(import.meta.dirname, '*.long.txt')).sort())
  test(basename(file, '.long.txt'), (context) => playTranscript(context, file));
