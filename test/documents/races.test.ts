import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { feedApproval } from '#server/documents/feed-manifest.ts';
import { requireDocument } from '#server/documents/jobs.ts';
import { runDocument } from '#server/documents/run-document.ts';
import type { FileWork } from '#server/platform/sandbox/file-work.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { recordsOf } from '#test/translations/golden-files.ts';
import { keyed } from '#test/translations/workspace.ts';
import { openDocuments, PATH, recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);

const files = () => app.services.storage.list(`${mine.tenantId}/documents`);
const rowsOf = (table: string, id: string) =>
  openSuperuser(app.superuserUrl).unsafe(
    `select 1 from ${table} where ${table === 'memory_segments' ? 'job_id' : 'document_id'} = '${id}'`,
  );

/** Replaces the file work: `happen` runs after each task of this name. */
function afterTask(wanted: string, happen: () => Promise<unknown>): FileWork {
  const { fileWork } = app.services;
  const run = async (...given: Parameters<FileWork['run']>) => {
    const result = await fileWork.run(...given);
    if (given[0] === wanted) await happen();
    return result;
  };
  return { ...fileWork, run: run as FileWork['run'] };
}

describe('a deletion', () => {
  /** For each way, the services of a worker during whose run `happen` is called. */
  const hooks: Record<string, (happen: () => Promise<unknown>) => Partial<typeof app.services>> = {
    'while the source is read': (happen) => {
      const { storage } = app.services;
      const read: typeof storage.read = async (...given) => {
        const bytes = await storage.read(...given);
        await happen();
        return bytes;
      };
      return { storage: { ...storage, read } };
    },
    'while the text is extracted': (happen) => ({ fileWork: afterTask('extract_document', happen) }),
    'while the file is rebuilt': (happen) => ({ fileWork: afterTask('rebuild_document', happen) }),
    'between the stored file and its row': (happen) => {
      const { storage } = app.services;
      const put: typeof storage.put = async (path, bytes) => {
        await storage.put(path, bytes);
        await happen();
      };
      return { storage: { ...storage, put } };
    },
  };

  test.each(Object.keys(hooks))('%s ends the job: nothing is stored or billed', async (moment) => {
    const id = await mine.queue(['Hello']);
    let removals = 0;
    const services = {
      ...app.services,
      ...hooks[moment]!(async () => {
        if (removals++ === 0) expect((await mine.removeDocument(id)).status).toBe(200);
      }),
    };
    expect(await runDocument(services, mine.tenantId, id)).toBeUndefined();
    expect(removals).toBeGreaterThan(0);
    expect(await files()).toEqual([]);
    for (const table of ['document_jobs', 'document_segments', 'document_artifacts'])
      expect(await rowsOf(table, id)).toHaveLength(0);
    expect(await mine.records()).toEqual([]);
  });

  test('concurrent with reviews and approvals leaves nothing, whichever is first', {
    timeout: 60_000,
  }, async () => {
    for (let time = 0; time < 2; time++) {
      const { id } = await mine.translate([`Hello ${time}`, `World ${time}`]);
      const { region_id } = (await mine.segments(id)).segments[0];
      const corrections = [{ region_id, cell_id: 'A1', target_text: `Bonjour ${time}` }];
      const [removal, ...others] = await Promise.all([
        delay(time * 15).then(() => mine.removeDocument(id)),
        mine.approve(id),
        mine.reviewDocument(id, { corrections }),
        mine.approve(id),
        mine.reviewDocument(id, { corrections }),
      ]);
      expect(removal.status).toBe(200);
      expect(others.map(({ status }) => status).filter((status) => status !== 200 && status !== 404)).toEqual(
        [],
      );
      expect(await files()).toEqual([]);
      expect(await recordsOf(app, mine, id)).toEqual([]);
      expect(await rowsOf('memory_segments', id)).toHaveLength(0);
    }
  });

  test('before the feed of an approval that was slow: nothing enters the memory', async () => {
    const { id } = await mine.translate(['Hello']);
    const row = await app.services.database.inTenant(mine.tenantId, (tx) =>
      requireDocument(tx, mine.tenantId, id),
    );
    const { database } = app.services;
    let transactions = 0;
    // The document is deleted before its translations are selected.
    const inTenant: typeof database.inTenant = async (...given) => {
      if (transactions++ === 0) await mine.removeDocument(id);
      return database.inTenant(...given);
    };
    const slow = { ...app.services, database: { ...database, inTenant } };
    expect(await feedApproval(slow, row)).toMatchObject({ pairs: 0, error: expect.any(String) });
    expect(await rowsOf('memory_segments', id)).toHaveLength(0);
  });
});

