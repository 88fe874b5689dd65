// Registers the contract tests of stores; the test of a provider runs them against its own index.
import { describe } from 'node:test';
import { answerLaws } from './store/answers.ts';
import { changingLaws } from './store/changing.ts';
import { generationLaws } from './store/generations.ts';
import { createFreshLaw, createLaw, type StoreUnderTest } from './store/law.ts';
import { linkingLaws } from './store/linking.ts';
import { listingLaws } from './store/listing.ts';
import { namingLaws } from './store/naming.ts';
import { nearnessLaws } from './store/nearness.ts';
import { proseLaws } from './store/prose.ts';
import { randomChangeLaws } from './store/random-changes.ts';
import { randomVectorLaws } from './store/random-vectors.ts';
import { scriptLaws } from './store/scripts.ts';
import { searchingLaws } from './store/searching.ts';
import { sharingLaws } from './store/sharing.ts';
import { taskLaws } from './store/tasks.ts';
import { termPlaceLaws } from './store/term-places.ts';
import { vectorLaws } from './store/vectors.ts';

/** @param open a new, empty store */
export function storeLaws(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} meets the contract of a store`, () => {
    const law = createLaw(open);
    changingLaws(law);
    namingLaws(law);
    linkingLaws(law);
    listingLaws(law);
    taskLaws(law);
    searchingLaws(law);
    scriptLaws(law);
    proseLaws(law);
    termPlaceLaws(law);
    sharingLaws(createFreshLaw(open), open);
    randomChangeLaws(law);
    generationLaws(law);
    vectorLaws(law);
    nearnessLaws(law);
    randomVectorLaws(law);
    answerLaws(law);
  });
}
