import { describe, expect, test } from 'vitest';
import type { GuardName } from '#server/context.ts';
import { bearer, type Fields, type Headers } from '#test/factories.ts';
import { enrollmentChallenge } from '../factories.ts';
import { viaRest, viaRpc } from './call.ts';
import { selling } from './fixture.ts';
import { callAsEverybody, expectedOf, inShort, type Transport, transportsOf } from './guards/callers.ts';
import { useGuardFixture } from './guards/guard-fixture.ts';
import { probes } from './guards/probes.ts';
import { namesOf, procedures } from './procedures.ts';

const someId = 'f'.repeat(32);

/** Inputs that are invalid according to the schemas of administrators' procedures. */
const badInputs: readonly [path: string, input: Fields][] = [
  ['auth.revoke', {}],
  ['members.list', { limit: 0 }],
  ['members.changeRole', { user_id: someId, role: 'root' }],
  ['members.createInvite', { role: 'root' }],
  ['members.listInvites', { tenant_id: someId, cursor: 'zzz' }],
  ['tenants.create', {}],
  ['tenants.list', { cursor: 'zzz' }],
  ['tenants.setSecurityPolicy', {}],
  ['usage.daily', { from: '2026-02-29' }],
  ['usage.summary', { tenant_id: someId, period: '2026-13' }],
];

/**
 * The procedures of each guard according to the specification, by their domains. `administrator_session` accepts only
 * sessions of administrators.
 */
const byGuard: Readonly<Record<GuardName, Readonly<Record<string, string>>>> = {
  public: {
    system: 'health',
    auth: 'signUpWithEmail token verifyMfa signOut resetPassword requestPasswordReset authorizeSso completeSso ssoClientConfig',
    members: 'previewInvite',
    billing: 'webhook',
  },
  administrator_session: {
    apiKeys: 'list create update rotate revoke',
    audit: 'list',
    exports: 'list start',
    retention: 'anonymizeMember',
    tenants: 'rotateKey',
    usage: 'breakdown',
    assignments: 'load rules saveRules',
    quality: 'draw report saveSettings scorecard settings',
    reviews: 'byReviewer byDomain outcomes pay payXlsx turnaround turnaroundXlsx',
  },
  tenant_identity: {
    analyses: 'addFile cancel create delete exportXlsx get list removeFile setVersion start',
    events: 'list subscribe',
    billing: 'checkout topup portal coverage prices',
    translations:
      'create createBatch createFromText createFromFile get list review exportXliff reviewXliff search counts check act reviewMany resolve recheck',
    documents:
      'translate list summary get segments artifacts download review approve progress files outline search boxes correct exportXliff reviewXliff approveMany check confirm confirmAll recheck resolve save undo redo history render',
    storage: 'binding usage',
    styleGuides: 'list get',
    terminology:
      'upload create list exportTbx exportXlsx exportCsv delete entries addEntry pairs rename terms addTerm updateTerm deleteTerm previewUpload applyPreview matches matchesOfTexts candidates rejectCandidates',
    memory:
      'import list listImports getImport delete export exportCsv exportGolden browse concordance problems matches align addPairs importPairs updateUnit deleteUnits countFound deleteFound previewReplace replace duplicates mergeDuplicates otherTranslations changes undo penalties setPenalty',
  },
  platform_operator: {
    tenants: 'create',
    operations: 'engines models queue retry workspace',
    documents: 'outage requeue',
  },
  challenge_or_cookie: {
    auth: 'enrollMfa confirmMfa',
  },
  session_cookie: {
    auth: 'regenerateRecoveryCodes',
  },
  bearer: {
    auth: 'me changePassword endSession linkSso proof sessions prove',
    mail: 'preferences sendConfirmation setPreferences',
    members: 'colleagues',
    assignments: 'mine list assign pass profiles saveProfile',
    terminology: 'spellingWords setSpellingWord',
    quality: 'checks check decide dispute marks mark calibrations',
    reviews: 'next claim reopen inbox texts comments commentCounts comment deleteComment mentions',
  },
  admin: {
    auth: 'revoke introspect',
    members: 'list revoke restore changeRole resetMfa issueResetLink createInvite listInvites withdrawInvite',
    tenants: 'list setSecurityPolicy',
    usage: 'daily summary export',
    translations: 'delete',
    documents: 'delete',
  },
  tenant_identity_or_cookie: {
    translations: 'golden',
  },
  tenant_admin: {
    engines: 'get save remove test',
    storage: 'bind unbind verify',
    segmentation: 'get save delete',
    textRules: 'get save try',
    tenants: 'general saveGeneral',
    styleGuides: 'save delete',
  },
};
const guardOf: Readonly<Record<string, GuardName>> = Object.fromEntries(
  Object.entries(byGuard).flatMap(([guard, names]) =>
    namesOf(names).map((name) => [name, guard as GuardName]),
  ),
);

