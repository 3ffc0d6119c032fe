import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { addDocument, env, type Fields, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useReviewers } from '../translations/workplace/reviewers.ts';
import { judgingEngine } from './judging-engine.ts';

const app = useTestApp({ env, engine: judgingEngine() });

const mine = useReviewers(app);

const inbox = (as?: Person) => mine.call('reviews.inbox', {}, as);

const document = (cells: string[], fields: Fields = {}) =>
  addDocument(app, mine.founder, { source_document: workbookFile(cells, `${cells[0]}.xlsx`), ...fields });

/** Sets the time since when a text has awaited review. */
const waitSince = (id: string, time: string) =>
  mine.sql()`update translation_jobs set updated_at = ${time} where job_id = ${id}`;

// biome-ignore lint/suspicious/noExplicitAny: tasks of both kinds
const task = async (as?: Person): Promise<any> => (await inbox(as)).tasks[0];

describe('documents', () => {
  test('of a domain that demands a review have a warning for each segment', async () => {
    await document(['lease', 'plain'], { domain: 'legal' });
    expect(await task()).toMatchObject({ severity: 'warning', segments: 2, critical: 0, warnings: 2 });
  });

  test('are listed until they are approved, with their progress and findings', async () => {
    const id = await document(['lease', 'wrong', 'doubtful', 'odd', 'plain'], { domain: 'menu' });
    expect(await inbox()).toEqual({
      tasks: [
        {
          kind: 'document',
          severity: 'critical',
          id,
          name: 'lease.xlsx',
          format: 'xlsx',
          source_lang: 'en',
          target_lang: 'fr',
          domain: 'menu',
          submitter: null,
          segments: 5,
          confirmed: 0,
          drafts: 0,
          critical: 1,
          warnings: 1,
          waiting_since: expect.any(String),
          holders: [],
          is_claimed: false,
          is_opened: false,
          assignees: [],
          is_assigned: false,
          unassigned: 1,
          due_at: null,
        },
      ],
      more: { documents: false, texts: false },
    });
    await mine.call('documents.confirm', {
      document_id: id,
      segments: [{ position: 1, target_text: 'fr of wrong' }],
      confirm_critical: true,
      reason: { code: 'client_wants_it', note: 'The client insists on it.' },
    });
    expect(await task()).toMatchObject({ severity: 'warning', confirmed: 1, critical: 0, warnings: 1 });
    await mine.call('documents.confirm', {
      document_id: id,
      segments: [{ position: 2, target_text: 'fr of doubtful' }],
    });
    expect(await task()).toMatchObject({ severity: 'rule', confirmed: 2, warnings: 0 });
    await mine.call('documents.correct', {
      document_id: id,
      corrections: [
        { region_id: await region(id), cell_id: 'A5', target_text: 'autre', replaces: 'fr of plain' },
      ],
    });
    expect(await task()).toMatchObject({ severity: 'rule', confirmed: 2, drafts: 1 });
    const { status } = await app.json('POST', `/api/documents/${id}/approve`, {
      headers: mine.founder.bearer,
      body: {},
    });
    expect([status, (await inbox()).tasks]).toEqual([200, []]);
  });

  async function region(id: string): Promise<string> {
    const { body } = await app.json('GET', `/api/documents/${id}/segments`, { headers: mine.founder.bearer });
    return body.segments[0].region_id;
  }

  test('are as old as their first translation, also after a review', async () => {
    const id = await document(['Hello']);
    const before = (await task()).waiting_since;
    await mine.call('documents.correct', {
      document_id: id,
      corrections: [
        { region_id: await region(id), cell_id: 'A1', target_text: 'Salut', replaces: 'fr of Hello' },
      ],
    });
    expect((await task()).waiting_since).toBe(before);
  });

  test('are at most 100, and say so if there are more', async () => {
    const id = await document(['Hello']);
    const copies = (count: number) => mine.sql()`
      insert into document_jobs (tenant_id, document_id, status, request, source_file_name, source_format)
      select tenant_id, n || document_id, status, request, n::text, source_format
      from document_jobs, generate_series(1, ${count}) n where document_id = ${id}`;
    await copies(99);
    expect(await inbox()).toMatchObject({ tasks: { length: 100 }, more: { documents: false } });
    await mine.sql()`
      insert into document_jobs (tenant_id, document_id, status, request, source_file_name, source_format)
      select tenant_id, 'one more', status, request, 'x', source_format from document_jobs where document_id = ${id}`;
    expect(await inbox()).toMatchObject({ tasks: { length: 100 }, more: { documents: true } });
  });
});

