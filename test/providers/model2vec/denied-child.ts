// Run as another user: opens the model in the folder on its command line and prints the error code of a call.
import { VaultgraphError } from '../../../src/base/errors.ts';
import { inputs, never, newCall } from '../../contracts/embedding/law.ts';
import { openFolder } from './model-folder.ts';

const { capability } = await openFolder(process.argv[2] ?? '');
const [ended] = await Promise.allSettled([capability.embed(inputs('harbour'), 'query', newCall(), never)]);
const failure = ended.status === 'rejected' && ended.reason instanceof VaultgraphError ? ended.reason : undefined;
const { cause_code } = (failure?.details ?? {}) as { cause_code?: string };
process.stdout.write(failure ? `${failure.code} ${cause_code}` : 'no failure');
