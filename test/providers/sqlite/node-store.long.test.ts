// Runs the contract suite of stores on the SQLite store without native parts.
import { storeLaws } from '../../contracts/store.ts';
import { openLawStore } from './database/index-folder.ts';

storeLaws('the SQLite store on node:sqlite', () => openLawStore('node'));
