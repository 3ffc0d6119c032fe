import { afterEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { startWorkers } from '#workers/run.ts';
import { breakGoldenStore, manifestLinesOf, recordsOf } from './golden-files.ts';
import { keyed, useWorkspace } from './workspace.ts';

const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', STALE_PENDING_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' },
});

const mine = useWorkspace(app);

let mend: (() => Promise<void>) | undefined;
/** From now on, no published record can be written, until the returned function is called. */
async function breakStore() {
  await mine.job({ source_text: 'The folder is there now' });
  const back = await breakGoldenStore(app, mine);
  mend = async () => {
    mend = undefined;
    await back();
  };
}
afterEach(() => mend?.());

const held = (fields: Record<string, unknown> = {}) => mine.job({ metadata: { sensitive: true }, ...fields });
const request = { source_text: 'The store is down', target_lang: 'fr' };

describe('the golden store holds one full record per published text job (B 8)', () => {
  test('a JSON record below golden/, and its line in the manifest of the day', async () => {
    const job = await mine.job({ source_text: 'A record of its own' });
    expect(job.status).toBe('published');
    expect(job.request.metadata.golden_uri).toContain(job.id);
    const records = await recordsOf(app, mine, job.id);
    expect(records).toHaveLength(1);
    expect(() => JSON.parse(records[0]!.text)).not.toThrow();
    expect(records[0]!.text).toContain('A record of its own');
    expect(records[0]!.text).toContain('[fr] A record of its own');

    const lines = await manifestLinesOf(app, mine, job.id);
    expect(lines).toHaveLength(1);
    expect(lines[0]!.path).toMatch(new RegExp(`^manifest/${job.updated_at.slice(0, 10)}/.+\\.jsonl$`));
    expect(() => JSON.parse(lines[0]!.line)).not.toThrow();
  });

  test('of a reviewed job: the published text of the reviewer, and nothing before', async () => {
    const job = await held();
    expect(await recordsOf(app, mine, job.id)).toEqual([]);
    await mine.review(job.id, { action: 'save', final_translation: 'Brouillon' });
    expect(await recordsOf(app, mine, job.id)).toEqual([]);
    const { body } = await mine.review(job.id, { action: 'modify', final_translation: 'Salut' });
    const records = await recordsOf(app, mine, job.id);
    expect(records).toHaveLength(1);
    expect(records[0]!.text).toContain('Salut');
    expect(body.request.metadata.golden_uri).toEqual(expect.any(String));
    const [line] = await manifestLinesOf(app, mine, job.id);
    expect(JSON.parse(line!.line).status).toBe('human_edited');
  });
});

describe('a golden record that cannot be written fails closed (B 3.1)', () => {
  test('of an autonomous job: 502 persistence_failed; the translation is kept, readable and billed', async () => {
    await breakStore();
    const { status, body, headers } = await mine.submit(request, keyed('k'));
    expect([status, body.error_code]).toEqual([502, 'persistence_failed']);
    expect(body.request_id).toBe(headers.get('x-request-id'));
    const [job] = await mine.list();
    expect(job).toMatchObject({
      status: 'persistence_failed',
      final_translation: '[fr] The store is down',
      agent_run: { quality_gate: { decision: 'pass' } },
    });
    expect(job.request.metadata).not.toHaveProperty('golden_uri');
    expect((await mine.golden(job.id)).status).toBe(409);
    expect((await mine.usage()).map(({ job_id }) => job_id)).toContain(job.id);
  });

  test('of a review: 502, the reviewer’s text is final, the task completed; it is no longer reviewable', async () => {
    const job = await held();
    await breakStore();
    const answer = await mine.review(job.id, {
      action: 'modify',
      final_translation: 'Salut',
      reviewer: 'Rita',
    });
    expect([answer.status, answer.body.error_code]).toEqual([502, 'persistence_failed']);
    const unpersisted = await mine.read(job.id);
    expect(unpersisted).toMatchObject({
      status: 'persistence_failed',
      final_translation: 'Salut',
      agent_run: { human_review_task: { status: 'completed', completed_by: 'Rita' } },
    });
    const second = await mine.review(job.id, { action: 'approve' });
    expect([second.status, second.body.error_code]).toEqual([400, 'validation_error']);
    expect((await mine.usage()).filter(({ job_id }) => job_id === job.id)).toHaveLength(1);
  });

  test('in a batch it is that item’s error; the retry returns its job and continues', async () => {
    await breakStore();
    const batch = {
      inputs: ['One', 'Two'].map((Text) => ({ Text, Targets: [{ Language: 'fr' }] })),
    };
    const first = await mine.submit(batch, keyed('b'));
    expect([first.status, first.body.error_code]).toEqual([502, 'persistence_failed']);
    expect(
      (await mine.list()).filter(({ status }: { status: string }) => status === 'persistence_failed'),
    ).toHaveLength(1);
    await mend?.();
    const again = await mine.submit(batch, keyed('b'));
    expect(again.body.map(({ status }: { status: string }) => status)).toEqual([
      'persistence_failed',
      'published',
    ]);
  });
});

describe('the sweep retries jobs whose golden record could not be written (C 7)', () => {
  test('once the store works: published, or human_edited, with record and line, billed once', async () => {
    const modified = await held();
    const approved = await held();
    await breakStore();
    await mine.submit(request);
    await mine.review(modified.id, { action: 'modify', final_translation: 'Salut' });
    await mine.review(approved.id, { action: 'approve' });
    const [autonomous] = (await mine.list()).filter(
      ({ request: { source_text } }: { request: { source_text: string } }) =>
        source_text === request.source_text,
    );
    const billed = await mine.usage();
    await mend?.();

    const workers = await startWorkers(app.services, () => app.databaseUrl);
    try {
      for (const [id, status] of [
        [autonomous.id, 'published'],
        [modified.id, 'human_edited'],
        [approved.id, 'published'],
      ])
        await poll(async () => (await mine.read(id)).status === status);
    } finally {
      await workers.stop();
    }
    for (const id of [autonomous.id, modified.id, approved.id]) {
      expect(await recordsOf(app, mine, id)).toHaveLength(1);
      expect(await manifestLinesOf(app, mine, id)).toHaveLength(1);
      expect((await mine.read(id)).request.metadata.golden_uri).toEqual(expect.any(String));
      expect((await mine.golden(id)).status).toBe(200);
    }
    expect((await recordsOf(app, mine, modified.id))[0]!.text).toContain('Salut');
    expect(await mine.usage()).toEqual(billed);
  });

  test('while it does not, they stay as they are, and the sweep continues', async () => {
    await breakStore();
    await mine.submit(request);
    const [unpersisted] = await mine.list();
    // The task reports its result at the end of the attempt.
    const tried: unknown[] = [];
    const log = {
      ...quiet,
      info: (fields: object) => void tried.push((fields as { tenant_id?: string }).tenant_id),
    };
    const workers = await startWorkers({ ...app.services, log }, () => app.databaseUrl);
    try {
      await poll(async () => tried.includes(mine.tenantId));
      expect((await mine.read(unpersisted.id)).status).toBe('persistence_failed');
      await mend?.();
      await poll(async () => (await mine.read(unpersisted.id)).status === 'published');
    } finally {
      await workers.stop();
    }
    expect(await recordsOf(app, mine, unpersisted.id)).toHaveLength(1);
  });
});

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
