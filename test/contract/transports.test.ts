import { expect, test } from 'vitest';
import { selling } from './fixture.ts';
import { useGuardFixture } from './guards/guard-fixture.ts';
import { procedures } from './procedures.ts';
import { testTransports } from './transports.ts';
import { withoutRoute } from './without-route.ts';

test('every procedure has a guard, an output schema, and a route unless it is named as one without', () => {
  const unrouted = procedures.filter(({ route }) => !route).map(({ path }) => path);
  expect(unrouted.sort()).toEqual(withoutRoute.toSorted());
  for (const { path, guard, hasOutput } of procedures) {
    expect(guard, path).toBeDefined();
    expect(hasOutput, path).toBe(true);
  }
});

testTransports(useGuardFixture(), useGuardFixture(selling));
