import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf } from '#server/documents/failure.ts';
import { runDocument } from '#server/documents/run-document.ts';
import { workbook, workbookFile, xlsxType } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { keyed } from '#test/translations/workspace.ts';
import { openDocuments, recordingEngine, stoppable, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env: { ...env, MAX_UPLOAD_BYTES: '200000' }, engine });

const mine = useDocuments(app, engine);

const files = async () =>
  readdir(join(app.services.settings.DATA_DIR, 'storage', mine.tenantId, 'documents')).catch(() => []);
const queued = async () =>
  openSuperuser(app.superuserUrl)`select * from graphile_worker.jobs where task_identifier = 'run_document'`;

describe('a submission (B 4.3)', () => {
  test('is queued, and shows its progress until a worker has translated it', async () => {
    const { status, headers, body } = await mine.send({ domain: ' legal ', tone: 'formal', gender: '' });
    expect([status, headers.get('x-request-id')]).toEqual([202, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      tenant_id: mine.tenantId,
      request: {
        source_lang: 'en',
        target_lang: 'fr',
        domain: 'legal',
        idempotency_key: null,
        metadata: {
          content_type: xlsxType,
          size_bytes: workbook('Hello', 'Good morning').length,
          idempotency_key: null,
          tenant: { id: mine.tenantId, name: expect.any(String) },
        },
        text_type: null,
        tone: 'formal',
        gender: null,
      },
      status: 'queued',
      source_file_name: 'Book.xlsx',
      source_format: 'xlsx',
      layout: null,
      quality_report: null,
      billable_chars: 0,
      review_history: [],
      artifacts: [expect.objectContaining({ kind: 'source', revision: 1, content_type: xlsxType })],
      approved_at: null,
      approved_by: null,
      changed_since_approval: null,
      awaits_approval: false,
      approved_via: null,
      feed_manifest: { fed_pairs: [], skipped: {}, golden_skipped_at_cap: 0, last_feed_error: null },
      error: null,
      failure: null,
      warnings: [],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      progress: { stage: 'ingest', translated_segments: 0, total_segments: 0 },
      waiting: null,
    });
    await mine.run(body.id);
    expect(await mine.read(body.id)).toMatchObject({
      status: 'translated',
      progress: null,
      billable_chars: 17,
      quality_report: { translated_units: 2, total_units: 2, source_lang: 'en', target_lang: 'fr' },
    });
  });

  test('applies tone and gender to every segment, and ignores the text type', async () => {
    await mine.translate(['Hello'], {
      tone: 'formal',
      gender: 'female',
      text_type: 'Html',
      target_lang: 'DE',
    });
    expect(engine.asked).toEqual([
      expect.objectContaining({ tone: 'formal', gender: 'female', textType: 'Plain', targetLang: 'de' }),
    ]);
  });

  test.each([
    ['Book.xlsx', '', 'Book.xlsx'],
    ['figures', xlsxType, 'figures.xlsx'],
    ['figures.v2', `${xlsxType}; x=y`, 'figures.v2.xlsx'],
    ['../../etc/figures.xlsx', xlsxType, 'figures.xlsx'],
    ['数字 für März.xlsx', xlsxType, '数字 für März.xlsx'],
  ])('named %j of type %j is stored as %j', async (name, type, stored) => {
    const { body } = await mine.send({ source_document: workbookFile(['Hello'], name, type) });
    expect(body.source_file_name).toBe(stored);
  });

  test.each([
    ['figures.csv', 'text/csv'],
    ['figures.xls', 'application/vnd.ms-excel', 'a .xls file cannot be read; save it as .xlsx'],
    ['macros.DOCM', 'application/octet-stream', 'a .docm file cannot be read; save it as .docx'],
    ['show.ppsx', '', 'a .ppsx file cannot be read; save it as .pptx'],
  ])('named %j of type %j is 415, and names what is accepted', async (name, type, hint?: string) => {
    const { status, body } = await mine.send({ source_document: workbookFile(['Hello'], name, type) });
    expect([status, body.detail, body.hint]).toEqual([415, expect.stringContaining('.xlsx'), hint]);
  });

  test('with an invalid form is 400 with a credential, and 401 without one', async () => {
    expect((await mine.send({ target_lang: '' })).status).toBe(400);
    const body = new FormData();
    body.append('source_document', workbookFile(['Hello']));
    expect((await app.request('/api/documents/translate', { method: 'POST', body })).status).toBe(401);
  });

  test('with a file that cannot be read is 400, and leaves neither a job nor a file', async () => {
    const sound = workbook('Hello');
    for (const bytes of [new Uint8Array(200), sound.slice(0, 300)])
      expect(await mine.send({ source_document: new File([bytes], 'a.xlsx') })).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(/^source_document: /), error_code: 'validation_error' },
      });
    expect((await mine.listDocuments()).body).toEqual([]);
    expect(await files()).toEqual([]);
  });
});

test('while translation is off, documents are still read, corrected, approved and deleted', async () => {
  const { id } = await mine.translate(['Hello'], { idempotency_key: 'before' });
  const { settings } = app.services;
  Object.assign(app.services, { settings: { ...settings, TRANSLATION_ENABLED: false } });
  try {
    for (const key of ['before', 'new']) expect((await mine.send({}, keyed(key))).status).toBe(503);
    expect((await mine.correct(id, { A1: 'Bonjour' })).status).toBe(200);
    expect((await mine.approve(id)).status).toBe(200);
    expect((await mine.download(id)).status).toBe(200);
    expect((await mine.removeDocument(id)).status).toBe(200);
  } finally {
    Object.assign(app.services, { settings });
  }
});

