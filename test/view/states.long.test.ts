// The states of the page in a large window.
import { testStates } from './page-states.ts';

testStates([[1280, 800]]);
