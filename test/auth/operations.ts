import type { Fields } from '#test/factories.ts';

/** The guards of A 5.2. */
export type Guard =
  | 'tenant'
  | 'tenant-admin'
  | 'admin'
  | 'operator'
  | 'bearer'
  | 'session'
  | 'public'
  | 'billing';

/** An operation of the API: its guard by A 5.2 and B 5, and a request that is well formed. */
export interface Operation {
  guard: Guard;
  body?: Fields | URLSearchParams | (() => FormData);
  query?: string;
}

const form = (fields: Record<string, string>) => new URLSearchParams(fields);
const file = (name: string, type: string, fields: Record<string, string>) => () => {
  const upload = new FormData();
  upload.append(name, new File(['Hello'], `hello.${type}`));
  for (const [field, value] of Object.entries(fields)) upload.append(field, value);
  return upload;
};
const pair = { source_lang: 'en', target_lang: 'fr' };

/** Every operation of the service, by its method and its address as the OpenAPI document writes it. */
const table: Readonly<Record<string, Operation>> = {
  'GET /healthz': { guard: 'public' },
  'POST /api/auth/signup/email': { guard: 'public', body: {} },
  'POST /api/oauth2/token': { guard: 'public', body: form({ grant_type: 'none' }) },
  'POST /api/oauth2/revoke': { guard: 'admin', body: form({ token: 'unknown' }) },
  'POST /api/oauth2/introspect': { guard: 'admin', body: form({ token: 'unknown' }) },
  'POST /api/oauth2/{provider}/authorize': { guard: 'public', body: { redirect_uri: 'https://x.example/' } },
  'POST /api/oauth2/{provider}/callback': { guard: 'public', body: { code: 'x', state: 'x' } },
  'GET /api/oauth2/{provider}/client-config': { guard: 'public' },
  'POST /api/auth/mfa/verify': { guard: 'public', body: { challenge_id: 'x' } },
  'POST /api/auth/mfa/enroll': { guard: 'session', body: {} },
  'POST /api/auth/mfa/confirm': { guard: 'session', body: { mfa_code: '000000' } },
  'POST /api/auth/mfa/recovery/regenerate': { guard: 'session' },
  'POST /api/auth/invites/preview': { guard: 'public', body: { invite_token: 'x' } },
  'POST /api/auth/password-reset': { guard: 'public', body: {} },
  'POST /api/auth/signout': { guard: 'public' },
  'GET /api/auth/me': { guard: 'bearer' },
  'GET /api/auth/users': { guard: 'admin' },
  'DELETE /api/auth/users/{user_id}': { guard: 'admin' },
  'POST /api/auth/users/{user_id}/restore': { guard: 'admin' },
  'PATCH /api/auth/users/{user_id}/role': { guard: 'admin', body: { role: 'agent_id_developer' } },
  'POST /api/auth/users/{user_id}/mfa/reset': { guard: 'admin' },
  'POST /api/auth/users/{user_id}/password-reset-link': { guard: 'admin' },
  'POST /api/tenants': { guard: 'operator', body: { name: 'x' } },
  'GET /api/tenants': { guard: 'admin' },
  'GET /api/tenants/usage/daily': { guard: 'admin' },
  'GET /api/tenants/{tenant_id}/billing': { guard: 'admin' },
  'GET /api/tenants/{tenant_id}/billing/export': { guard: 'admin', query: '?format=json' },
  'PATCH /api/tenants/security': { guard: 'admin', body: { mfa_required: false } },
  'POST /api/tenants/invites': { guard: 'admin', body: {} },
  'GET /api/tenants/invites': { guard: 'admin' },
  'DELETE /api/tenants/invites/{invite_id}': { guard: 'admin' },
  'POST /api/billing/checkout': { guard: 'billing', body: { tier: 'pro' } },
  'POST /api/billing/topup': { guard: 'billing', body: {} },
  'POST /api/billing/portal': { guard: 'billing' },
  'POST /api/stripe/webhook': { guard: 'public', body: {} },
  'POST /api/translations': { guard: 'tenant', body: { source_text: 'Hello', target_lang: 'fr' } },
  'GET /api/translations': { guard: 'tenant' },
  'GET /api/translations/{job_id}': { guard: 'tenant' },
  'DELETE /api/translations/{job_id}': { guard: 'admin' },
  'POST /api/translations/{job_id}/review': { guard: 'tenant', body: { action: 'approve' } },
  'GET /api/translations/{job_id}/golden': { guard: 'tenant' },
  'POST /api/documents/translate': { guard: 'tenant', body: file('file', 'docx', { target_lang: 'fr' }) },
  'GET /api/documents': { guard: 'tenant' },
  'GET /api/documents/summary': { guard: 'tenant' },
  'GET /api/documents/{document_id}': { guard: 'tenant' },
  'DELETE /api/documents/{document_id}': { guard: 'admin' },
  'GET /api/documents/{document_id}/segments': { guard: 'tenant' },
  'GET /api/documents/{document_id}/artifacts': { guard: 'tenant' },
  'GET /api/documents/{document_id}/download': { guard: 'tenant' },
  'POST /api/documents/{document_id}/review': {
    guard: 'tenant',
    body: { corrections: [{ region_id: 'x', target_text: 'x' }] },
  },
  'POST /api/documents/{document_id}/approve': { guard: 'tenant' },
  'POST /api/terminology': {
    guard: 'tenant',
    body: file('terminology_file', 'csv', { name: 'x', ...pair }),
  },
  'GET /api/terminology': { guard: 'tenant' },
  'DELETE /api/terminology/{set_id}': { guard: 'tenant' },
  'POST /api/tm': { guard: 'tenant', body: file('tmx_file', 'tmx', { name: 'x', ...pair }) },
  'GET /api/tm': { guard: 'tenant' },
  'GET /api/tm/imports': { guard: 'tenant' },
  'GET /api/tm/imports/{job_id}': { guard: 'tenant' },
  'GET /api/tm/export/golden': { guard: 'tenant', query: '?source_lang=en&target_lang=fr' },
  'DELETE /api/tm/{set_id}': { guard: 'tenant' },
  'GET /api/tm/{set_id}/export': { guard: 'tenant' },
  'GET /api/storage/binding': { guard: 'tenant' },
  'PUT /api/storage/binding': { guard: 'tenant-admin', body: { provider: 'platform' } },
  'DELETE /api/storage/binding': { guard: 'tenant-admin' },
  'POST /api/storage/binding/verify': { guard: 'tenant-admin' },
  'GET /api/storage/usage': { guard: 'tenant' },
};

/** The operation called `name` (`GET /api/tenants`); undefined where no rule of A 5.2 speaks of it. */
export const operationOf = (name: string): Operation | undefined => table[name];

/** The names of all operations of a served OpenAPI document. */
export function operationsOf(document: { paths: Record<string, Record<string, unknown>> }): string[] {
  const methods = ['get', 'put', 'post', 'patch', 'delete'];
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`),
  );
}
