import { appendFile, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '#server/platform/ids.ts';
import { addAnalysis } from '#test/backup/populated-service.ts';
import { openDocuments } from '#test/documents/workspace.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { goldenFiles, manifestLinesOf } from '#test/translations/golden-files.ts';
import { type Verified, verifyHere } from './verify.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const long = new Date(Date.now() - 4 * 3_600_000);

/**
 * Creates a tenant with a published job, a job that awaits review, and an approved document. `place` returns the path
 * of an object on disk.
 */
async function openStore() {
  const mine = await openDocuments(app);
  const job = await mine.job();
  const document = await mine.translate(['Hello']);
  expect((await mine.approve(document.id)).status).toBe(200);
  const folder = join(app.services.settings.DATA_DIR, 'storage');
  const sql = openSuperuser(app.superuserUrl);
  // The lines of the manifest are written later than the responses, so the test waits for them.
  for (const { id } of [job, document])
    await poll(async () => (await manifestLinesOf(app, mine, id)).length === 1);
  const place = (address: string) => join(folder, mine.tenantId, address);
  const [artifact] = await sql`
    select document_id || '.' || artifact_id as name, artifact_id as id from document_artifacts
    where tenant_id = ${mine.tenantId} and kind = 'translated'`;
  return {
    ...mine,
    job: job as { id: string },
    document,
    sql,
    place,
    record: `golden/${job.id.slice(0, 6)}/${job.id}.json`,
    file: { id: artifact!['id'] as string, path: `documents/${artifact!['name']}` },
    /** Makes an object so old that it is compared. */
    async age(address: string) {
      await utimes(place(address), long, long);
    },
    /** The path of the manifest with a job's line, and that line. */
    async line(id: string) {
      const [found] = await manifestLinesOf(app, mine, id);
      return { path: join(folder, 'golden', found!.path), line: `${found!.line}\n` };
    },
    verify: (quick = false) => verifyHere(app.services, { tenant: mine.tenantId, quick }),
    repair: (quick = false) => verifyHere(app.services, { tenant: mine.tenantId, quick, repair: true }),
  };
}

/** The path of another part, of a manifest of the past, next to the manifest of this part. */
async function partOfFirstOfMarch(part: string): Promise<string> {
  const folder = join(dirname(dirname(part)), '2026-03-01');
  await mkdir(folder, { recursive: true });
  return join(folder, 'some.jsonl');
}

type Store = Awaited<ReturnType<typeof openStore>>;

let mine: Store;
beforeEach(async () => {
  mine = await openStore();
});

/** The kinds and IDs of the differences. */
const named = ({ found }: Verified) => found.map(([what, tenant, id]) => [what, tenant, id]);

test('a store that agrees with the database has no differences', async () => {
  const { found, counts } = await mine.verify();
  expect(found).toEqual([]);
  expect(counts.at(-1)).toBe('differences: 0');
});

describe('a difference is found, named by its ids, and is the only one:', () => {
  const damages: Record<string, (store: Store) => Promise<readonly [string, string]>> = {
    async 'a record that is gone'({ place, record, job }) {
      await rm(place(record));
      return ['record missing', job.id];
    },
    async 'a record that is not JSON'({ place, record, job }) {
      await writeFile(place(record), (await readFile(place(record), 'utf8')).slice(0, -1));
      return ['record damaged', job.id];
    },
    async 'a record of another job'({ place, record, job }) {
      const text = await readFile(place(record), 'utf8');
      await writeFile(place(record), text.replaceAll(job.id, newId()));
      return ['record damaged', job.id];
    },
    async 'the record of an approval that is gone'({ place, document: { id } }) {
      await rm(place(`golden/${id.slice(0, 6)}/${id}.json`));
      return ['record missing', id];
    },
    async 'a record of no job'({ sql, job, age, record }) {
      await sql`delete from translation_jobs where job_id = ${job.id}`;
      await age(record);
      return ['record without a database row', job.id];
    },
    async 'a record of an earlier attempt'({ place, age, job, record }) {
      const earlier = record.replace('.json', '.2.json');
      await writeFile(place(earlier), await readFile(place(record)));
      await age(earlier);
      return ['record without a database row', job.id];
    },
    async 'a line that is gone'({ sql, job, line }) {
      const found = await line(job.id);
      await writeFile(found.path, (await readFile(found.path, 'utf8')).replace(found.line, ''));
      await sql`update translation_jobs set updated_at = now() - interval '50 minutes' where job_id = ${job.id}`;
      return ['manifest line missing', job.id];
    },
    async 'the line of an approval that is gone'({ sql, document: { id }, line }) {
      const found = await line(id);
      await writeFile(found.path, (await readFile(found.path, 'utf8')).replace(found.line, ''));
      await sql`
        update document_jobs set golden_record = jsonb_set(golden_record, '{recorded_at}', to_jsonb(now() - interval '50 minutes'))
        where document_id = ${id}`;
      return ['manifest line missing', id];
    },
    async 'a file that is gone'({ file, place }) {
      await rm(place(file.path));
      return ['file missing', file.id];
    },
    async 'a file of an analysis that is gone'({ place, headers }) {
      const { id, fileId } = await addAnalysis(app, headers);
      await rm(place(`documents/${id}.${fileId}`));
      return ['file missing', fileId];
    },
    async 'a file that is longer'({ file, place }) {
      await appendFile(place(file.path), 'x');
      return ['file damaged', file.id];
    },
    async 'a file without a row'({ place, age }) {
      const id = newId();
      const lost = `documents/${newId()}.${id}`;
      await writeFile(place(lost), 'PK');
      await age(lost);
      return ['file without a database row', id];
    },
  };
  /** Damages that a comparison of names and sizes does not find. */
  const readOnly = ['a record that is not JSON', 'a record of another job'];

  /** Damages that only a backup can repair. */
  const notRepaired = ['a file that is gone', 'a file of an analysis that is gone', 'a file that is longer'];

  test.each(Object.entries(damages))('%s, and --repair repairs it or leaves it', async (name, damage) => {
    const before = await contentOf(mine);
    const [what, id] = await damage(mine);
    const difference = [what, `tenant=${mine.tenantId}`, `id=${id}`];
    expect(named(await mine.verify())).toEqual([difference]);
    const quick = await mine.verify(true);
    expect(quick.counts.at(-1)).toMatch(readOnly.includes(name) ? /^differences: 0$/ : /^differences: 1 /);
    const first = await mine.repair();
    const isLeft = notRepaired.includes(name);
    expect(first.found).toEqual([[...difference, expect.any(String), ...(isLeft ? [] : ['repaired'])]]);
    expect(first.counts.at(-1)).toMatch(isLeft ? /^differences: 1 / : /^differences: 0$/);
    if (isLeft) return;
    expect(first.counts.at(-2)).toBe(`repaired: 1 (${what}: 1)`);
    expect((await mine.repair()).counts).toEqual(first.counts.filter((line) => !line.startsWith('repaired')));
    // The rewritten record is the same as before.
    if (what.startsWith('record ') && what !== 'record without a database row')
      expect(await contentOf(mine)).toEqual(before);
  });

  test('an old file of an analysis stays', async () => {
    const { id, fileId } = await addAnalysis(app, mine.headers);
    await mine.age(`documents/${id}.${fileId}`);
    expect((await mine.repair()).found).toEqual([]);
    await stat(mine.place(`documents/${id}.${fileId}`));
  });

  test('a line that is there twice is a note and no difference, also with --repair', async () => {
    const { job, line, tenantId, verify, repair } = mine;
    const found = await line(job.id);
    await appendFile(found.path, found.line);
    for (const look of [verify, repair]) {
      const { found: notes, counts } = await look();
      expect(notes).toEqual([
        ['manifest line twice', `tenant=${tenantId}`, `id=${job.id}`, expect.any(String), 'note'],
      ]);
      expect(counts.slice(-2)).toEqual(['harmless: manifest line twice: 1', 'differences: 0']);
    }
  });

  test('a repeated line in a manifest of an earlier day is removed with --repair, and no other line', async () => {
    const { sql, job, line, document } = mine;
    const found = await line(job.id);
    const earlier = await partOfFirstOfMarch(found.path);
    const others = [(await line(document.id)).line, '{"half\n'];
    await writeFile(found.path, (await readFile(found.path, 'utf8')).replace(found.line, ''));
    await writeFile(earlier, others[0]! + found.line + found.line + others[1]);
    await sql`update translation_jobs set updated_at = '2026-03-01T10:00:00Z' where job_id = ${job.id}`;
    const { found: differences } = await mine.repair();
    expect(differences.map(([what, , , , repaired]) => [what, repaired])).toEqual([
      ['manifest line twice', 'repaired'],
    ]);
    expect(await readFile(earlier, 'utf8')).toBe(others[0]! + found.line + others[1]);
    await rm(earlier);
  });

  test('a file of the same size with another byte, unless the look is quick', async () => {
    const { file, place, tenantId } = mine;
    const bytes = await readFile(place(file.path));
    bytes[100]! ^= 1;
    await writeFile(place(file.path), bytes);
    expect((await mine.verify()).found).toEqual([
      ['file damaged', `tenant=${tenantId}`, `id=${file.id}`, `path=${file.path}`],
    ]);
    expect((await mine.verify(true)).found).toEqual([]);
  });
});

describe('what the running service may still be doing is counted apart:', () => {
  const underWay: Record<string, [string, (store: Store) => Promise<unknown>]> = {
    'a young record without a row': [
      'record whose database row may not be stored yet: 1;',
      ({ place, record }) => writeFile(place(record.replaceAll(/[0-9a-f]{32}/g, newId())), '{}'),
    ],
    'an old record of a job that is pending': [
      'job that is not published yet: 1, record whose database row may not be stored yet: 1;',
      async ({ sql, job, age, record }) => {
        await age(record);
        await sql`update translation_jobs set status = 'pending', golden_uri = null where job_id = ${job.id}`;
      },
    ],
    'a young row without its line': [
      'manifest line that may not be written yet: 1;',
      async ({ job, line }) => {
        const found = await line(job.id);
        await writeFile(found.path, (await readFile(found.path, 'utf8')).replace(found.line, ''));
      },
    ],
    'a young approval without its record': [
      'record that is not written yet: 1, record whose database row may not be stored yet: 1;',
      ({ sql, document: { id } }) =>
        sql`update document_jobs set golden_uri = null where document_id = ${id}`,
    ],
    'a young file without a row': [
      'file whose database row may not be stored yet: 1;',
      ({ place }) => writeFile(place(`documents/${newId()}.${newId()}`), 'PK'),
    ],
    'a document that waits for a worker': [
      'document that is not finished yet: 1;',
      ({ sql, document: { id } }) =>
        sql`update document_jobs set status = 'queued' where document_id = ${id}`,
    ],
  };

  test.each(Object.entries(underWay))('%s', async (_, [counted, leave]) => {
    await leave(mine);
    const { found, counts } = await mine.verify();
    expect(found).toEqual([]);
    const [, inFlight, differences] = counts;
    expect(inFlight).toContain(`in progress: ${counted}`);
    const again = /compare again after (\S+)$/.exec(inFlight!)![1];
    expect(Date.parse(again!)).toBeGreaterThan(Date.now());
    expect(differences).toBe('differences: 0');
  });

  test('an approval that has no record after that is a difference', async () => {
    const { sql, document, tenantId } = mine;
    await sql`
      update document_jobs set golden_uri = null, golden_record = null, approved_at = now() - interval '1 day'
      where document_id = ${document.id}`;
    expect(named(await mine.verify())).toEqual([
      ['record missing', `tenant=${tenantId}`, `id=${document.id}`],
    ]);
  });
});

test('the lines of a deleted job stay, and so does nothing else: no difference', async () => {
  const { job, admin } = mine;
  expect((await mine.remove(job.id, admin)).status).toBe(200);
  expect((await mine.verify()).counts).toEqual([
    'compared: 1 records, 1 lines of manifests, 2 files',
    'differences: 0',
  ]);
});

test('a text that the memory served has no record of its own, and is no difference', async () => {
  const { sql, job, place, record } = mine;
  await rm(place(record));
  await sql`
    update translation_jobs set golden_uri = null, pipeline_metadata = '{"provenance": {"fast_path": "exact"}}'
    where job_id = ${job.id}`;
  expect((await mine.verify()).found).toEqual([]);
});

test('a line in the manifest of the day before, as one has that was recorded before midnight, is found', async () => {
  const { sql, job, line } = mine;
  const found = await line(job.id);
  await writeFile(found.path, (await readFile(found.path, 'utf8')).replace(found.line, ''));
  await sql`update translation_jobs set updated_at = '2026-03-02T00:00:01Z' where job_id = ${job.id}`;
  const manifest = await partOfFirstOfMarch(found.path);
  await writeFile(manifest, found.line);
  expect((await mine.verify()).found).toEqual([]);
  await appendFile(manifest, found.line);
  expect(named(await mine.verify())[0]?.[0]).toBe('manifest line twice');
  await rm(manifest);
});

test('the records of a folder that is no tenant’s are found, if all tenants are compared', async () => {
  const id = newId();
  const lost = join(app.services.settings.DATA_DIR, 'storage', 'nobody', 'golden/0123ab', `${id}.json`);
  await mkdir(dirname(lost), { recursive: true });
  await writeFile(lost, '{}');
  await utimes(lost, long, long);
  expect((await verifyHere(app.services)).found).toContainEqual([
    'record without a database row',
    'tenant=nobody',
    `id=${id}`,
    `path=golden/0123ab/${id}.json`,
  ]);
  await rm(lost);
});

test('nothing is written, and a second comparison finds the same', async () => {
  const { place, record } = mine;
  await writeFile(place(record), '{"half');
  const before = await filesOf();
  const first = await mine.verify();
  expect(await mine.verify()).toEqual(first);
  expect(await filesOf()).toEqual(before);
});

/** The records of a tenant, by their names, without the times and the URI that a rewritten record has from its row. */
async function contentOf(store: Store): Promise<Record<string, unknown>> {
  const records: Record<string, unknown> = {};
  for (const [path, text] of await goldenFiles(app, store))
    records[path.slice(path.lastIndexOf('/') + 1)] = JSON.parse(text, (field, value) =>
      ['recorded_at', 'updated_at', 'golden_uri'].includes(field) ? undefined : value,
    );
  return records;
}

/** All files in the storage, with the times of their last writes. */
async function filesOf(): Promise<string[]> {
  const folder = join(app.services.settings.DATA_DIR, 'storage');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.toSorted().map(async (file) => `${file} ${(await stat(file)).mtimeMs}`));
}