describe('reviews and approvals at once', () => {
  test('a review that took longer than its lease is 503, and changes nothing', async () => {
    const { id } = await mine.translate(['Hello']);
    const before = await mine.read(id);
    const { fileWork } = app.services;
    // The lease of this review ends, as if another review had taken the document.
    const taken = afterTask('rebuild_document', () =>
      mine.change(id, { review_lease_until: new Date(Date.now() + 300) }),
    );
    Object.assign(app.services, { fileWork: taken });
    try {
      expect(await mine.correct(id, { A1: 'Bonjour' })).toMatchObject({
        status: 503,
        body: { error_code: 'transient_error' },
      });
    } finally {
      Object.assign(app.services, { fileWork });
    }
    expect(await mine.read(id)).toEqual(before);
    expect(await files()).toHaveLength(2);
    expect((await mine.correct(id, { A1: 'Bonjour' })).status).toBe(200);
  });
});

describe('one key (B 4.2)', () => {
  test('at 20 connections, with other files and with and without wait, is one job, billed once', async () => {
    const sent = Array.from({ length: 20 }, (_, n) =>
      mine.send(
        { source_document: workbookFile([`Text ${n}`]), ...(n % 2 === 0 && { wait: 'true' }) },
        keyed('once'),
      ),
    );
    // If the first request did not wait for the translation, a worker must run the job.
    const sql = openSuperuser(app.superuserUrl);
    await poll(async () => {
      const [job] = (await mine.listDocuments()).body;
      const key = `run_document:${job?.id}`;
      const queued = await sql`select 1 from graphile_worker.jobs where key = ${key}`;
      if (job?.status === 'queued' && queued.length > 0) await mine.run(job.id);
      return job?.status === 'translated';
    }, 20);
    const answers = await Promise.all(sent);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ status }) => status !== 200 && status !== 202)).toEqual([]);
    const fresh = answers.filter(({ headers }) => headers.get('idempotency-replayed') === null);
    expect(fresh).toHaveLength(1);
    expect(await mine.records()).toHaveLength(1);
    expect(await files()).toHaveLength(2);
    expect(engine.texts()).toHaveLength(1);
  });

  test('that another process was faster with is its job, and the file of the slower one goes', async () => {
    const id = await mine.queue(['of the other process']);
    const { fileWork } = app.services;
    const overtaken = afterTask('check_document', () => mine.change(id, { idempotency_key: 'raced' }));
    Object.assign(app.services, { fileWork: overtaken });
    try {
      const { status, body, headers } = await mine.send({}, keyed('raced'));
      expect([status, body.id, headers.get('idempotency-replayed')]).toEqual([202, id, 'true']);
    } finally {
      Object.assign(app.services, { fileWork });
    }
    expect((await mine.listDocuments()).body).toHaveLength(1);
    expect(await files()).toHaveLength(1);
  });

  test('whose connection is cut while it waits: the job ends, and the resend gets it', async () => {
    let release = () => {};
    engine.reply = async ({ segments }) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return segments.map((text) => `fr of ${text}`);
    };
    const body = new FormData();
    body.append('target_lang', 'fr');
    body.append('wait', 'true');
    body.append('source_document', workbookFile(['Hello']));
    const client = new AbortController();
    const { signal } = client;
    const headers = { ...mine.headers, ...keyed('cut') };
    const sent = app.request(`${PATH}/translate`, { method: 'POST', headers, body, signal });
    await poll(async () => engine.asked.length > 0);
    client.abort();
    await expect(sent).rejects.toThrow();
    release();
    const again = await mine.send({ wait: 'true' }, keyed('cut'));
    expect(again).toMatchObject({ status: 200, body: { status: 'translated', billable_chars: 5 } });
    expect(engine.asked).toHaveLength(1);
    expect(await mine.records()).toHaveLength(1);
  });
});

test('of ten documents at once, as many are admitted as find room in the allowance', async () => {
  const theirs = await openDocuments(app, { monthly_char_limit: 100 });
  const ids: string[] = [];
  for (let n = 0; n < 10; n++) ids.push(await theirs.queue([`${n}${'x'.repeat(29)}`]));
  await Promise.all(ids.map((id) => theirs.run(id)));
  const jobs = await Promise.all(ids.map((id) => theirs.read(id)));
  // Three documents use 90 of the 100 characters, and the fourth needs more than remain.
  expect(jobs.filter(({ status }) => status === 'translated')).toHaveLength(4);
  const failures = jobs.flatMap(({ failure }) => failure?.code ?? []);
  expect(failures).toEqual(Array(6).fill('quota_exceeded'));
  expect(await theirs.records()).toHaveLength(4);
});
