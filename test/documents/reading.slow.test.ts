import { createHash, randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { extract } from '#server/formats/xlsx.ts';
import { workbookFile, xlsxType } from '#test/factories/workbook.ts';
import { env, operator } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { doubtingEngine, openDocuments, useDocuments } from './workspace.ts';

const engine = doubtingEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);

/** The texts of a workbook's cells, from a reader that is independent of the engine. */
async function textsOf(bytes: ArrayBuffer): Promise<string[]> {
  const { segments } = await extract(new Uint8Array(bytes));
  return segments.map(({ source }) => source.join(''));
}

describe('the list of documents (C 4)', () => {
  test('is latest update first, in pages, by status', async () => {
    const ids = [await mine.queue(), await mine.queue(), await mine.queue()];
    await mine.run(ids[0]!);
    const order = [ids[0], ids[2], ids[1]];
    const idsAt = (body: { id: string }[]) => body.map(({ id }) => id);
    expect(idsAt((await mine.listDocuments()).body)).toEqual(order);

    const walked: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
      const { headers, body } = await mine.listDocuments(`?limit=2${query}`);
      walked.push(...idsAt(body));
      cursor = headers.get('x-next-cursor');
    }
    expect(walked).toEqual(order);
    expect(idsAt((await mine.listDocuments('?status=translated')).body)).toEqual([ids[0]]);
    expect(idsAt((await mine.listDocuments('?status=queued')).body)).toEqual([ids[2], ids[1]]);
    expect((await mine.listDocuments('?status=pending')).body).toEqual([]);
    expect((await (await openDocuments(app)).listDocuments()).body).toEqual([]);
  });
});