describe('texts', () => {
  test('are grouped by languages, domain and submitter', async () => {
    const from = (submitter: unknown) => ({ metadata: { submitter } });
    await mine.held();
    await mine.held(from('app@example.org'));
    await mine.held({ ...from('app@example.org'), source_text: 'Bye' });
    await mine.held(from({ name: 'an object' }));
    await mine.held({ target_lang: 'de' });
    await mine.job({ source_text: 'doubtful' });
    await mine.job();
    const { tasks } = await inbox();
    const groups = tasks.map(({ filter, texts }: { filter: Fields; texts: number }) => [
      filter['target_lang'],
      filter['domain'],
      filter['submitter'],
      texts,
    ]);
    expect(groups.sort()).toEqual([
      ['de', 'legal', null, 1],
      ['fr', null, null, 1],
      ['fr', 'legal', null, 2],
      ['fr', 'legal', 'app@example.org', 2],
    ]);
  });

  test('are critical, warnings or held by a rule; a group is as severe as its worst text', async () => {
    const ids: Record<string, string> = {};
    for (const source_text of ['plain', 'odd', 'doubtful', 'wrong', 'very wrong'])
      ids[source_text] = (await mine.held({ source_text })).id;
    expect(await task()).toMatchObject({
      kind: 'texts',
      severity: 'critical',
      texts: 5,
      critical: 2,
      warnings: 2,
      held: 1,
      drafts: 0,
      first: ids['wrong'],
    });
    await mine.review(ids['wrong'] as string, { action: 'approve' });
    await mine.review(ids['very wrong'] as string, { action: 'save', final_translation: 'better' });
    // A finding of the model stays open until it is resolved, although the text has changed.
    expect(await task()).toMatchObject({
      severity: 'critical',
      texts: 4,
      critical: 1,
      warnings: 2,
      drafts: 1,
    });
  });

  test('compare their score with the threshold of the request', async () => {
    await mine.held({ metadata: { min_quality_score: 95 } });
    expect(await task()).toMatchObject({ severity: 'warning', warnings: 1 });
    await mine.held({ source_text: 'Bye', metadata: { min_quality_score: '95' } });
    expect(await task()).toMatchObject({ warnings: 1, held: 1 });
  });

  test('are as old as the oldest of their group; more than 2000 are not examined', async () => {
    const { id } = await mine.held();
    await waitSince(id, '2026-01-02T03:04:05Z');
    await mine.held({ source_text: 'Bye' });
    expect(await task()).toMatchObject({ first: id, waiting_since: '2026-01-02T03:04:05.000Z', texts: 2 });
    const copies = (count: number, from: number) => mine.sql()`
      insert into translation_jobs (tenant_id, job_id, status, request, agent_run, verification, refinement)
      select tenant_id, n || job_id, status, request, agent_run, verification, refinement
      from translation_jobs, generate_series(${from}::int, ${from + count - 1}::int) n where job_id = ${id}`;
    await copies(1998, 1);
    expect(await inbox()).toMatchObject({ tasks: [{ texts: 2000 }], more: { texts: false } });
    await copies(1, 5000);
    expect(await inbox()).toMatchObject({ tasks: [{ texts: 2000 }], more: { texts: true } });
  });
});

test('the most severe tasks come first, among these the oldest', async () => {
  const held = await mine.held();
  await waitSince(held.id, '2026-01-01T00:00:00Z');
  const wrong = await mine.held({ source_text: 'wrong', target_lang: 'de' });
  await waitSince(wrong.id, '2026-01-03T00:00:00Z');
  const older = await mine.held({ source_text: 'wrong', target_lang: 'es' });
  await waitSince(older.id, '2026-01-02T00:00:00Z');
  await document(['doubtful']);
  await document(['wrong']);
  const { tasks } = await inbox();
  const names = tasks.map(({ name, filter }: Fields) => name ?? (filter as Fields)['target_lang']);
  expect(names).toEqual(['es', 'de', 'wrong.xlsx', 'doubtful.xlsx', 'fr']);
});

test('a task shows who works on it, and whether the member has opened it', async () => {
  const { id } = await mine.held();
  const file = await document(['Hello']);
  const [one, two] = [await mine.join(), await mine.join()];
  for (const item of [
    { kind: 'job', id },
    { kind: 'document', id: file },
  ]) {
    await mine.call('reviews.claim', item, one);
    await mine.call('reviews.claim', { ...item, opened: true }, two);
  }
  const both = { holders: [one.email, two.email], is_claimed: false, is_opened: false };
  expect((await inbox()).tasks).toMatchObject([both, both]);
  const own = { holders: [one.email], is_claimed: true, is_opened: true };
  expect((await inbox(two)).tasks).toMatchObject([own, own]);
  await mine.sql()`update review_claims set expires_at = now() where tenant_id = ${mine.founder.tenantId}`;
  const after = { holders: [], is_claimed: false, is_opened: true };
  expect((await inbox(two)).tasks).toMatchObject([after, after]);
});
