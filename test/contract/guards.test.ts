import { describe, expect, test } from 'vitest';
import { restProcedures } from '#rest/procedures.ts';
import { appRouter } from '#server/router.ts';
import { carriesFiles, proceduresOf } from '#server/trpc.ts';
import type { Headers } from '#test/factories.ts';
import { enrolmentChallenge } from '../factories.ts';
import { viaRest, viaRpc } from './call.ts';
import { selling } from './fixture.ts';
import { badInputs } from './guards/bad-inputs.ts';
import { callAsEverybody, expectedOf, inShort, type Transport } from './guards/call-as-everybody.ts';
import { useGuardFixture } from './guards/guard-fixture.ts';
import { probes } from './guards/probes.ts';
import { guardOf } from './guards/table.ts';

const fixture = useGuardFixture();
const sellingFixture = useGuardFixture(selling);
/** Billing procedures are called on the deployment with billing. */
const fixtureOf = (path: string) => (path.startsWith('billing.') ? sellingFixture : fixture);
const procedures = restProcedures(appRouter);

describe('A 5.2: every procedure', () => {
  test('declares the guard that the specification gives it', () => {
    const declared = proceduresOf(appRouter).map(([path, { meta }]) => [path, meta?.guard]);
    expect(Object.fromEntries(declared)).toEqual(guardOf);
    expect(Object.keys(probes).sort()).toEqual(Object.keys(guardOf).sort());
  });

  test('has that guard over REST and /trpc', () => {
    expect(procedures.map(({ path }) => path).sort()).toEqual(Object.keys(guardOf).sort());
  });
});

describe.each(procedures.map((procedure) => [procedure.path, procedure] as const))(
  '%s',
  (path, procedure) => {
    const guard = guardOf[path] ?? 'public';
    const probe = probes[path] ?? {};
    const transports = carriesFiles(procedure.route) ? (['REST'] as const) : (['REST', '/trpc'] as const);

    test.each(transports)(
      `A 5.2: the guard ${guard} responds to every caller as stated: %s`,
      async (transport) => {
        const at = fixtureOf(path);
        expect(await callAsEverybody(at.app, at, procedure, probe, transport)).toEqual(
          expectedOf(guard, probe, transport),
        );
      },
    );
  },
);

describe('A 5.2: a caller who may not administer is refused before the input is validated', () => {
  test.each(badInputs)('%s %j', async (path, input) => {
    const procedure = procedures.find((one) => one.path === path)!;
    const { founder, member, operator } = fixture;
    for (const call of [viaRest, viaRpc]) {
      const responseOf = async (headers: Headers) =>
        inShort(await call(fixture.app, procedure, { input, headers }));
      expect(await responseOf({})).toBe('401 admin credentials required');
      expect(await responseOf(founder.key)).toBe('401 admin credentials required');
      expect(await responseOf(member.bearer)).toBe('403 admin role required');
      expect(await responseOf(operator.key)).toMatch(/^422/);
    }
  });
});

describe('A 5.2: "Challenge or cookie" by the challenge', () => {
  const refused = '401 authentication required';
  const enroll = procedures.find(({ path }) => path === 'auth.enrollMfa')!;

  test.each<Transport>(['REST', '/trpc'])(
    'admits its holder, whatever else is presented: %s',
    async (transport) => {
      const challenge_id = await enrolmentChallenge(fixture.app);
      const probe = { input: () => ({ challenge_id }) };
      expect(await callAsEverybody(fixture.app, fixture, enroll, probe, transport)).toEqual(
        expectedOf('public', probe, transport),
      );
    },
  );

  test.each([
    ['of a form that none has', async () => 'nothing'],
    ['of nobody', async () => `${fixture.founder.tenantId}.${'A'.repeat(43)}`],
    ['of no tenant', async () => `${'f'.repeat(32)}.${'A'.repeat(43)}`],
    [
      'that has expired',
      async () => {
        const challengeId = await enrolmentChallenge(fixture.app);
        await fixture.sql`update mfa_challenges set expires_at = now() - interval '1 second'`;
        return challengeId;
      },
    ],
  ])('refuses a challenge %s, with or without a cookie beside it', async (_, challengeIdOf) => {
    const input = { challenge_id: await challengeIdOf() };
    for (const call of [viaRest, viaRpc])
      for (const headers of [{}, fixture.founder.cookie, fixture.founder.bearer])
        expect(inShort(await call(fixture.app, enroll, { input, headers }))).toBe(refused);
  });
});
