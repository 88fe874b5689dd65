// The states of the page in a window that is zoomed, and on a phone.
import { testStates, ZOOMED } from './page-states.ts';

testStates([
  [ZOOMED, 400],
  [390, 844],
]);
