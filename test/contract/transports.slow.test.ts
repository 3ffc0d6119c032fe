import { expect, test } from 'vitest';
import { selling } from './fixture.ts';
import { useGuardFixture } from './guards/guard-fixture.ts';
import { procedures } from './procedures.ts';
import { testTransports } from './transports.ts';
import { withoutRoute } from './without-route.ts';

test('every procedure has a guard, an output schema, and a route unless it is named as one without', () => {
  const unrouted = procedures.filter(({ route }) => !route).map(({ path }) => path);
  expect(unrouted.sort()).toEqual(withoutRoute.toSorted());
  for (const { path, type, guard, hasOutput } of procedures) {
    expect(guard, path).toBeDefined();
    // The items of a stream are typed, but no schema checks them.
    expect(hasOutput, path).toBe(type !== 'subscription');
  }
});

testTransports(useGuardFixture(), useGuardFixture(selling));
