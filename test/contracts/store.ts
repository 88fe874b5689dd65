// The laws that every store keeps, whatever holds its rows. A provider's test runs them against a real index of its own.
import { describe } from 'node:test';
import { changingLaws } from './store/changing.ts';
import { createLaw, type StoreUnderTest } from './store/law.ts';
import { linkingLaws } from './store/linking.ts';
import { listingLaws } from './store/listing.ts';
import { namingLaws } from './store/naming.ts';
import { randomChangeLaws } from './store/random-changes.ts';
import { searchingLaws } from './store/searching.ts';

/** @param open a fresh, empty store per law */
export function storeLaws(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the laws of a store`, () => {
    const law = createLaw(open);
    changingLaws(law);
    namingLaws(law);
    linkingLaws(law);
    listingLaws(law);
    searchingLaws(law);
    randomChangeLaws(law);
  });
}
