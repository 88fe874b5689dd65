// Started by a test: prints each signal that asks it to end and what it passes on, and ends itself at SIGTERM.
import { killSelf, onEndSignal, passEndSignals } from '../../../src/base/system/process.ts';

passEndSignals({ kill: (signal) => process.stdout.write(`passes ${signal}, `) });
onEndSignal((signal, exitCode) => {
  process.stdout.write(`${signal} ${exitCode}\n`);
  if (signal === 'SIGTERM') process.stdout.end(killSelf);
});
setInterval(() => undefined, 60_000);
process.stdout.write('ready\n');