test('the list of documents has the filters of the list of jobs', async () => {
  const french = await mine.queue(['Hello'], { target_lang: 'fr', domain: 'menus' });
  const german = await mine.queue(['Hello'], { target_lang: 'de' });
  const idsOf = async (query: string) => {
    const { status, body } = await mine.listDocuments(`?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.map(({ id }: { id: string }) => id);
  };
  expect(await idsOf('target_lang=de')).toEqual([german]);
  expect(await idsOf('domain=menus&status=queued')).toEqual([french]);
  expect(await idsOf('domain=menus&status=failed')).toEqual([]);
  expect(await idsOf(`metadata.content_type=${encodeURIComponent(xlsxType)}`)).toEqual([german, french]);
  expect(await idsOf('created_before=2020-01-01T00:00:00Z')).toEqual([]);
  expect((await mine.listDocuments('?created_after=yesterday')).status).toBe(422);
});

test('a page of documents with long manifests ends before it is too large, and the next ones carry on', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => mine.queue()));
  const sql = openSuperuser(app.superuserUrl);
  // Random data, because repetitions would be compressed.
  const pairs = Array.from({ length: 4000 }, () => ({
    source_text: randomBytes(200).toString('hex'),
    target_text: '',
    source_hash: '',
    corrected: false,
    stage: 'approve',
    created_at: '2026-01-01T00:00:00.000Z',
  }));
  const manifest = { fed_pairs: pairs, skipped: {}, golden_skipped_at_cap: 0, last_feed_error: null };
  await sql`update document_jobs set feed_manifest = ${sql.json(manifest)} where tenant_id = ${mine.tenantId}`;
  const seen: string[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const { headers, body } = await mine.listDocuments(`?limit=200${cursor && `&cursor=${cursor}`}`);
    expect(body.length).toBeGreaterThan(0);
    expect(body.length).toBeLessThan(6);
    seen.push(...body.map(({ id }: { id: string }) => id));
    cursor = headers.get('x-next-cursor');
  }
  expect(pages).toBeGreaterThan(2);
  expect(seen).toHaveLength(12);
  expect(seen.toSorted()).toEqual(ids.toSorted());
});

describe('a job (B 4.3)', () => {
  test('shows its cost to an operator only', async () => {
    // More texts than one group that is sent to the engine.
    const { id } = await mine.translate(Array.from({ length: 81 }, (_, n) => `Text ${n}`));
    const own = await mine.read(id, mine.admin);
    const asOperator = await mine.read(id, { ...mine.admin, ...operator });
    expect(asOperator).toEqual({
      ...own,
      stage_timings: {
        ingest: expect.any(Number),
        extract: expect.any(Number),
        admit: expect.any(Number),
        map_translate: expect.any(Number),
        reconstruct: expect.any(Number),
      },
      input_tokens: 20,
      output_tokens: 20,
      models: ['model'],
    });
    expect(JSON.stringify(own)).not.toContain('model"');
  });

  test('has a report of what the checks doubt', async () => {
    const long = 'A text of forty characters and some more.';
    engine.reply = ({ segments }) =>
      segments.map((segment) => (segment === long ? `${long} ${long} ${long}` : `fr ${segment}`));
    const { id, quality_report: report } = await mine.translate(['Fine', 'a doubtful one', long]);
    expect(report).toEqual({
      schema_version: '1.0',
      document_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      source_lang: 'en',
      target_lang: 'fr',
      overall_score: 0.75,
      translated_units: 3,
      total_units: 3,
      findings: [
        { severity: 'warning', code: 'low_segment_quality', message: expect.any(String), unit_id: 'A2' },
        { severity: 'info', code: 'translation_expansion', message: expect.any(String), unit_id: 'A3' },
      ],
      metadata: {
        page_count: 1,
        schema_version: '1.0',
        llm_quality: { needs_review_units: 1, noncompliant_units: 0 },
        receipt: { texts: 4, characters: 56, rows: expect.any(Array), truncated_texts: 0 },
      },
    });
    expect(report.document_id).not.toBe(id);
  });
});

describe('segments (C 5)', () => {
  test('a segment names its place, its texts and where its translation came from', async () => {
    const { id } = await mine.translate(['Hello', 'a doubtful one']);
    const { segments, total, next_cursor } = await mine.segments(id);
    expect([total, next_cursor]).toEqual([2, null]);
    expect(segments).toEqual([
      {
        region_id: expect.any(String),
        cell_id: 'A1',
        kind: 'cell',
        page: 1,
        place: 'Sheet1!A1',
        context: null,
        max_length: null,
        length_unit: null,
        source_rectangles: null,
        target_rectangles: null,
        source_text: 'Hello',
        target_text: 'fr of Hello',
        quality: { score: 92, needs_review: false, issues: [] },
        fast_path: null,
        corrected: false,
        confirmed_at: null,
        confirmed_by: null,
        provenance: { engine: 'stub' },
      },
      expect.objectContaining({
        cell_id: 'A2',
        quality: { score: 40, needs_review: true, issues: [] },
      }),
    ]);
  });

  test('pages walk all of them once, in reading order, or only those to be reviewed', async () => {
    const cells = Array.from({ length: 25 }, (_, n) => (n % 5 === 0 ? `doubtful ${n}` : `Text ${n}`));
    const { id } = await mine.translate(cells);
    const walk = async (query: string) => {
      const texts: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await mine.segments(id, `?${query}${cursor && `&cursor=${cursor}`}`);
        texts.push(...page.segments.map(({ source_text }: { source_text: string }) => source_text));
        cursor = page.next_cursor;
        expect(page.total).toBe(query.includes('flagged=true') ? 5 : 25);
      }
      return texts;
    };
    expect(await walk('limit=10')).toEqual(cells);
    expect(await walk('limit=25')).toEqual(cells);
    expect(await walk('limit=2&flagged=true')).toEqual(cells.filter((_, n) => n % 5 === 0));
    expect(await walk('limit=1&flagged=false')).toEqual(cells);
  });
});

describe('files (B 4.3)', () => {
  test('the listed artifacts are the stored ones, and are only added to', async () => {
    const { id } = await mine.translate(['Hello']);
    const first = await mine.artifacts(id);
    expect(first).toEqual((await mine.read(id)).artifacts);
    const bytes = new Uint8Array(await (await mine.download(id)).arrayBuffer());
    expect(first).toEqual([
      expect.objectContaining({ kind: 'source', revision: 1 }),
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        kind: 'translated',
        revision: 1,
        content_type: xlsxType,
        size_bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        created_at: expect.any(String),
      },
    ]);
    expect((await mine.correct(id, { A1: 'Bonjour' })).status).toBe(200);
    const second = await mine.artifacts(id);
    expect(second.slice(0, 2)).toEqual(first);
    expect(second.slice(2)).toEqual([expect.objectContaining({ kind: 'translated', revision: 2 })]);
    expect(await textsOf(await (await mine.download(id)).arrayBuffer())).toEqual(['Bonjour']);
  });

  test('a download suggests a name that overwrites neither the source nor another language', async () => {
    const names = async (target_lang: string) => {
      const { id } = await mine.translate(['Hello'], {
        source_document: workbookFile(['Hello'], 'Menü.en.xlsx'),
        target_lang,
      });
      const { headers } = await mine.download(id);
      const suggested = decodeURIComponent(headers.get('x-suggested-filename') ?? '');
      return [suggested, headers.get('content-disposition')?.includes('Men%C3%BC.en.xlsx')];
    };
    expect(await names('fr')).toEqual(['Menü.fr.xlsx', true]);
    expect(await names('zh-Hant')).toEqual(['Menü.zh-Hant.xlsx', true]);
  });

  test('a download is 409 while the job is in progress, and after it failed', async () => {
    const id = await mine.queue();
    const refused = async () => {
      const response = await mine.download(id);
      return [response.status, ((await response.json()) as { detail: string }).detail];
    };
    expect(await refused()).toEqual([409, 'document translation is still in progress']);
    await mine.change(id, { status: 'extracted' });
    expect(await refused()).toEqual([409, 'document translation is still in progress']);
    await mine.change(id, { status: 'failed' });
    expect(await refused()).toEqual([409, expect.stringContaining('failed')]);
  });

  test('a stored file that is damaged or missing is 500, and the source is not served in its place', async () => {
    const { id, artifacts } = await mine.translate(['Hello']);
    const folder = join(app.services.settings.DATA_DIR, 'storage', mine.tenantId, 'documents');
    const name = (await readdir(folder)).find((file) => file.includes(artifacts[1].id))!;
    const bytes = Buffer.from(await (await mine.download(id)).arrayBuffer());
    bytes[bytes.length - 30]! ^= 1;
    const damage: (Uint8Array | string)[] = [bytes, bytes.subarray(0, 100), ''];
    for (const content of damage) {
      await writeFile(join(folder, name), content);
      const response = await mine.download(id);
      expect([response.status, await response.json()]).toEqual([
        500,
        expect.objectContaining({ detail: 'stored artifact failed its checksum' }),
      ]);
    }
    await app.services.storage.remove(`${mine.tenantId}/documents/${name}`);
    expect((await mine.download(id)).status).toBe(500);
  });
});

describe('the summary (C 5)', () => {
  test('counts the tenant’s documents', async () => {
    expect((await mine.summary()).body).toEqual({
      total: 0,
      by_status: {},
      by_format: {},
      approved: 0,
      needs_review: 0,
      billable_chars: 0,
    });
    await mine.queue();
    const failed = await mine.queue();
    await mine.change(failed, { status: 'failed' });
    const { id } = await mine.translate(['Hello', 'a doubtful one']);
    await mine.translate(['ten chars.']);
    expect((await mine.approve(id)).status).toBe(200);
    expect((await mine.summary()).body).toEqual({
      total: 4,
      by_status: { queued: 1, failed: 1, translated: 2 },
      by_format: { xlsx: 4 },
      approved: 1,
      needs_review: 1,
      billable_chars: 29,
    });
    expect((await mine.correct(id, { A2: 'douteux' })).status).toBe(200);
    expect((await mine.summary()).body.needs_review).toBe(0);
    // A document that is not translated does not await review.
    const { id: another } = await mine.translate(['another doubtful one']);
    expect((await mine.summary()).body.needs_review).toBe(1);
    await mine.change(another, { status: 'failed' });
    expect((await mine.summary()).body.needs_review).toBe(0);
  });

  test('shows all tenants and stages to an operator only', async () => {
    await mine.translate();
    const queries = ['include_tenant_breakdown=true', 'include_stage_timing_breakdown=true'];
    for (const query of queries)
      for (const headers of [mine.headers, mine.admin])
        expect(await mine.summary(`?${query}`, headers)).toMatchObject({
          status: 403,
          body: { detail: 'cross-tenant breakdowns require operator access' },
        });
    const { status, body } = await mine.summary(`?${queries.join('&')}`, { ...mine.admin, ...operator });
    expect([status, body.total]).toEqual([200, 1]);
    expect(body.tenants).toContainEqual({
      tenant_id: mine.tenantId,
      total: 1,
      in_flight: 0,
      translated: 1,
      failed: 0,
    });
    expect(Object.keys(body.stage_timings).toSorted()).toEqual([
      'admit',
      'extract',
      'ingest',
      'map_translate',
      'reconstruct',
    ]);
    expect(body.stage_timings.extract).toEqual({
      jobs: expect.any(Number),
      median_ms: expect.any(Number),
      max_ms: expect.any(Number),
    });
    expect((await mine.summary('?include_tenant_breakdown=true', operator)).status).toBe(401);
  });

  test('needs one connection at a time, so that operators who ask together cannot block each other', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { size } = app.database.connections();
    const held = Array.from({ length: size - 1 }, () => app.database.inPlatform(() => released));
    const query = '?include_tenant_breakdown=true&include_stage_timing_breakdown=true';
    const { status } = await mine.summary(query, { ...mine.admin, ...operator });
    release();
    await Promise.all(held);
    expect(status).toBe(200);
  });
});
