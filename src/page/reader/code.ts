// The code part of the reader.
import { highlighted } from '../../reader/highlight.ts';
import { addPart } from './parts.ts';

addPart({ code: highlighted });