describe('with wait (B 4.3)', () => {
  test('the finished job is returned, and nothing is queued', async () => {
    const { status, body } = await mine.send({ wait: 'Yes' });
    expect([status, body.status, body.progress]).toEqual([200, 'translated', null]);
    expect(body.artifacts.map(({ kind }: { kind: string }) => kind)).toEqual(['source', 'translated']);
    expect(await queued()).not.toContainEqual(expect.objectContaining({ key: `run_document:${body.id}` }));
  });

  test('a file without any text is returned unchanged, and is not billed', async () => {
    const job = await mine.translate([5, '12.5', '—']);
    expect(job).toMatchObject({
      status: 'translated',
      billable_chars: 0,
      quality_report: {
        overall_score: 1,
        total_units: 0,
        findings: [
          expect.objectContaining({ severity: 'info', code: 'no_translatable_text', unit_id: null }),
        ],
      },
    });
    const [source, output] = job.artifacts;
    expect(output.sha256).toBe(source.sha256);
    expect(engine.asked).toEqual([]);
    expect(await mine.records()).toEqual([expect.objectContaining({ job_id: job.id, billable_chars: 0 })]);
  });

  test('a process that stops leaves the job to the others: 202', async () => {
    // A file with two groups more than are translated at the same time.
    const cells = Array.from({ length: 400 }, (_, index) => `Text number ${index}`);
    const process = stoppable(app);
    const { reply } = engine;
    engine.reply = (task, signal) => {
      process.stop();
      return reply(task, signal);
    };
    try {
      const { status, body } = await mine.send({ source_document: workbookFile(cells), wait: 'true' });
      expect([status, body.status]).toEqual([202, 'extracted']);
      expect(await queued()).toContainEqual(expect.objectContaining({ key: `run_document:${body.id}` }));
    } finally {
      process.restore();
    }
  });
});

describe('a resend with the same key (B 4.3)', () => {
  test('of another request returns the first job with a warning; the name of the file does not matter', async () => {
    const key = keyed('differing');
    const differs = ({ headers, body }: { headers: Headers; body: { warnings: { code: string }[] } }) => [
      headers.get('idempotency-request-differs'),
      body.warnings.some(({ code }) => code === 'idempotency_request_differs'),
    ];
    const first = await mine.send({}, key);
    expect(differs(first)).toEqual([null, false]);
    expect(differs(await mine.send({ text_type: 'Html' }, key))).toEqual([null, false]);
    for (const change of [{ tone: 'formal' }, { target_lang: 'de' }, { source_lang: 'es' }]) {
      const other = await mine.send(change, key);
      expect([other.body.id, ...differs(other)]).toEqual([first.body.id, 'true', true]);
    }
    const renamed = workbookFile(['Hello', 'Good morning'], 'Other.xlsx');
    expect(differs(await mine.send({ source_document: renamed }, key))).toEqual([null, false]);
    const changed = workbookFile(['Hello', 'Good evening']);
    expect(differs(await mine.send({ source_document: changed }, key))).toEqual(['true', true]);
    // The warning is not stored.
    expect((await mine.read(first.body.id)).warnings).toEqual([]);
  });

  const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');

  test('returns the job in each of its states, and starts nothing', async () => {
    const key = keyed('once');
    const failure = failureOf(new Error('broken'), 'extract', 0);
    const first = await mine.send({}, key);
    expect([first.status, replayed(first)]).toEqual([202, null]);
    const { id } = first.body;
    expect(first.body.request).toMatchObject({
      idempotency_key: 'once',
      metadata: { idempotency_key: 'once' },
    });

    const whileQueued = await mine.send({ target_lang: 'de', domain: 'other' }, key);
    const { warnings: _, ...same } = first.body;
    expect([whileQueued.status, replayed(whileQueued)]).toEqual([202, 'true']);
    expect(whileQueued.body).toMatchObject(same);
    await mine.run(id);
    const whenDone = await mine.send({}, key);
    expect([whenDone.status, replayed(whenDone), whenDone.body.id]).toEqual([200, 'true', id]);
    await mine.change(id, { status: 'failed', failure });
    const whenFailed = await mine.send({ wait: 'true' }, key);
    expect([whenFailed.status, whenFailed.body.id, whenFailed.body.status]).toEqual([200, id, 'failed']);

    expect(engine.asked).toHaveLength(1);
    expect(await mine.records()).toHaveLength(1);
    expect(await files()).toHaveLength(2);
  });

  test('of another tenant is another job', async () => {
    const other = await openDocuments(app);
    const [one, two] = [await mine.send({}, keyed('same')), await other.send({}, keyed('same'))];
    expect(one.body.id).not.toBe(two.body.id);
    expect(replayed(two)).toBeNull();
  });
});

test('the output of a worker whose job was taken over is removed', async () => {
  const id = await mine.queue();
  const { storage } = app.services;
  const slow = {
    ...app.services,
    storage: {
      ...storage,
      async put(path: string, bytes: Uint8Array | string) {
        await storage.put(path, bytes);
        await mine.change(id, { attempt: 99 });
      },
    },
  };
  expect(await runDocument(slow, mine.tenantId, id)).toBeUndefined();
  expect(await files()).toHaveLength(1);
  expect(await mine.read(id)).toMatchObject({ status: 'extracted', artifacts: [{ kind: 'source' }] });
  expect(await mine.records()).toEqual([]);
});
