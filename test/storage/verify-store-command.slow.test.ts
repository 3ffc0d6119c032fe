import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newId } from '#server/platform/ids.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { manifestLinesOf } from '#test/translations/golden-files.ts';
import { openWorkspace } from '#test/translations/workspace.ts';
import { runVerify } from './verify.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const env = () => ({ DATABASE_URL: app.databaseUrl, DATA_DIR: app.services.settings.DATA_DIR });

async function published() {
  const mine = await openWorkspace(app);
  const job = await mine.job();
  await poll(async () => (await manifestLinesOf(app, mine, job.id)).length === 1);
  return { ...mine, id: job.id as string, uri: `golden/${job.id.slice(0, 6)}/${job.id}.json` };
}

describe('npm run verify-store', () => {
  test('exits with 0 without differences, and with 1 and a line for each with them', async () => {
    const [mine, other] = [await published(), await published()];
    const clean = await runVerify(env());
    expect(clean).toEqual({
      code: 0,
      stderr: '',
      found: [],
      counts: ['compared: 2 records, 2 lines of manifests, 0 files', 'differences: 0'],
    });
    await app.services.storage.remove(`${mine.tenantId}/${mine.uri}`);
    const broken = await runVerify(env());
    expect([broken.code, broken.found]).toEqual([
      1,
      [['record missing', `tenant=${mine.tenantId}`, `id=${mine.id}`, `path=${mine.uri}`]],
    ]);
    expect((await runVerify(env(), ['--tenant', other.tenantId])).code).toBe(0);
    expect((await runVerify(env(), ['--quick', '--tenant', mine.tenantId])).code).toBe(1);
    await mine.remove(mine.id, mine.admin);
  });

  test.each([
    ['an unknown option', ['--everything'], {}],
    ['what is no tenant id', ['--tenant', '../x'], {}],
    ['a tenant that does not exist', ['--tenant', 'nobody'], {}],
    ['a database that is not there', [], { DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none' }],
    ['a folder that is a file', [], { PLATFORM_STORAGE_URL: 'file:///dev/null' }],
    ['a store without its secrets’ key', [], { STORAGE_BINDING_ENABLED: 'true' }],
  ])('exits with 2 and one line for %s', async (_, args, more) => {
    const { code, stderr, found } = await runVerify({ ...env(), ...more }, args);
    expect([code, found]).toEqual([2, []]);
    expect(stderr).toMatch(/^lingualoop: could not compare: [^\n]+\n$/);
  });

  test('an empty DATA_DIR is refused, and stays empty', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lingualoop-verify-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    expect((await runVerify({ DATA_DIR: folder })).code).toBe(2);
    expect(await readdir(folder)).toEqual([]);
  });

  test('a lost key is refused, and no new one is made', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lingualoop-verify-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'postgres'));
    const { code, stderr } = await runVerify({ DATA_DIR: folder, STORAGE_BINDING_ENABLED: 'true' });
    expect(code).toBe(2);
    expect(stderr).toContain('SECRETS_KEY: is not set, and there is no ');
    expect(await readdir(folder)).toEqual(['postgres']);
  });
});

/** Creates published jobs with their records and manifest lines. Each directory contains 2,000 records. */
async function publishMany(tenantId: string, count: number): Promise<void> {
  const sql = openSuperuser(app.superuserUrl);
  const storage = join(app.services.settings.DATA_DIR, 'storage');
  const lines: string[] = [];
  for (let folder = 0; folder * 2000 < count; folder++) {
    const six = folder.toString(16).padStart(6, '0');
    await mkdir(join(storage, tenantId, 'golden', six), { recursive: true });
    const ids = Array.from({ length: 2000 }, () => six + newId().slice(6));
    await Promise.all(
      ids.map((id) =>
        writeFile(
          join(storage, tenantId, 'golden', six, `${id}.json`),
          JSON.stringify({ tenant_id: tenantId, job_id: id, text: 'x'.repeat(10_000) }),
        ),
      ),
    );
    lines.push(
      ...ids.map((id) => JSON.stringify({ tenant_id: tenantId, golden_uri: `golden/${six}/${id}.json` })),
    );
    await sql`
      insert into translation_jobs (tenant_id, job_id, status, request, agent_run, golden_uri, updated_at)
      select ${tenantId}, id, 'published', '{}', '{}', 'golden/' || ${six} || '/' || id || '.json', '2026-01-05T12:00:00Z'
      from unnest(string_to_array(${ids.join()}, ',')) as id`;
  }
  await writeFile(join(storage, 'golden/manifest/2026-01-05.jsonl'), `${lines.join('\n')}\n`);
}

test('4,000 records are compared in bounded memory, and one that is gone among them is found', async () => {
  const [few, many] = [await published(), await published()];
  await publishMany(many.tenantId, 4_000);
  const told = 'process.on("exit",()=>process.stderr.write(String(process.resourceUsage().maxRSS)))';
  const compared = async (tenantId: string) => {
    const run = await runVerify(
      env(),
      ['--tenant', tenantId],
      ['--max-old-space-size=64', '--import', `data:text/javascript,${told}`],
    );
    return { ...run, megabytes: Number(run.stderr) / 1024 };
  };
  const base = await compared(few.tenantId);
  const { code, counts, megabytes } = await compared(many.tenantId);
  expect([code, counts[0]]).toEqual([0, 'compared: 4001 records, 4001 lines of manifests, 0 files']);
  expect(megabytes - base.megabytes).toBeLessThan(45);
  const sql = openSuperuser(app.superuserUrl);
  const [lost] = await sql`
    select golden_uri as uri from translation_jobs where tenant_id = ${many.tenantId} order by job_id offset 2432 limit 1`;
  await app.services.storage.remove(`${many.tenantId}/${lost!['uri']}`);
  const again = await compared(many.tenantId);
  expect([again.code, again.found.map(([what, , , path]) => [what, path])]).toEqual([
    1,
    [['record missing', `path=${lost!['uri']}`]],
  ]);
});
