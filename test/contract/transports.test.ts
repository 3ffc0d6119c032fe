import { expect, test } from 'vitest';
import { selling, useContractFixture } from './fixture.ts';
import { procedures } from './procedures.ts';
import { cases, testTransports } from './transports.ts';
import { withoutRoute } from './without-route.ts';

test('every procedure has a guard, an output schema, cases here, and a route unless it is named as one without', () => {
  const unrouted = procedures.filter(({ route }) => !route).map(({ path }) => path);
  expect(unrouted.sort()).toEqual(withoutRoute.toSorted());
  expect(Object.keys(cases).sort()).toEqual(procedures.map(({ path }) => path).sort());
  for (const { path, guard, hasOutput } of procedures) {
    expect(guard, path).toBeDefined();
    expect(hasOutput, path).toBe(true);
  }
});

testTransports(useContractFixture(), useContractFixture(selling));
