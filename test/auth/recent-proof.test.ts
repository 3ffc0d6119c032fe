import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { appRouter } from '#server/router.ts';
import { proceduresOf } from '#server/trpc.ts';
import { viaRpc } from '#test/contract/call.ts';
import {
  addAdministrator,
  openOperators,
  operatorEnv,
  type WorkspaceMember,
} from '#test/factories/operators.ts';
import { type Fields, found, type Headers, join, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { enrol, freshCode, regenerate, verify } from './mfa.ts';
import { passwordGrant } from './sign-in.ts';

const app = useTestApp({ env: { ...operatorEnv, STORAGE_BINDING_ENABLED: 'true' } });

const ask = (path: string, input: Fields, headers: Headers) =>
  viaRpc(app, { path, type: 'mutation' }, { input, headers });

/** Makes all proofs of a member so old that they no longer count. */
const forget = ({ userId }: { userId: string }) =>
  openSuperuser(app.superuserUrl)`
    update tokens set proved_at = now() - interval '601 s' where user_id = ${userId}`;

let admin: Person;
let member: Person;
let second: Person;
let chief: WorkspaceMember;
beforeAll(async () => {
  await openOperators(app);
  chief = await addAdministrator(app, 'first@ops.example');
});
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
  second = await join(app, admin, 'global_administrator');
});

/** Changes that give a person more power, or take data out of the workspace. `byOperator`: by an operator's session. */
const needing: Readonly<Record<string, { input: () => Fields; byOperator?: true }>> = {
  'members.changeRole': { input: () => ({ user_id: member.userId, role: 'global_administrator' }) },
  'members.resetMfa': { input: () => ({ user_id: member.userId }) },
  'members.issueResetLink': { input: () => ({ user_id: member.userId }) },
  'members.restore': { input: () => ({ user_id: member.userId }) },
  'members.revoke': { input: () => ({ user_id: second.userId }) },
  'members.createInvite': { input: () => ({ role: 'global_administrator' }) },
  'retention.anonymizeMember': { input: () => ({ user_id: member.userId }) },
  'tenants.setSecurityPolicy': { input: () => ({ mfa_required: false }) },
  'tenants.create': { input: () => ({ name: 'Another' }), byOperator: true },
  'engines.save': { input: () => ({ kind: 'deepl' }) },
  'engines.remove': { input: () => ({}) },
  'storage.bind': { input: () => ({ provider: 'platform' }) },
  'storage.unbind': { input: () => ({}) },
  'assignments.saveRules': { input: () => ({ rules: [] }) },
  'exports.start': { input: () => ({}) },
};

/** Procedures that demand the password or a code at each call. */
const proving = ['apiKeys.create', 'apiKeys.rotate', 'apiKeys.update', 'tenants.rotateKey'];

/** Why the other changes need no proof. */
const others: Readonly<Record<string, readonly string[]>> = {
  'it takes access away, which must be quick in an emergency': [
    'apiKeys.revoke',
    'auth.revoke',
    'members.withdrawInvite',
  ],
  'it changes nothing that is stored': ['auth.introspect', 'engines.test', 'storage.verify'],
  'the specification names it for administrators; it shows and gives nothing': [
    'documents.delete',
    'translations.delete',
  ],
  'an operator has passed a second factor in this session, and it gives no access': [
    'documents.requeue',
    'operations.retry',
  ],
  'it changes how texts are translated and checked, not who may see or approve them': [
    'quality.draw',
    'quality.saveSettings',
    'segmentation.delete',
    'segmentation.save',
    'styleGuides.delete',
    'styleGuides.save',
    'tenants.saveGeneral',
    'textRules.save',
  ],
};

