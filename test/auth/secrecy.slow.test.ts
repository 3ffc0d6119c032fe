import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type App, apiKey, bearer, cookie } from '#test/factories.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { everyRow } from '#test/setup/stored-rows.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';
import { type LoggedService, startLoggedService } from '../setup/logged-service.ts';
import { confirm, enroll, MFA_GRANT, regenerate, verify } from './mfa.ts';
import {
  type Fields,
  grant,
  introspect,
  me,
  postForm,
  refresh,
  revoke,
  SIGNUP,
  signIn,
  TOKEN,
} from './sign-in.ts';

const OPERATOR_KEY = 'operator-key-of-the-secrecy-test';
const SECRETS_KEY = Buffer.alloc(32, 'a key of secrets').toString('base64');
const settings = {
  LOG_LEVEL: 'trace',
  OPERATOR_API_KEY: OPERATOR_KEY,
  SECRETS_KEY,
  SERVICE_API_KEY: 'service-key-never-logged',
  STRIPE_SECRET_KEY: 'stripe-key-never-logged',
  STRIPE_WEBHOOK_SECRET: 'webhook-secret-never-logged',
};

/** Matches the names of fields with secret values, in requests and responses. */
const secretFields =
  /^(password|new_password|access_token|refresh_token|token|tenant_api_key|api_key|invite_token|reset_token|reset_url|challenge_id|mfa_code|secret|otpauth_uri|qr_code|recovery_codes)$/;

