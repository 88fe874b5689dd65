// The formula part of the reader.
import { mathml } from '../../reader/formula.ts';
import { addPart } from './parts.ts';

addPart({ math: mathml });
