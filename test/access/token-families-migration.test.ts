import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '#db/migrate.ts';
import { hashSecret, newSecret } from '#server/access/service.ts';
import { grant } from '#test/auth/sign-in.ts';
import { connect, type TestApp } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { startService } from '#test/setup/service.ts';

const migrations = join(import.meta.dirname, '../../db/migrations');

interface Journal {
  entries: { idx: number; tag: string; when: number }[];
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder of the first `count` migrations, and of others after them. */
async function folderOf(count: number, others: Record<string, string> = {}): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'meta'));
  const journal: Journal = JSON.parse(await readFile(join(migrations, 'meta/_journal.json'), 'utf8'));
  journal.entries = journal.entries.slice(0, count);
  for (const { tag } of journal.entries)
    await copyFile(join(migrations, `${tag}.sql`), join(folder, `${tag}.sql`));
  for (const [tag, text] of Object.entries(others)) {
    const last = journal.entries.at(-1) as Journal['entries'][number];
    journal.entries.push({ ...last, idx: last.idx + 1, tag, when: last.when + 1 });
    await writeFile(join(folder, `${tag}.sql`), text);
  }
  await writeFile(join(folder, 'meta/_journal.json'), JSON.stringify(journal));
  return folder;
}

/** A database with the schema before token families, and whoever applies migrations to it. */
async function formerDatabase() {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  const apply = async (migrationsFolder: string) => {
    const sql = postgres(database.url, { max: 1, onnotice: () => {} });
    // As db/migrate.ts does.
    await sql`select set_config('lingualoop.tenant_id', '*', false)`;
    await applyMigrations(drizzle(sql), { migrationsFolder });
    await sql.end();
  };
  await apply(await folderOf(3));
  return { ...database, apply, sql: openSuperuser(database.superuserUrl) };
}

interface SignIn {
  access: string;
  refresh: string;
}

/** A member and its tokens, as they were kept then: those of one sign-in in one statement. */
async function plantMember(sql: postgres.Sql, tenantId: string, userId: string): Promise<void> {
  await sql`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    values (${tenantId}, 'From before', 'prefix', 1000) on conflict do nothing`;
  await sql`insert into users (tenant_id, user_id, email, provider, role)
    values (${tenantId}, ${userId}, ${`${userId}@example.org`}, 'email', 'global_administrator')`;
}

async function plantSignIn(
  sql: postgres.Sql,
  tenantId: string,
  userId: string,
  issuedAt: string,
): Promise<SignIn> {
  const signIn = { access: newSecret(), refresh: newSecret() };
  for (const [kind, secret] of [
    ['access_token', signIn.access],
    ['refresh_token', signIn.refresh],
  ] as const) {
    const hash = Buffer.from(hashSecret(secret));
    await sql`insert into tokens (tenant_id, token_hash, kind, user_id, scope, role, issued_at, expires_at)
      values (${tenantId}, ${hash}, ${kind}, ${userId}, 'translate:jobs', 'global_administrator', ${issuedAt},
        now() + interval '1 hour')`;
    await sql`insert into credential_directory (credential_hash, kind, tenant_id, expires_at)
      values (${hash}, ${kind}, ${tenantId}, now() + interval '1 hour')`;
  }
  return signIn;
}

/** The families of a sign-in's two tokens. */
async function familiesOf(sql: postgres.Sql, { access, refresh }: SignIn): Promise<[string, string]> {
  const of = async (secret: string) => {
    const [row] = await sql`
      select family_id from tokens where token_hash = ${Buffer.from(hashSecret(secret))}`;
    return row?.['family_id'] as string;
  };
  return [await of(access), await of(refresh)];
}

test('A 3.3: tokens from before families: those of one sign-in are one, those of another another', async () => {
  const { url, sql } = await formerDatabase();
  await plantMember(sql, 'old', 'ann');
  await plantMember(sql, 'old', 'ben');
  await plantMember(sql, 'older', 'ann');
  const [first, second] = ['2026-01-01 10:00:00.001Z', '2026-01-01 10:00:00.002Z'] as const;
  const signIns = [
    await plantSignIn(sql, 'old', 'ann', first),
    await plantSignIn(sql, 'old', 'ann', second),
    // At the same moment as Ann's first: another member's, and one of another tenant.
    await plantSignIn(sql, 'old', 'ben', first),
    await plantSignIn(sql, 'older', 'ann', first),
  ];
  await migrate(url);
  const families = await Promise.all(signIns.map((signIn) => familiesOf(sql, signIn)));
  for (const [ofAccess, ofRefresh] of families) expect(ofRefresh).toBe(ofAccess);
  expect(new Set(families.map(([family]) => family)).size).toBe(signIns.length);
});

test('A 3.3: tokens from before families work on, and a late second use ends those of its sign-in alone', async () => {
  const { url, sql } = await formerDatabase();
  await plantMember(sql, 'old', 'ann');
  const first = await plantSignIn(sql, 'old', 'ann', '2026-01-01 10:00:00Z');
  const second = await plantSignIn(sql, 'old', 'ann', '2026-01-02 10:00:00Z');
  await migrate(url);
  const service = await startService(
    {
      LOG_LEVEL: 'silent',
      DATABASE_URL: url,
      DATA_DIR: await temporaryFolder(),
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
    },
    'server/main.ts',
    ['--api-only'],
  );
  onTestFinished(async () => {
    await service.stop();
  });
  const app = connect(service.address) as TestApp;
  const standing = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await app.json('GET', '/api/auth/me', { headers })).status;
  };
  const refresh = (token: string) => grant(app, { grant_type: 'refresh_token', refresh_token: token });

  expect([await standing(first.access), await standing(second.access)]).toEqual([200, 200]);
  const { status, body: next } = await refresh(first.refresh);
  expect([status, next.user?.user_id]).toEqual([200, 'ann']);
  await sql`update tokens set consumed_at = consumed_at - interval '11 seconds' where consumed_at is not null`;
  expect((await refresh(first.refresh)).status).toBe(401);
  expect([await standing(first.access), await standing(next.access_token)]).toEqual([401, 401]);
  expect(await standing(second.access)).toBe(200);
  expect((await refresh(second.refresh)).status).toBe(200);
});

test('what comes after it in the same run sees rows as well: all migrations are one transaction', async () => {
  const { apply, sql } = await formerDatabase();
  await plantMember(sql, 'old', 'ann');
  const later = 'create table seen as select count(*)::int as members from users';
  await apply(await folderOf(4, { '0004_later': later }));
  expect([...(await sql`select members from seen`)]).toEqual([{ members: 1 }]);
});