/** Collects the secrets in the body of a request or response, at any depth. */
function collect(heard: Set<string>, value: unknown, secret = false): void {
  if (typeof value === 'string') {
    if (secret && value !== '' && !value.startsWith('/')) heard.add(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(heard, item, secret);
  } else if (value !== null && typeof value === 'object') {
    for (const [name, item] of Object.entries(value)) collect(heard, item, secretFields.test(name));
  }
}

/** Functions that send requests to a service, and record all secrets in requests and responses. */
function overhear(service: LoggedService): { at: App; heard: Set<string> } {
  const heard = new Set([OPERATOR_KEY, SECRETS_KEY]);
  const json: App['json'] = async (method, path, options = {}) => {
    const { body } = options;
    collect(heard, typeof body === 'string' ? Object.fromEntries(new URLSearchParams(body)) : body);
    const answer = await service.json(method, path, options);
    collect(heard, answer.body);
    return answer;
  };
  return { at: { json }, heard };
}

/**
 * Whether a text contains a secret. A code of six digits must not be part of a longer number, where it could occur by
 * chance; other secrets may occur anywhere.
 */
function occursIn(text: string, secret: string): boolean {
  if (!/^\d{6}$/.test(secret)) return text.includes(secret);
  return new RegExp(`(?<![\\w.:-])${secret}(?![\\w.:-])`).test(text);
}

/**
 * The forms in which a secret could be stored: unchanged, in parts, in hexadecimal, in base64, or decoded from base32.
 */
function disguises(secret: string): string[] {
  if (/^\d{6}$/.test(secret)) return [secret];
  const parts = secret.split('.').filter((part) => part.length > 40);
  const raw = /^[A-Z2-7]{26,}$/.test(secret) ? [fromBase32(secret)] : [];
  return [secret, ...parts, secret.replace(/^(\w{5})-(\w{5})$/, '$1$2')].flatMap((text) =>
    [Buffer.from(text), ...raw].flatMap((bytes) => [
      text,
      bytes.toString('hex'),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      encodeURIComponent(text),
    ]),
  );
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((char) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'),
  );
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

const digests = (secret: string) =>
  (['hex', 'base64', 'base64url'] as const).map((form) => createHash('sha256').update(secret).digest(form));

const email = (name: string) => `${name}@secrecy.example`;
const founder = { email: email('founder'), password: 'first passphrase, never logged' };
const member = { email: email('member'), password: 'second passphrase, never logged' };
const renewed = 'third passphrase, never logged';

interface Live {
  accessToken: string;
  refreshToken: string;
  challengeId: string;
}

/**
 * Uses all procedures of identity, with requests that succeed and requests that fail. Returns credentials that are
 * still valid.
 */
async function drive(at: App): Promise<Live> {
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    at.json('POST', path, { body, headers });
  const signup = await post(SIGNUP, { tenant_name: 'Secretive', ...founder });
  expect(signup.status).toBe(200);
  const admin = bearer(signup.body.token.access_token);

  // Sign-ins with right and wrong passwords.
  const session = (await signIn(at, founder)).body;
  const wrongPassword = 'wrong passphrase, never logged';
  expect((await signIn(at, { ...founder, password: wrongPassword })).status).toBe(401);
  expect((await signIn(at, { email: email('nobody'), password: wrongPassword })).status).toBe(401);
  expect((await signIn(at, founder, { tenant_id: 'tenant-never-logged' })).status).toBe(401);
  expect((await post(TOKEN, { grant_type: 'password', ...founder })).status).toBe(422);
  expect((await grant(at, { grant_type: 'password', password: 'lonely, never logged' })).status).toBe(422);
  expect((await grant(at, { grant_type: 'never-logged', password: 'lonely, never logged' })).status).toBe(
    422,
  );
  const query = new URLSearchParams({ username: founder.email, password: 'query, never logged' });
  expect((await at.json('POST', `${TOKEN}?${query}`, { body: '' })).status).toBe(422);
  const broken = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await at.json('POST', TOKEN, {
    headers: broken,
    body: 'password=broken-never-logged&x=%FF',
  });
  expect(answer.status).toBe(400);

  // Tokens.
  const next = (await refresh(at, session.refresh_token)).body;
  expect((await refresh(at, session.refresh_token)).status).toBe(401);
  expect((await refresh(at, 'refresh-never-logged')).status).toBe(401);
  expect((await introspect(at, next.access_token, admin)).body.active).toBe(true);
  expect((await introspect(at, 'token-never-logged', bearer('bearer-never-logged'))).status).toBe(401);
  expect((await me(at, { ...cookie('cookie-never-logged'), ...apiKey('key-never-logged') })).status).toBe(
    401,
  );
  await revoke(at, next.access_token, admin);
  await postForm(at, '/api/auth/signout', { refresh_token: next.refresh_token }, cookie(next.access_token));

  // An invite, and a member who accepts it.
  const { invite_token } = (await post('/api/tenants/invites', { email: member.email }, admin)).body;
  for (const token of [invite_token, 'tenant.never-logged'])
    await post('/api/auth/invites/preview', { invite_token: token });
  const elsewhere = { ...member, email: email('elsewhere'), tenant_name: 'x', invite_token };
  expect((await post(SIGNUP, elsewhere)).status).toBe(400);
  const joined = await post(SIGNUP, { tenant_name: 'x', ...member, invite_token });
  expect(joined.status).toBe(200);
  const { token } = joined.body;

  // An authenticator, and codes of all kinds.
  const enrolling = cookie(token.access_token);
  const { secret } = (await enroll(at, {}, enrolling)).body;
  expect((await confirm(at, { mfa_code: wrongTotpCode(secret) }, enrolling)).status).toBe(401);
  const { recovery_codes } = (await confirm(at, { mfa_code: totpCode(secret) }, enrolling)).body;
  const challenge = async () => (await signIn(at, member)).body.mfa_challenge.challenge_id;
  expect((await verify(at, await challenge(), 'never-logge')).status).toBe(401);
  expect((await verify(at, await challenge(), totpCode(secret, 1))).status).toBe(200);
  const fields: Fields = { challenge_id: await challenge(), mfa_code: recovery_codes[0] };
  expect((await grant(at, { grant_type: MFA_GRANT, ...fields })).status).toBe(200);
  expect((await verify(at, 'challenge-never-logged', '654321')).status).toBe(401);
  expect((await regenerate(at, enrolling)).status).toBe(200);

  // A password reset link.
  const path = `/api/auth/users/${token.user.user_id}`;
  const link = (await post(`${path}/password-reset-link`, undefined, admin)).body;
  const reset = (reset_token: string, new_password: string) =>
    post('/api/auth/password-reset', { reset_token, new_password });
  expect((await reset('reset-never-logged', renewed)).status).toBe(401);
  expect((await reset(link.reset_token, 'never logged')).status).toBeLessThan(500);
  const second = (await post(`${path}/password-reset-link`, undefined, admin)).body;
  expect((await reset(second.reset_token, renewed)).status).toBe(200);

  // Secrets in translated texts, and in parameters where they do not belong.
  const key = apiKey(signup.body.tenant_api_key);
  const text = { source_text: 'A confidential sentence.', target_lang: 'fr' };
  expect((await post('/api/translations', text, key)).status).toBe(200);
  expect((await post('/api/translations', '{"source_text": "never-logged', key)).status).toBe(400);
  expect((await post('/api/translations', { ...text, tone: ['never-logged'] }, key)).status).toBe(422);
  expect((await at.json('GET', '/path-never-logged?token=never-logged')).status).toBe(404);
  expect((await post('/trpc/procedure-never-logged?token=never-logged', {})).status).toBe(404);

  // The operator.
  await post('/api/tenants', { name: 'Provisioned' }, apiKey(OPERATOR_KEY));
  await post('/api/tenants', { name: 'Refused' }, apiKey('operator-never-logged'));
  await post(`${path}/mfa/reset`, undefined, admin);
  await at.json('PATCH', '/api/tenants/security', { headers: admin, body: { mfa_required: true } });
  const asked = (await signIn(at, { ...member, password: renewed })).body.mfa_challenge;
  await enroll(at, { challenge_id: asked.challenge_id });
  const { access_token: accessToken, refresh_token: refreshToken } = signup.body.token;
  return { accessToken, refreshToken, challengeId: asked.challenge_id };
}

/** Makes statements fail whose parameters contain secrets, or values derived from secrets. */
async function breakStatements(at: App, service: LoggedService, live: Live): Promise<void> {
  const sql = openSuperuser(service.superuserUrl);
  const failing: [string, () => Promise<{ status: number }>][] = [
    ['mfa_challenges', () => confirm(at, { challenge_id: live.challengeId, mfa_code: '987654' })],
    ['tokens', () => introspect(at, live.accessToken, apiKey(OPERATOR_KEY))],
    ['tokens', () => refresh(at, live.refreshToken)],
    ['users', () => signIn(at, founder)],
    ['tenants', () => me(at, bearer(live.accessToken))],
    ['credential_directory', () => refresh(at, live.refreshToken)],
  ];
  for (const [table, ask] of failing) {
    await sql.unsafe(`alter table ${table} rename to mislaid_${table}`);
    expect((await ask()).status, table).toBe(500);
    await sql.unsafe(`alter table mislaid_${table} rename to ${table}`);
  }
}

test('no secret that was sent or issued is logged, audited, or stored in clear', async () => {
  const service = await startLoggedService(settings);
  const { at, heard } = overhear(service);
  const live = await drive(at);

  const sql = openSuperuser(service.superuserUrl);
  const rows = await everyRow(sql);
  // The search must find texts that are stored, such as this email address.
  expect(rows.some(({ row }) => row.includes(founder.email))).toBe(true);
  expect(heard.size).toBeGreaterThan(40);
  expect(rows.filter(({ table }) => table.includes('audit_log')).length).toBeGreaterThan(5);
  const found: string[] = [];
  for (const secret of heard)
    for (const form of disguises(secret))
      for (const { table, row } of rows) if (occursIn(row, form)) found.push(`${table}: ${secret}`);
  expect(found).toEqual([]);
  const stored = rows.filter(({ table }) => !table.includes('translation_jobs'));
  for (const { row } of stored) expect(row).not.toMatch(/never.logge/);

  await breakStatements(at, service, live);
  const log = await service.finish();
  expect(log).toContain('"route":"/api/oauth2/token"');
  expect(log.split('unexpected failure').length - 1).toBeGreaterThanOrEqual(6);
  expect(log).toContain('42P01');
  const printed: string[] = [];
  for (const secret of heard)
    for (const form of [...disguises(secret), ...digests(secret)])
      if (occursIn(log, form)) printed.push(secret);
  expect(printed).toEqual([]);
  expect(log).not.toMatch(/never.logge|\$argon2|select .* from|insert into|secrecy\.example|confidential/i);
});
