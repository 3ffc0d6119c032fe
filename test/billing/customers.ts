import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { administrator, bearer, inviting, operator, operatorKey } from '#test/factories.ts';
import { refusalOf, type TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

export { bearer, operator } from '#test/factories.ts';
export { keyed } from '../translations/workspace.ts';

export type Fields = Record<string, unknown>;
export type Headers = Record<string, string>;

/** The settings of the deployments in these tests: an operator key, and no rate limit for signups. */
export const base = { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey };

/** How the details of 402 responses begin and end (C 3). */
export const SUBSCRIBE = /; subscribe at \/billing$/;
export const UPDATE = /; update the payment method at \/billing$/;
/** The exact message of A 7.4. */
export const WORKSPACE_ONLY =
  'the free trial covers the workspace only - API access requires an active subscription; subscribe at /billing';

/** A text of `length` characters that no other job in this file has. */
export function text(length: number, begin = ''): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const word = `${begin}${begin === '' ? '' : ' '}${randomUUID()}`;
  if (length >= word.length) return word + letters.charAt(length % 26).repeat(length - word.length);
  if (begin === '') return word.slice(0, length);
  throw new Error(`no text of ${length} characters begins with ${begin}`);
}

/** Functions that send the requests of a tenant, with `headers` by default. */
export function customer(app: TestApp, tenantId: string, headers: Headers) {
  const submit = (body: unknown, more: Headers = {}) =>
    app.json('POST', '/api/translations', { headers: { ...headers, ...more }, body });
  const billing = async (query = '') => {
    const path = `/api/tenants/${tenantId}/billing${query}`;
    const { status, body } = await app.json('GET', path, { headers: operator });
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  return {
    tenantId,
    headers,
    submit,
    /** Translates one text, into French by default. */
    translate: (source_text: string, fields: Fields = {}, more: Headers = {}) =>
      submit({ source_text, target_lang: 'fr', ...fields }, more),
    /** Translates several texts into French in one request. */
    batch: (texts: string[], more: Headers = {}) =>
      submit({ inputs: texts.map((Text) => ({ Text, Targets: [{ Language: 'fr' }] })) }, more),
    list: async () =>
      (await app.json('GET', '/api/translations?limit=200', { headers: { ...headers } })).body as {
        id: string;
        status: string;
        updated_at: string;
      }[],
    read: async (id: string) => (await app.json('GET', `/api/translations/${id}`, { headers })).body,
    /** The billing summary of the tenant (C 3), which the operator reads. */
    billing,
    billed: async (): Promise<number> => (await billing()).billable_chars,
    /** The account of the tenant, which the operator reads. */
    async account() {
      const { body } = await app.json('GET', '/api/tenants', { headers: operator });
      return body.find(({ id }: { id: string }) => id === tenantId);
    },
    async metadata() {
      return (await this.account()).metadata;
    },
    /** Moves all usage so far to an earlier month: the usage records and their totals. */
    async moveUsageBack(months = 1): Promise<void> {
      const sql = openSuperuser(app.superuserUrl);
      // The first day of the month, because each month has this day.
      await sql`
        update usage_totals set day = (date_trunc('month', day) - make_interval(months => ${months}))::date
        where tenant_id = ${tenantId}`;
      await sql`
        update usage_records
        set recorded_at = date_trunc('month', recorded_at, 'UTC') - make_interval(months => ${months}) + interval '1 hour',
            billing_period = to_char(date_trunc('month', recorded_at at time zone 'UTC') - make_interval(months => ${months}), 'YYYY-MM')
        where tenant_id = ${tenantId}`;
    },
    /** Moves the creation of the account `days` into the past. */
    async age(days: number): Promise<void> {
      await openSuperuser(app.superuserUrl)`
        update tenants set created_at = created_at - make_interval(secs => ${days * 86_400}) where tenant_id = ${tenantId}`;
    },
  };
}

export type Customer = ReturnType<typeof customer>;

/** Creates a tenant as the operator, and returns it with its API key. */
export async function provision(app: TestApp, fields: Fields = {}): Promise<Customer> {
  const { status, body } = await app.json('POST', '/api/tenants', {
    headers: operator,
    body: { name: 'A customer', ...fields },
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return customer(app, body.id, { 'x-api-key': body.api_key });
}

/** The metadata that the platform stores for a tenant whose subscription has this status. */
export const subscription = (status = 'active', more: Fields = {}) => ({
  pay_subscription_id: `sub_${randomUUID().slice(0, 8)}`,
  pay_subscription_status: status,
  ...more,
});

/** Creates a tenant with a current subscription to a plan of `monthly_char_limit` characters. */
export const subscriber = (app: TestApp, monthly_char_limit: number, metadata: Fields = {}) =>
  provision(app, { monthly_char_limit, metadata: subscription('active', metadata) });

/** A session of an administrator in a tenant that the operator has created. */
export async function sessionOf(
  app: TestApp,
  { tenantId }: Customer,
  role = administrator,
): Promise<Headers> {
  return (await inviting(app, operator, `?tenant_id=${tenantId}`).join({ role })).bearer;
}

/**
 * Creates a workspace by a signup, and returns its founder's session. The workspace is on trial if the deployment
 * grants trials.
 */
export async function trialist(app: TestApp, fields: Fields = {}) {
  const { tenantId, accessToken, apiKey } = await app.signUp(fields);
  return {
    ...customer(app, tenantId, bearer(accessToken)),
    accessToken,
    withKey: customer(app, tenantId, { 'x-api-key': apiKey }),
  };
}

/** `[status, detail]` of a rejected request. */
export const refusal = ({ status, body }: { status: number; body: { detail?: unknown } }) => [
  status,
  body.detail,
];

/** Expects a rejection because of the trial or subscription. The detail must have the given beginning and end. */
export function expectPaymentRequired(
  answer: { status: number; body: unknown },
  start: string,
  end: RegExp = SUBSCRIBE,
): void {
  expect(answer).toMatchObject({ status: 402, body: { detail: expect.stringMatching(end) } });
  expect((answer.body as { detail: string }).detail.slice(0, start.length)).toBe(start);
  expect(answer.body).toEqual(refusalOf(expect.any(String)));
}

/** Expects a rejection because of the monthly allowance, with any remedies (C 7: for texts, the body is `{detail}`). */
export function expectOverLimit(answer: { status: number; body: unknown }): string {
  expect(answer).toMatchObject({
    status: 429,
    body: { detail: expect.stringMatching(/^tenant usage limit exceeded/) },
  });
  expect(answer.body).toEqual(refusalOf(expect.any(String)));
  return (answer.body as { detail: string }).detail;
}