const fixture = useGuardFixture();
const sellingFixture = useGuardFixture(selling);
/** Billing procedures are tested on the deployment with billing. */
const fixtureOf = (path: string) => (path.startsWith('billing.') ? sellingFixture : fixture);

describe('every procedure', () => {
  test('declares the guard that the specification gives it', () => {
    const declared = procedures.map(({ path, guard }) => [path, guard]);
    expect(Object.fromEntries(declared)).toEqual(guardOf);
    expect(Object.keys(guardOf)).toEqual(expect.arrayContaining(Object.keys(probes)));
  });
});

/**
 * One procedure for each guard, which all callers call; over both transports if possible. Only the usual callers call
 * the other procedures.
 */
const byEveryone = new Set(
  Object.values(guardOf).map((guard) => {
    const guarded = procedures.filter(({ path }) => guardOf[path] === guard);
    return (guarded.find((one) => transportsOf(one).length === 2) ?? guarded[0])?.path;
  }),
);

describe.each(procedures.map((procedure) => [procedure.path, procedure] as const))(
  '%s',
  { timeout: 90_000 },
  (path, procedure) => {
    const guard = guardOf[path] ?? 'public';
    const probe = probes[path] ?? {};
    const all = byEveryone.has(path);
    test.each(transportsOf(procedure))(
      `the guard ${guard} responds to ${all ? 'every' : 'each usual'} caller as stated: %s`,
      async (transport) => {
        const at = fixtureOf(path);
        expect(await callAsEverybody(at.app, at, procedure, probe, transport, all)).toEqual(
          expectedOf(guard, probe, transport, all),
        );
      },
    );
  },
);

describe('a caller who may not administer is rejected before the input is validated (A 5.2)', () => {
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

describe('every tenant credential is rejected with X-Tenant-ID of another tenant (A 5.1 rule 3)', () => {
  const refusals: Partial<Record<GuardName, string>> = {
    tenant_identity: '401 missing or invalid tenant credentials',
    tenant_identity_or_cookie: '401 missing or invalid tenant credentials',
    admin: '401 admin credentials required',
    platform_operator: '401 admin credentials required',
  };
  const guarded = procedures.filter(({ path }) => guardOf[path] && guardOf[path] in refusals);

  test.each(guarded.map((procedure) => [procedure.path, procedure] as const))(
    '%s',
    async (path, procedure) => {
      const at = fixtureOf(path);
      const { founder, member, neighbour } = at;
      const call = procedure.route ? viaRest : viaRpc;
      const elsewhere = { 'x-tenant-id': neighbour.tenantId };
      const input = (await probes[path]?.input?.(at)) ?? {};
      for (const own of [founder.key, bearer(founder.apiKey), member.bearer, founder.bearer])
        expect(inShort(await call(at.app, procedure, { input, headers: { ...own, ...elsewhere } }))).toBe(
          refusals[guardOf[path] as GuardName],
        );
    },
  );
});

describe('a challenge', () => {
  const refused = '401 authentication required';
  const enroll = procedures.find(({ path }) => path === 'auth.enrollMfa')!;

  test.each<Transport>(['REST', '/trpc'])(
    'admits its holder, whatever else is presented: %s',
    async (transport) => {
      const challenge_id = await enrollmentChallenge(fixture.app);
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
        const challengeId = await enrollmentChallenge(fixture.app);
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
