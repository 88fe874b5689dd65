// Runs the contract suite of stores on the SQLite store.
import { storeLaws } from '../../contracts/store.ts';
import { openLawStore } from './database/index-folder.ts';

storeLaws('the SQLite store', () => openLawStore());
