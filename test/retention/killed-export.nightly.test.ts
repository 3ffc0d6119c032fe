import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import type postgres from 'postgres';
import { expect } from 'vitest';
import { migrate } from '#db/migrate.ts';
import { artifactPath } from '#server/documents/artifacts.ts';
import { atTheServer } from '#server/identity/audit/audit-log.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { readSettings } from '#server/settings.ts';
import { listExports, readZip, startExport } from '#server/workspace-export/tenant-exports.ts';
import { testKills } from '#test/faults/kills.ts';
import { afterStep, endWork, kills, openForProgram } from './killed-program.ts';

const files = 1500;
const events = 60_000;
const tenantId = 'mine';

testKills({
  ...afterStep,
  title: `an export whose process is killed ${kills} times is finished by the next one, and has each row once`,
  async open() {
    const opened = await openForProgram();
    const { killable, database, folder } = opened;
    await migrate(killable.env['DATABASE_URL']!);
    await fill(killable.sql, join(folder, 'storage'));
    const { exportId } = await database.inTenant(tenantId, (tx) =>
      startExport(tx, atTheServer, { tenantId, userId: null }),
    );
    const read = async () => (await database.inTenant(tenantId, (tx) => listExports(tx, tenantId)))[0]!;
    const args = ['test/retention/export-until-done.ts', tenantId, exportId];
    return { ...opened, exportId, read, args, progress: async () => (await read()).parts.length };
  },
  async holds(program) {
    await endWork(program);
    const { read, folder, exportId, killable } = program;
    const made = await read();
    expect(made.finishedAt).not.toBeNull();
    const stored = await readdir(join(folder, 'storage', tenantId, 'exports', exportId));
    expect(stored.length).toBeLessThanOrEqual(made.parts.length + kills);
    const pieces: Uint8Array[] = [];
    for await (const piece of readZip(openPlatformStore(readSettings(killable.env)), made))
      pieces.push(piece);
    const unzipped = Object.entries(unzipSync(Buffer.concat(pieces)));
    expect(unzipped).toHaveLength(made.files);
    const named = unzipped.filter(([name]) => name.startsWith('documents/files/'));
    expect(named.map(([, bytes]) => Buffer.from(bytes).toString()).sort()).toEqual(
      Array.from({ length: files }, (_, n) => contentOf(n)).sort(),
    );
    const lines = unzipped
      .filter(([name]) => name.startsWith('audit/'))
      .flatMap(([, bytes]) => Buffer.from(bytes).toString().trim().split('\n'));
    // One more for the request of the export.
    expect(lines).toHaveLength(events + 1);
    expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(events + 1);
    expect(made.counts).toMatchObject({ 'audit/audit': events + 1, 'documents/files': files });
  },
});

const contentOf = (n: number) => `content of file ${n} `.repeat(50);

async function fill(sql: postgres.Sql, storage: string): Promise<void> {
  await sql`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    values (${tenantId}, 'Name', '', 1000)`;
  await sql`insert into audit_log (tenant_id, event_id, action, actor_kind, details)
    select ${tenantId}, n, 'signed_in', 'server', jsonb_build_object('way', repeat('x', 200))
    from generate_series(1, ${events}::int) n`;
  await sql`insert into document_jobs (tenant_id, document_id, status, request, source_file_name, source_format)
    values (${tenantId}, 'd', 'translated', '{}', 'a.pdf', 'pdf')`;
  const rows = Array.from({ length: files }, (_, n) => {
    const content = contentOf(n);
    return {
      ...{ tenant_id: tenantId, artifact_id: String(n).padStart(32, '0'), document_id: 'd' },
      ...{ kind: 'translated', revision: n + 1, content_type: 'application/pdf', size_bytes: content.length },
      sha256: createHash('sha256').update(content).digest('hex'),
    };
  });
  for (let from = 0; from < files; from += 500)
    await sql`insert into document_artifacts ${sql(rows.slice(from, from + 500))}`;
  for (const [n, { artifact_id }] of rows.entries()) {
    const path = join(storage, artifactPath({ tenantId, documentId: 'd', artifactId: artifact_id }));
    if (n === 0) await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, contentOf(n));
  }
}
