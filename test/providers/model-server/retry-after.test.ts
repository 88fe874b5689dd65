import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { retryAfterMs } from '../../../src/providers/model-server/failures.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');

it('P7 whole seconds and HTTP dates are parsed; a past date means no wait', () => {
  assert.equal(retryAfterMs('2', NOON), 2_000);
  assert.equal(retryAfterMs(' 0 ', NOON), 0);
  assert.equal(retryAfterMs('86400', NOON), 86_400_000);
  assert.equal(retryAfterMs('Fri, 20 Nov 2026 12:00:05 GMT', NOON), 5_000);
  assert.equal(retryAfterMs('Friday, 20-Nov-26 12:00:05 GMT', NOON), 5_000);
  assert.equal(retryAfterMs('Fri, 20 Nov 2026 11:59:00 GMT', NOON), 0);
});

it('P7 any other value is ignored', () => {
  const garbage = [null, '', ' ', 'soon', '-1', '1.5', '1e3', '0x10', '2026-11-20T12:00:05Z', '9'.repeat(40)];
  for (const given of [...garbage, 'Fri, 99 Nov 2026 12:00:05 GMT', 'Xyz, 20 Nov 2026 12:00:05 GMT'])
    assert.equal(retryAfterMs(given, NOON), undefined, String(given));
});

it('the result is never negative or NaN', () => {
  const header = fc.oneof(
    fc.string(),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.nat().map(String),
  );
  fc.assert(
    fc.property(header, (given) => {
      const wait = retryAfterMs(given, NOON);
      assert.ok(wait === undefined || (Number.isFinite(wait) && wait >= 0));
    }),
  );
});
