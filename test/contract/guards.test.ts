import { describe, expect, test } from 'vitest';
import type { GuardName } from '#server/context.ts';
import { bearer, type Fields, type Headers } from '#test/factories.ts';
import { enrollmentChallenge } from '../factories.ts';
import { viaRest, viaRpc } from './call.ts';
import { selling } from './fixture.ts';
import { callAsEverybody, expectedOf, inShort, type Transport, transportsOf } from './guards/callers.ts';
import { useGuardFixture } from './guards/guard-fixture.ts';
import { probes } from './guards/probes.ts';
import { procedures } from './procedures.ts';

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
 * The guard of each procedure according to the specification. `administrator_session` accepts only sessions of
 * administrators (decision 112).
 */
const guardOf: Readonly<Record<string, GuardName>> = {
  'system.health': 'public',

  'apiKeys.list': 'administrator_session',
  'apiKeys.create': 'administrator_session',
  'apiKeys.update': 'administrator_session',
  'apiKeys.rotate': 'administrator_session',
  'apiKeys.revoke': 'administrator_session',

  'audit.list': 'administrator_session',
  'events.list': 'tenant_identity',
  'events.subscribe': 'tenant_identity',
  'exports.list': 'administrator_session',
  'exports.start': 'administrator_session',

  'retention.anonymizeMember': 'administrator_session',
  'retention.cancelDeletion': 'platform_operator',
  'retention.listDeletions': 'platform_operator',
  'retention.previewDeletion': 'platform_operator',
  'retention.scheduleDeletion': 'platform_operator',

  'auth.signUpWithEmail': 'public',
  'auth.token': 'public',
  'auth.verifyMfa': 'public',
  'auth.signOut': 'public',
  'auth.resetPassword': 'public',
  'auth.authorizeSso': 'public',
  'auth.completeSso': 'public',
  'auth.ssoClientConfig': 'public',
  'auth.enrollMfa': 'challenge_or_cookie',
  'auth.confirmMfa': 'challenge_or_cookie',
  'auth.regenerateRecoveryCodes': 'session_cookie',
  'auth.me': 'bearer',
  'auth.draftKeys': 'bearer',
  'auth.changePassword': 'bearer',
  'auth.endSession': 'bearer',
  'auth.proof': 'bearer',
  'auth.sessions': 'bearer',
  'auth.prove': 'bearer',
  'auth.revoke': 'admin',
  'auth.introspect': 'admin',

  'members.previewInvite': 'public',
  'members.list': 'admin',
  'mail.preferences': 'bearer',
  'mail.sendConfirmation': 'bearer',
  'mail.setPreferences': 'bearer',

  'members.colleagues': 'bearer',
  'members.revoke': 'admin',
  'members.restore': 'admin',
  'members.changeRole': 'admin',
  'members.resetMfa': 'admin',
  'members.issueResetLink': 'admin',
  'members.createInvite': 'admin',
  'members.listInvites': 'admin',
  'members.withdrawInvite': 'admin',

  'tenants.create': 'platform_operator',
  'tenants.list': 'admin',
  'tenants.setSecurityPolicy': 'admin',
  'tenants.rotateKey': 'administrator_session',

  'billing.checkout': 'tenant_identity',
  'billing.topup': 'tenant_identity',
  'billing.portal': 'tenant_identity',
  'billing.coverage': 'tenant_identity',
  'billing.prices': 'tenant_identity',
  'billing.webhook': 'public',

  'usage.daily': 'admin',
  'usage.summary': 'admin',
  'usage.export': 'admin',
  'usage.breakdown': 'administrator_session',

  'translations.create': 'tenant_identity',
  'translations.createBatch': 'tenant_identity',
  'translations.createFromText': 'tenant_identity',
  'translations.createFromFile': 'tenant_identity',
  'translations.get': 'tenant_identity',
  'translations.list': 'tenant_identity',
  'translations.review': 'tenant_identity',
  'translations.exportXliff': 'tenant_identity',
  'translations.reviewXliff': 'tenant_identity',
  'translations.golden': 'tenant_identity_or_cookie',
  'translations.delete': 'admin',
  'translations.search': 'tenant_identity',
  'translations.counts': 'tenant_identity',
  'translations.check': 'tenant_identity',
  'translations.act': 'tenant_identity',
  'translations.reviewMany': 'tenant_identity',
  'translations.resolve': 'tenant_identity',
  'translations.recheck': 'tenant_identity',

  'reviews.next': 'bearer',
  'reviews.claim': 'bearer',
  'reviews.reopen': 'bearer',
  'reviews.inbox': 'bearer',
  'reviews.texts': 'bearer',
  'reviews.comments': 'bearer',
  'reviews.commentCounts': 'bearer',
  'reviews.comment': 'bearer',
  'reviews.deleteComment': 'bearer',
  'reviews.mentions': 'bearer',
  'reviews.byReviewer': 'administrator_session',
  'reviews.byDomain': 'administrator_session',
  'reviews.outcomes': 'administrator_session',

  'documents.translate': 'tenant_identity',
  'documents.list': 'tenant_identity',
  'documents.summary': 'tenant_identity',
  'documents.get': 'tenant_identity',
  'documents.segments': 'tenant_identity',
  'documents.artifacts': 'tenant_identity',
  'documents.download': 'tenant_identity',
  'documents.review': 'tenant_identity',
  'documents.approve': 'tenant_identity',
  'documents.delete': 'admin',
  'documents.progress': 'tenant_identity',
  'documents.files': 'tenant_identity',
  'documents.outline': 'tenant_identity',
  'documents.search': 'tenant_identity',
  'documents.boxes': 'tenant_identity',
  'documents.correct': 'tenant_identity',
  'documents.exportXliff': 'tenant_identity',
  'documents.reviewXliff': 'tenant_identity',
  'documents.approveMany': 'tenant_identity',
  'documents.check': 'tenant_identity',
  'documents.confirm': 'tenant_identity',
  'documents.confirmAll': 'tenant_identity',
  'documents.recheck': 'tenant_identity',
  'documents.resolve': 'tenant_identity',
  'documents.save': 'tenant_identity',
  'documents.undo': 'tenant_identity',
  'documents.redo': 'tenant_identity',
  'documents.history': 'tenant_identity',
  'documents.render': 'tenant_identity',
  'operations.models': 'platform_operator',
  'operations.queue': 'platform_operator',
  'operations.retry': 'platform_operator',
  'operations.workspace': 'platform_operator',
  'operations.deactivate': 'platform_operator',
  'operations.reactivate': 'platform_operator',
  'operations.setAllowance': 'platform_operator',
  'operations.setStorageCap': 'platform_operator',
  'operations.endSessions': 'platform_operator',
  'operations.revokeKey': 'platform_operator',
  'operations.rotateKey': 'platform_operator',
  'operations.storage': 'platform_operator',
  'documents.outage': 'platform_operator',
  'documents.requeue': 'platform_operator',

  'storage.binding': 'tenant_identity',
  'storage.bind': 'tenant_admin',
  'storage.unbind': 'tenant_admin',
  'storage.verify': 'tenant_admin',
  'storage.usage': 'tenant_identity',

  'styleGuides.list': 'tenant_identity',
  'styleGuides.get': 'tenant_identity',
  'styleGuides.save': 'tenant_admin',
  'styleGuides.delete': 'tenant_admin',

  'terminology.upload': 'tenant_identity',
  'terminology.create': 'tenant_identity',
  'terminology.list': 'tenant_identity',
  'terminology.exportTbx': 'tenant_identity',
  'terminology.exportXlsx': 'tenant_identity',
  'terminology.delete': 'tenant_identity',
  'terminology.entries': 'tenant_identity',
  'terminology.addEntry': 'tenant_identity',
  'terminology.pairs': 'tenant_identity',
  'terminology.rename': 'tenant_identity',
  'terminology.terms': 'tenant_identity',
  'terminology.addTerm': 'tenant_identity',
  'terminology.updateTerm': 'tenant_identity',
  'terminology.deleteTerm': 'tenant_identity',
  'terminology.previewUpload': 'tenant_identity',
  'terminology.applyPreview': 'tenant_identity',
  'terminology.matches': 'tenant_identity',
  'terminology.matchesOfTexts': 'tenant_identity',

  'memory.import': 'tenant_identity',
  'memory.list': 'tenant_identity',
  'memory.listImports': 'tenant_identity',
  'memory.getImport': 'tenant_identity',
  'memory.delete': 'tenant_identity',
  'memory.export': 'tenant_identity',
  'memory.exportGolden': 'tenant_identity',
  'memory.browse': 'tenant_identity',
  'memory.concordance': 'tenant_identity',
  'memory.matches': 'tenant_identity',
};

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
