import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import { expect } from 'vitest';
import { listDeletions, scheduleDeletion } from '#server/retention/tenant-deletions.ts';
import { testKills } from '#test/faults/kills.ts';
import { afterStep, endWork, kills, openForProgram } from './killed-program.ts';

const files = 4000;
const rows = { audit_log: 150_000, users: 3000, invites: 3000 };

testKills({
  ...afterStep,
  title: `a deletion whose process is killed ${kills} times is finished by the next one, and counts no row twice`,
  async open() {
    const opened = await openForProgram();
    const { killable, database, folder } = opened;
    for (const tenant of ['mine', 'other']) {
      await fillRows(killable.sql, tenant);
      await fillFiles(join(folder, 'storage', tenant));
    }
    await scheduleDeletion(database, 'mine', 0);
    const progress = async () => JSON.stringify((await listDeletions(database))[0]?.progress);
    return { ...opened, args: ['--max-semi-space-size=8', 'test/retention/delete-until-done.ts'], progress };
  },
  async holds(program) {
    await endWork(program);
    const {
      database,
      folder,
      killable: { sql },
    } = program;
    const [deletion] = await listDeletions(database);
    expect(deletion!.finishedAt).not.toBeNull();
    expect(deletion!.progress.rows).toMatchObject({ ...rows, audit_log: rows.audit_log + 1 });
    // A batch of files that was removed just before a kill is not counted.
    expect(deletion!.progress.objects).toBeGreaterThan(files - 16 * kills);
    expect(deletion!.progress.objects).toBeLessThanOrEqual(files);
    expect(await countOf(sql, 'mine')).toEqual({ audit_log: 0, users: 0, invites: 0, tenants: 0 });
    expect(await countOf(sql, 'other')).toEqual({ ...rows, tenants: 1 });
    expect((await readdir(join(folder, 'storage'))).filter((name) => !name.startsWith('.'))).toEqual([
      'other',
    ]);
    expect((await readdir(join(folder, 'storage/other/golden'), { recursive: true })).length).toBe(
      files + 40,
    );
  },
});

async function fillRows(sql: postgres.Sql, tenant: string): Promise<void> {
  await sql`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    values (${tenant}, 'Name', '', 1000)`;
  await sql`insert into audit_log (tenant_id, event_id, action, actor_kind, details)
    select ${tenant}, n, 'signed_in', 'server', jsonb_build_object('way', repeat('x', 200))
    from generate_series(1, ${rows.audit_log}::int) n`;
  await sql`insert into users (tenant_id, user_id, email, provider, role)
    select ${tenant}, n, n || '@example.org', 'email', 'agent_id_developer' from generate_series(1, ${rows.users}::int) n`;
  await sql`insert into invites (tenant_id, invite_id, secret_hash, role, created_by, expires_at)
    select ${tenant}, n, sha256(n::text::bytea), 'agent_id_developer', 'server', now()
    from generate_series(1, ${rows.invites}::int) n`;
}

/** Creates files in 40 folders. */
async function fillFiles(folder: string): Promise<void> {
  for (let part = 0; part < 40; part++) {
    await mkdir(join(folder, 'golden', String(part)), { recursive: true });
    for (let file = 0; file < files / 40; file++)
      await writeFile(join(folder, 'golden', String(part), `${file}.json`), '{}');
  }
}

async function countOf(sql: postgres.Sql, tenant: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of [...Object.keys(rows), 'tenants']) {
    const [row] = await sql`select count(*)::int as rows from ${sql(table)} where tenant_id = ${tenant}`;
    counts[table] = row!['rows'];
  }
  return counts;
}
