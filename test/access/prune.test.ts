import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { pruneExpired } from '#server/identity/access/prune-expired.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({
  env: { SWEEP_INTERVAL_SECONDS: '1' },
  ownDatabase: 'a plan depends on the statistics of its tables',
});
let superuser: postgres.Sql;
beforeAll(() => {
  superuser = postgres(app.superuserUrl, { max: 1, onnotice: () => {} });
});
afterAll(() => superuser.end());

const tables = [
  'tokens',
  'credential_directory',
  'mfa_challenges',
  'reset_links',
  'sso_states',
  'rate_windows',
] as const;

async function counts(): Promise<Record<string, number>> {
  const entries = await Promise.all(
    tables.map(async (table) => {
      const [row] = await superuser`select count(*)::int as count from ${superuser(table)}`;
      return [table, row?.['count'] as number] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/** Inserts an expired row and a row that has not expired into each table. The tokens of the signup itself are valid. */
async function fill(): Promise<void> {
  const { tenantId } = await app.signUp();
  const [user] = await superuser`select user_id from users where tenant_id = ${tenantId}`;
  const userId = user?.['user_id'];
  const [other] = await superuser`
    insert into users (tenant_id, user_id, email, provider, role)
    values (${tenantId}, ${`${userId}0`}, 'other@example.org', 'email', 'agent_id_developer') returning user_id`;
  const owners = [userId, other?.['user_id']];
  for (const [at, end] of ['-1 second', '1 hour'].entries()) {
    const hash = crypto.getRandomValues(Buffer.alloc(32));
    await superuser`insert into tokens (tenant_id, token_hash, kind, user_id, scope, role, expires_at)
      values (${tenantId}, ${hash}, 'refresh_token', ${userId}, '', '', now() + ${end}::interval)`;
    await superuser`insert into credential_directory (credential_hash, kind, tenant_id, expires_at)
      values (${hash}, 'refresh_token', ${tenantId}, now() + ${end}::interval)`;
    await superuser`insert into mfa_challenges (tenant_id, challenge_hash, user_id, method, scope, expires_at)
      values (${tenantId}, ${hash}, ${userId}, 'totp', '', now() + ${end}::interval)`;
    await superuser`insert into reset_links (tenant_id, user_id, link_hash, expires_at)
      values (${tenantId}, ${owners[at]}, ${hash}, now() + ${end}::interval)`;
    await superuser`insert into sso_states (state_hash, sealed, expires_at)
      values (${hash}, ${hash}, now() + ${end}::interval)`;
    await superuser`insert into rate_windows (bucket, subject, attempts, ends_at)
      values ('signup', ${`${tenantId} ${at}`}, 1, now() + ${end}::interval)`;
  }
}

test('expired rows are found by their places, even if they were not expired when the table was analyzed', async () => {
  const { tenantId } = await app.signUp();
  await superuser`
    insert into tokens (tenant_id, token_hash, kind, user_id, scope, role, expires_at)
    select ${tenantId}, sha256(convert_to('token ' || n, 'UTF8')), 'refresh_token', user_id, '', '', now() + interval '1 hour'
    from users, generate_series(1, 11000) n where tenant_id = ${tenantId}`;
  await superuser`analyze tokens`;
  await superuser`update tokens set expires_at = now() - interval '1 hour' where expires_at > now() + interval '50 minutes'`;
  const database = openDatabase(app.databaseUrl, { size: 1 });
  onTestFinished(() => database.close());
  expect((await pruneExpired(database)).tokens).toBeGreaterThanOrEqual(11_000);
  const plan = await database.inPlatform(async (tx) => {
    const [prepared] = await tx.execute<{ name: string }>(sql`
      select name from pg_prepared_statements where position('delete from "tokens"' in statement) > 0`);
    return tx.execute<{ 'QUERY PLAN': string }>(sql.raw(`explain execute "${prepared!.name}" (5000)`));
  });
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
    /Delete on tokens\b[\s\S]*->\s+Tid Scan on tokens/,
  );
});

test('expired rows are deleted, and nothing else: keys, live tokens and consumed ones stay', async () => {
  await fill();
  // A used refresh token is kept, so that its repeated use can be detected.
  await superuser`update tokens set consumed_at = now() where kind = 'refresh_token' and expires_at > now()`;
  const before = await counts();
  const pruned = await pruneExpired(app.database);
  expect(pruned).toEqual(Object.fromEntries(tables.map((table) => [table, 1])));
  expect(await counts()).toEqual(
    Object.fromEntries(Object.entries(before).map(([table, count]) => [table, count - 1])),
  );
  const keys = await superuser`select from credential_directory where kind = 'api_key'`;
  expect(keys.length).toBeGreaterThan(0);
  expect(Object.values(await pruneExpired(app.database))).toEqual(tables.map(() => 0));
});

test('more rows than one statement takes are all deleted', async () => {
  await superuser`insert into rate_windows (bucket, subject, attempts, ends_at)
    select 'flood', n::text, 1, now() - interval '1 minute' from generate_series(1, 12000) n`;
  expect((await pruneExpired(app.database)).rate_windows).toBe(12_000);
});
