import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';
import { Document, Packer, Paragraph } from 'docx';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

async function founded() {
  const { apiKey, accessToken } = await app.signUp();
  const client = new sdk.LinguaLoop({ baseUrl: app.address, apiKey });
  const admin = new sdk.LinguaLoop({ baseUrl: app.address, accessToken });
  return { client, admin, apiKey };
}

/** A job that waits for a person, because its domain always does. */
const legal = { source_text: 'The contract ends.', target_lang: 'fr', domain: 'legal' };

async function listed(client: sdk.LinguaLoop): Promise<sdk.TranslationJob[]> {
  const jobs: sdk.TranslationJob[] = [];
  for await (const job of client.translations.list()) jobs.push(job);
  return jobs;
}

describe('createBatch', () => {
  const batch: sdk.BatchTranslationRequest = {
    inputs: [
      { Text: 'One', Targets: [{ Language: 'fr', Tone: 'formal' }, { Language: 'de' }] },
      { Text: '<b>Zwei</b>', Language: 'de', TextType: 'Html', Targets: [{ Language: 'it' }] },
    ],
  };

  test('returns a job for each text and language, in order', async () => {
    const { client } = await founded();
    const jobs = await client.translations.createBatch(batch);
    expect(jobs.map((job) => [job.status, job.final_translation])).toEqual([
      ['published', '[fr] One'],
      ['published', '[de] One'],
      ['published', '<b>[it] Zwei</b>'],
    ]);
    const [key] = jobs[0]!.request.idempotency_key!.split(':');
    expect(jobs.map((job) => job.request.idempotency_key)).toEqual([`${key}:0`, `${key}:1`, `${key}:2`]);
    expect(await listed(client)).toHaveLength(3);
  });

  test('texts may share the object of their targets, and fields may be undefined', async () => {
    const { client } = await founded();
    const Targets = [{ Language: 'fr', Tone: undefined }];
    const jobs = await client.translations.createBatch({
      inputs: [
        { Text: 'One', Targets },
        { Text: 'Two', Targets, TextType: undefined },
      ],
    });
    expect(jobs.map((job) => job.final_translation)).toEqual(['[fr] One', '[fr] Two']);
  });

  test('with a key a second call returns the same jobs', async () => {
    const { client } = await founded();
    const first = await client.translations.createBatch(batch, { idempotencyKey: 'b' });
    const second = await client.translations.createBatch({ ...batch, idempotency_key: 'b' });
    expect(second).toEqual(first);
    expect(await listed(client)).toHaveLength(3);
  });

  test('a wrong item is named, and none is translated', async () => {
    const { client } = await founded();
    const wrong = { inputs: [...batch.inputs, { Text: ' ', Targets: [{ Language: 'fr' }] }] };
    const error = await client.translations.createBatch(wrong).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(sdk.BadRequestError);
    expect(error.detail).toContain('inputs[2].Text');
    const many = { inputs: Array(51).fill({ Text: 'x', Targets: [{ Language: 'fr' }] }) };
    await expect(client.translations.createBatch(many)).rejects.toBeInstanceOf(sdk.PayloadTooLargeError);
    expect(await listed(client)).toEqual([]);
  });
});

test('createFromText returns a job for each page', async () => {
  const { client } = await founded();
  const paragraph = `${'Word '.repeat(900).trim()}.`;
  const jobs = await client.translations.createFromText(
    {
      source_text: `${paragraph}\n\n${paragraph}`,
      target_lang: 'fr',
      metadata: { source_document: { name: 'words.txt' }, order: 7 },
    },
    { idempotencyKey: 'words' },
  );
  expect(jobs.map((job) => job.request.idempotency_key)).toEqual(['words:1', 'words:2']);
  expect(jobs.map((job) => job.final_translation)).toEqual(Array(2).fill(`[fr] ${paragraph}`));
  expect(jobs[1]!.request.metadata).toMatchObject({
    order: 7,
    source_document: { name: 'words.txt', page_number: 2, page_count: 2 },
  });
});

