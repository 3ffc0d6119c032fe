import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { commands } from '#server/commands/admin/command-line.ts';
import {
  addDocument,
  addMemory,
  found,
  join,
  type Person,
  queueDocument,
  submitHeld,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { env, operateHere } from './command.ts';

const secrets = { SECRETS_KEY: randomBytes(32).toString('base64') };
const app = useTestApp({ env: { ...env, ...secrets, OUTAGE_HOURS: '0' } });

/** A workspace with texts, files and a memory. */
async function fill() {
  const founder = await found(app);
  const member = await join(app, founder);
  await Promise.all([submitHeld(app, founder), addDocument(app, founder), addMemory(app, founder)]);
  return { id: founder.tenantId, founder, member, queued: await queueDocument(app, founder) };
}

type Workspace = { id: string; founder: Person; member: Person; queued: string };

/** A use of each command; several in the order in which one needs the other. All are about one workspace. */
const uses: Record<keyof typeof commands._def.record, (workspace: Workspace) => string[][]> = {
  tenants: () => [[]],
  tenant: ({ id }) => [[id]],
  'api-keys': ({ id }) => [[id]],
  'rotate-key': ({ id }) => [[id]],
  'revoke-key': ({ id }) => [[id]],
  'restore-admin': ({ id, founder }) => [[id, founder.email]],
  invite: ({ id }) => [[id]],
  'anonymize-member': ({ id, member }) => [[id, member.email]],
  'end-sessions': ({ id }) => [[id]],
  'deactivate-tenant': ({ id }) => [[id]],
  'reactivate-tenant': ({ id }) => [['deactivate-tenant', id], [id]],
  'delete-tenant': ({ id }) => [[id]],
  'cancel-deletion': ({ id }) => [['delete-tenant', id], [id]],
  deletions: () => [[]],
  'export-tenant': ({ id }) => [[id]],
  exports: ({ id }) => [[id]],
  'save-export': ({ id }) => [[id, 'unknown', '/dev/shm/unused']],
  'set-allowance': ({ id }) => [[id, '1000']],
  'set-retention': ({ id }) => [[id, '--jobs', '30']],
  queue: () => [[]],
  retry: () => [['--task', 'run_document']],
  requeue: ({ queued }) => [
    ['cancel-document', queued],
    ['--id', queued],
  ],
  'cancel-document': ({ queued }) => [[queued]],
  models: () => [[]],
  storage: () => [[]],
  'set-storage-cap': ({ id }) => [[id, '1000']],
  'adopt-storage': () => [[]],
  'reseal-secrets': () => [[]],
  audit: () => [[]],
};

/** The tables with texts of items, decisions about them, and segments of memories. */
const ofTexts = /^(translation_jobs|document_(jobs|segments)|segment_events|review_\w+|memory_\w+|term\w*)$/;

/** The rows of a workspace in each table, as one value. */
async function rowsOf(tenantId: string): Promise<Record<string, string>> {
  const sql = openSuperuser(app.superuserUrl);
  const tables = await sql<{ name: string }[]>`select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`;
  const sums = tables.map(
    ({ name }) => `select '${name}' as name, md5(string_agg(t::text, ' ' order by t::text)) as sum
      from ${name} t where tenant_id = $1`,
  );
  const rows = await sql.unsafe<{ name: string; sum: string }[]>(sums.join(' union all '), [tenantId]);
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}

/** The commands that only read, or that find nothing to do in the workspace. */
const idle = new Set(
  'tenants tenant api-keys deletions exports save-export queue retry models storage adopt-storage reseal-secrets audit'.split(
    ' ',
  ),
);

test.each(Object.entries(uses))('%s: the audit log has its changes, and texts stay', async (name, use) => {
  const workspace = await fill();
  const changedOf = async (args: string[]) => {
    const before = await rowsOf(workspace.id);
    // A command that finds nothing to do refuses, and changes nothing.
    await operateHere(app, args).catch((error: Error) => expect(error.name).toMatch(/Refusal|AppError/));
    const after = await rowsOf(workspace.id);
    return Object.keys(after).filter((table) => after[table] !== before[table]);
  };
  const runs = use(workspace);
  for (const [index, args] of runs.entries()) {
    const isLast = index === runs.length - 1;
    const changed = await changedOf(isLast ? [name, ...args] : args);
    if (changed.length > 0) expect(changed).toContain('audit_log');
    // These change the status of a document.
    const own = name === 'requeue' || name === 'cancel-document' ? ['document_jobs'] : [];
    expect(changed.filter((table) => ofTexts.test(table) && !own.includes(table))).toEqual([]);
    expect(changed.length > 0).toBe(!(isLast && idle.has(name)));
  }
});