describe('a change over /trpc that gives power needs a proof of identity of the last ten minutes', () => {
  test('each change by an administrator or operator is on one of three lists', () => {
    const guards = ['admin', 'administrator_session', 'platform_operator', 'tenant_admin'];
    const changes = proceduresOf(appRouter)
      .filter(([, { type, meta }]) => type === 'mutation' && guards.includes(meta?.guard ?? ''))
      .map(([path]) => path);
    expect(changes.toSorted()).toEqual(
      [...Object.keys(needing), ...proving, ...Object.values(others).flat()].toSorted(),
    );
  });

  test.each(Object.entries(needing))('%s', async (path, { input, byOperator }) => {
    const person = byOperator ? chief : admin;
    await forget(person);
    const refused = await ask(path, input(), person.bearer);
    expect([refused.status, refused.body.error_code]).toEqual([403, 'proof_required']);
    await openSuperuser(app.superuserUrl)`
      update tokens set proved_at = now() - interval '590 s' where user_id = ${person.userId}`;
    expect((await ask(path, input(), person.bearer)).body.error_code).not.toBe('proof_required');
  });

  test('`auth.prove` proves the identity for its own session, a wrong password does not', async () => {
    const { body: other } = await passwordGrant(app, admin);
    await forget(admin);
    const change = needing['members.changeRole']!.input();
    expect((await ask('auth.prove', { password: 'a wrong passphrase' }, admin.bearer)).status).toBe(403);
    expect((await ask('members.changeRole', change, admin.bearer)).status).toBe(403);
    expect((await ask('auth.prove', { password: admin.password }, admin.bearer)).status).toBe(200);
    expect((await ask('members.changeRole', change, admin.bearer)).status).toBe(200);
    const elsewhere = { authorization: `Bearer ${other.access_token}` };
    expect((await ask('members.changeRole', change, elsewhere)).body.error_code).toBe('proof_required');
  });

  test('an ordinary member, and the own access, are revoked without one', async () => {
    await forget(admin);
    await forget(second);
    expect((await ask('members.revoke', { user_id: member.userId }, admin.bearer)).status).toBe(200);
    expect((await ask('members.revoke', { user_id: second.userId }, second.bearer)).status).toBe(200);
  });

  test('a change of the redaction needs one over REST, too; the other settings and the operator key do not', async () => {
    await forget(admin);
    const redaction = { kinds: ['emails'], patterns: [], terms: [] };
    const change = (body: Fields, headers: Headers, query = '') =>
      app.json('PATCH', `/api/tenants/security${query}`, { headers, body });
    for (const headers of [admin.bearer, admin.cookie])
      for (const rules of [redaction, null]) {
        const { status, body } = await change({ mfa_required: false, redaction: rules }, headers);
        expect([status, body.error_code]).toEqual([403, 'proof_required']);
      }
    expect((await change({ mfa_required_for_sso: true }, admin.bearer)).status).toBe(200);
    expect((await change({ redaction }, operator, `?tenant_id=${admin.tenantId}`)).status).toBe(200);
    await ask('auth.prove', { password: admin.password }, admin.bearer);
    expect((await change({ redaction: null }, admin.bearer)).status).toBe(200);
  });

  test('REST, keys, and an invite of an ordinary member do without it', async () => {
    await forget(admin);
    const path = `/api/auth/users/${member.userId}/role`;
    const body = { role: 'global_administrator' };
    expect((await app.json('PATCH', path, { headers: admin.bearer, body })).status).toBe(200);
    expect((await ask('members.createInvite', {}, admin.bearer)).status).toBe(200);
    expect((await ask('storage.bind', { provider: 'platform' }, admin.key)).status).toBe(200);
    const named = { user_id: member.userId, role: 'agent_id_developer' };
    expect((await ask('members.changeRole', named, operator)).status).toBe(200);
  });

  test('the download of an export needs one, too', async () => {
    await forget(admin);
    const download = () => app.json('GET', '/app/exports/unknown', { headers: admin.cookie });
    expect((await download()).body.error_code).toBe('proof_required');
    await ask('auth.prove', { password: admin.password }, admin.bearer);
    expect((await download()).status).toBe(404);
  });
});

describe('a stolen session cannot give itself the proof', () => {
  const prove = (mfa_code: string, headers: Headers) => ask('auth.prove', { mfa_code }, headers);

  test('by an authenticator that it sets up; after the next sign-in, codes of this authenticator count', async () => {
    await forget(admin);
    const { secret, recoveryCodes } = await enrol(app, admin);
    expect((await prove(await freshCode(app, admin, secret), admin.bearer)).status).toBe(403);
    expect((await prove(recoveryCodes[0]!, admin.bearer)).status).toBe(403);
    const { body: step } = await passwordGrant(app, admin);
    const { body } = await verify(app, step.mfa_challenge.challenge_id, await freshCode(app, admin, secret));
    const headers = { authorization: `Bearer ${body.access_token}` };
    expect((await prove(await freshCode(app, admin, secret), headers)).status).toBe(200);
  });

  test('by new recovery codes', async () => {
    const { secret } = await enrol(app, admin);
    expect((await prove(await freshCode(app, admin, secret), admin.bearer)).status).toBe(200);
    await forget(admin);
    const { body } = await regenerate(app, admin.cookie);
    expect((await prove(body.recovery_codes[0], admin.bearer)).status).toBe(403);
  });
});