describe('createFromFile', () => {
  const request = { target_lang: 'fr' };

  test.each<[string, string, string]>([
    ['plan.txt', 'The plan', 'text/plain'],
    ['plan.md', 'The plan', ''],
    ['plan.html', '<p>The plan</p>', 'text/html'],
    ['plan.json', '{"title": "The plan"}', 'application/json'],
    ['plan.xml', '<plan>The plan</plan>', 'application/xml'],
    ['plan.csv', 'title\nThe plan\n', 'text/csv'],
  ])('%s', async (name, content, type) => {
    const { client } = await founded();
    const jobs = await client.translations.createFromFile(new File([content], name, { type }), {
      ...request,
      source_lang: 'de',
      domain: 'press',
      metadata: { min_quality_score: 91 },
    });
    expect(jobs).toHaveLength(1);
    expect(jobs[0]).toMatchObject({ status: 'published', request: { source_lang: 'de', domain: 'press' } });
    expect(jobs[0]!.final_translation).toContain('The plan');
    expect(jobs[0]!.request.metadata).toMatchObject({
      min_quality_score: 91,
      source_document: { name, page_number: 1, page_count: 1 },
    });
    expect(await client.translations.get(jobs[0]!.id)).toEqual(jobs[0]);
  });

  test('a DOCX is read as text, under a name beyond ASCII', async () => {
    const { client } = await founded();
    const document = new Document({ sections: [{ children: [new Paragraph('The plan')] }] });
    const [job] = await client.translations.createFromFile(
      { name: 'Der Plan für 漢字 100%.docx', data: await Packer.toBuffer(document) },
      request,
    );
    expect(job!.final_translation).toBe('[fr] The plan');
    expect(job!.request.metadata['source_document']).toMatchObject({
      name: 'Der Plan für 漢字 100%.docx',
      content_type: expect.stringContaining('wordprocessingml'),
    });
  });

  test('a PDF from the disk is read as text', async () => {
    const { client } = await founded();
    const pdf = await PDFDocument.create();
    pdf.addPage().drawText('The plan', { x: 50, y: 700, font: await pdf.embedFont(StandardFonts.Helvetica) });
    const folder = await mkdtemp(join(tmpdir(), 'lingualoop-files-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'plan.pdf'), await pdf.save());
    const data = await openAsBlob(join(folder, 'plan.pdf'));
    const [job] = await client.translations.createFromFile({ name: 'plan.pdf', data }, request);
    expect(job!.final_translation).toBe('[fr] The plan');
  });

  test('with a key a second call returns the same jobs', async () => {
    const { client } = await founded();
    const send = () =>
      client.translations.createFromFile(new File(['The plan'], 'plan.txt'), request, {
        idempotencyKey: 'plan 1',
      });
    const first = await send();
    expect(first.map((job) => job.request.idempotency_key)).toEqual(['plan 1:1']);
    expect(await send()).toEqual(first);
    expect(await listed(client)).toHaveLength(1);
  });

  test('a lost response costs nothing: the second request finds the jobs of the first', async () => {
    const { apiKey } = await app.signUp();
    let sent = 0;
    const client = new sdk.LinguaLoop({
      baseUrl: app.address,
      apiKey,
      backoff: { firstMs: 1, maxMs: 1 },
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        sent += 1;
        if (sent > 1) return response;
        await response.text();
        throw new TypeError('the connection broke');
      },
    });
    const jobs = await client.translations.createFromFile(new File(['The plan'], 'plan.txt'), request);
    expect(sent).toBe(2);
    expect(await listed(client)).toEqual(jobs);
  });

  test.each<[string, sdk.SourceFile, unknown, RegExp]>([
    ['blank', new File([' \n'], 'a.txt'), sdk.BadRequestError, /./],
    ['empty', new File([], 'a.txt'), sdk.BadRequestError, /source_document is empty/],
    ['no DOCX inside', new File(['x'], 'a.docx'), sdk.BadRequestError, /./],
    [
      'a spreadsheet',
      new File(['x'], 'a.xlsx'),
      sdk.UnsupportedMediaTypeError,
      /unsupported source_document/,
    ],
    ['too big', new File(['x'.repeat(10_000_001)], 'a.txt'), sdk.PayloadTooLargeError, /MAX_REQUEST_BYTES/],
    [
      'too big a PDF',
      new File(['x'.repeat(10_000_001)], 'a.pdf'),
      sdk.PayloadTooLargeError,
      /MAX_REQUEST_BYTES/,
    ],
    ['an image', new File(['x'], 'a.png'), sdk.UnsupportedMediaTypeError, /unsupported source_document/],
  ])('a file that cannot be translated has its error: %s', async (_, file, errorClass, detail) => {
    const { client } = await founded();
    const error = await client.translations.createFromFile(file, request).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({
      answeredBy: 'service',
      requestId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(error.detail).toMatch(detail);
  });

  test('so has a caller without access, or an unsupported language', async () => {
    const file = new File(['x'], 'a.txt');
    const stranger = new sdk.LinguaLoop({ baseUrl: app.address, apiKey: 'wrong' });
    await expect(stranger.translations.createFromFile(file, request)).rejects.toBeInstanceOf(
      sdk.AuthenticationError,
    );
    const { client } = await founded();
    await expect(client.translations.createFromFile(file, { target_lang: 'xx' })).rejects.toBeInstanceOf(
      sdk.UnprocessableContentError,
    );
  });
});

describe('review', () => {
  test('a draft is kept, then published as it is', async () => {
    const { client } = await founded();
    const held = await client.translations.create(legal);
    expect(held.status).toBe('awaiting_review');
    const saved = await client.translations.review(held.id, {
      action: 'save',
      final_translation: 'Le contrat prend fin.',
    });
    expect(saved).toMatchObject({
      status: 'awaiting_review',
      final_translation: 'Le contrat prend fin.',
      agent_run: { human_review_task: { status: 'open' } },
    });
    const published = await client.translations.review(held.id, {
      action: 'approve',
      reviewer: 'Ada',
      notes: 'checked twice',
    });
    expect(published).toMatchObject({
      status: 'human_edited',
      final_translation: 'Le contrat prend fin.',
      agent_run: { human_review_task: { status: 'completed', completed_by: 'Ada' } },
    });
  });

  test('a session names the reviewer itself', async () => {
    const { client, admin } = await founded();
    const { id } = await client.translations.create(legal);
    const job = await admin.translations.review(id, {
      action: 'modify',
      final_translation: 'Fin du contrat.',
      reviewer: 'somebody else',
    });
    expect(job.status).toBe('human_edited');
    expect(job.agent_run.human_review_task?.completed_by).toMatch(/^founder\d+@example\.org$/);
  });

  test('a closed job cannot be reviewed any more, a rejected one cannot be downloaded', async () => {
    const { client } = await founded();
    const { id } = await client.translations.create(legal);
    expect((await client.translations.review(id, { action: 'reject' })).status).toBe('rejected');
    const error = await client.translations.review(id, { action: 'approve' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(sdk.BadRequestError);
    expect(error).toMatchObject({ code: 'validation_error', detail: expect.stringContaining('rejected') });
    await expect(client.translations.golden(id)).rejects.toBeInstanceOf(sdk.ConflictError);
    await expect(client.translations.review('0'.repeat(32), { action: 'approve' })).rejects.toBeInstanceOf(
      sdk.NotFoundError,
    );
  });
});

describe('golden', () => {
  test.each([
    ['txt', 'text/plain; charset=utf-8', '[fr] Le'],
    ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'PK\x03\x04'],
    ['pdf', 'application/pdf', '%PDF-'],
  ] as const)('%s', async (format, contentType, beginning) => {
    const { client } = await founded();
    const file = { name: 'Žlutý plán.txt', data: new Blob(['Le plan']) };
    const [job] = await client.translations.createFromFile(file, { target_lang: 'fr' });
    const golden = await client.translations.golden(job!.id, { format });
    expect(golden).toMatchObject({ contentType, fileName: `Žlutý plán.fr.${format}` });
    expect(golden.bytes).toBeInstanceOf(Uint8Array);
    expect(new TextDecoder('latin1').decode(golden.bytes)).toMatch(new RegExp(`^${literally(beginning)}`));
  });

  test('plain text by default, whole', async () => {
    const { client } = await founded();
    const job = await client.translations.create({ source_text: 'Žlutý 漢字 😀', target_lang: 'fr' });
    const golden = await client.translations.golden(job.id);
    expect(new TextDecoder().decode(golden.bytes)).toBe(job.final_translation);
    expect(golden.fileName).toBe(`translation-${job.id}.fr.txt`);
  });

  test('its errors are typed', async () => {
    const { client } = await founded();
    const held = await client.translations.create(legal);
    const conflict = await client.translations.golden(held.id).catch((thrown) => thrown);
    expect(conflict).toBeInstanceOf(sdk.ConflictError);
    expect(conflict).toMatchObject({ status: 409, answeredBy: 'service' });
    expect(conflict.detail).toContain('awaiting_review');
    await expect(client.translations.golden('0'.repeat(32))).rejects.toBeInstanceOf(sdk.NotFoundError);
    const stranger = new sdk.LinguaLoop({ baseUrl: app.address, apiKey: 'wrong' });
    await expect(stranger.translations.golden(held.id)).rejects.toBeInstanceOf(sdk.AuthenticationError);
  });
});

describe('delete', () => {
  test('an administrator’s session deletes, and gets the counts; a second time is 404', async () => {
    const { client, admin } = await founded();
    const { id } = await client.translations.create({ source_text: 'Hello', target_lang: 'fr' });
    expect(await admin.translations.delete(id)).toEqual({
      deleted: true,
      job_id: id,
      records_removed: 1,
      artifacts_removed: 0,
      golden_records_deleted: 1,
      tm_pairs_removed: 0,
    });
    await expect(client.translations.get(id)).rejects.toBeInstanceOf(sdk.NotFoundError);
    await expect(admin.translations.delete(id)).rejects.toBeInstanceOf(sdk.NotFoundError);
  });

  test('an API key cannot', async () => {
    const { client } = await founded();
    const { id } = await client.translations.create({ source_text: 'Hello', target_lang: 'fr' });
    await expect(client.translations.delete(id)).rejects.toBeInstanceOf(sdk.AuthenticationError);
    expect((await client.translations.get(id)).id).toBe(id);
  });
});

function literally(text: string): string {
  return text.replaceAll(/[[\](){}.*+?^$|\\]/g, String.raw`\$&`);
}
