import { describe, expect, test } from 'vitest';
import { env, freshEmail, operator, password } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });
const largest = 16_384;

/** Metadata with `characters` characters of JSON. */
function metadataOf(characters: number) {
  const metadata = { note: '' };
  metadata.note = 'x'.repeat(characters - JSON.stringify(metadata).length);
  return metadata;
}

/** The two routes that create a tenant with the caller's metadata. */
const routes: [string, (metadata: unknown) => ReturnType<typeof app.json>][] = [
  [
    'POST /api/auth/signup/email',
    (metadata) =>
      app.json('POST', '/api/auth/signup/email', {
        body: { tenant_name: 'A workspace', email: freshEmail(), password, metadata },
      }),
  ],
  [
    'POST /api/tenants',
    (metadata) =>
      app.json('POST', '/api/tenants', { headers: operator, body: { name: 'A workspace', metadata } }),
  ],
];

async function contents() {
  const [row] = await openSuperuser(app.superuserUrl)`
    select (select count(*)::int from tenants) as tenants, (select count(*)::int from users) as users,
      (select count(*)::int from credential_directory) as credentials,
      (select count(*)::int from audit_log) as events`;
  return row;
}

describe.each(routes)(
  'A 2.1: the metadata of %s, which is read with the tenant at each sign-in',
  (_, make) => {
    test('past 16,384 characters of JSON is 422, naming it, and nothing is created', async () => {
      const before = await contents();
      const keys = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key${i}`, i]));
      for (const metadata of [metadataOf(largest + 1), metadataOf(90_000), keys]) {
        const { status, body } = await make(metadata);
        expect([status, body.detail]).toEqual([
          422,
          [expect.objectContaining({ loc: ['body', 'metadata'] })],
        ]);
        expect(JSON.stringify(body)).not.toContain('xxx');
      }
      expect(await contents()).toEqual(before);
    });

    test('of exactly so many is kept whole', async () => {
      const { status, body } = await make(metadataOf(largest));
      expect([status, (body.account ?? body).metadata]).toEqual([200, metadataOf(largest)]);
    });
  },
);
