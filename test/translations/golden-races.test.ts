import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { startWorkers } from '#workers/run.ts';
import { breakGoldenStore, manifestLinesOf, recordsOf } from './golden-files.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', STALE_PENDING_SECONDS: '20', SWEEP_INTERVAL_SECONDS: '1' },
});

let mine: Workspace;
beforeEach(async () => {
  mine = await openWorkspace(app);
});

const held = (source_text = 'Hello') => mine.job({ source_text, metadata: { sensitive: true } });

describe('B 4.1: a deletion concurrent with a publication', () => {
  test('leaves no record, in either order', async () => {
    for (let round = 0; round < 2; round++) {
      const job = await held();
      const [removed, ...reviews] = await Promise.all([
        mine.remove(job.id, mine.admin),
        ...Array.from({ length: 5 }, () => mine.review(job.id, { action: 'approve' })),
      ]);
      expect(removed!.status).toBe(200);
      for (const { status } of reviews) expect([200, 400, 404]).toContain(status);
      expect((await mine.get(job.id)).status).toBe(404);
      // A task may remove what is left over; the workers run.
      const workers = await startWorkers(app.services, () => app.databaseUrl);
      try {
        await poll(async () => (await recordsOf(app, mine, job.id)).length === 0);
      } finally {
        await workers.stop();
      }
    }
  });

  test('of a job in persistence_failed leaves nothing for the sweep', async () => {
    const job = await held('pending persistence, then gone');
    await mine.job();
    const mend = await breakGoldenStore(app, mine);
    try {
      await mine.review(job.id, { action: 'approve' });
      expect((await mine.read(job.id)).status).toBe('persistence_failed');
      const { status, body } = await mine.remove(job.id, mine.admin);
      expect([status, body.deleted]).toEqual([200, true]);
    } finally {
      await mend();
    }
    const other = await held();
    const again = await breakGoldenStore(app, mine);
    await mine.review(other.id, { action: 'approve' });
    await again();
    const workers = await startWorkers(app.services, () => app.databaseUrl);
    try {
      // The sweep ran: it has published the other one.
      await poll(async () => (await mine.read(other.id)).status === 'published');
    } finally {
      await workers.stop();
    }
    expect(await recordsOf(app, mine, job.id)).toEqual([]);
    expect((await mine.get(job.id)).status).toBe(404);
  });

  test('B 4.1: a published job can be deleted while the store is out of reach', async () => {
    const job = await mine.job();
    const mend = await breakGoldenStore(app, mine);
    try {
      expect((await mine.remove(job.id, mine.admin)).status).toBe(200);
      expect((await mine.get(job.id)).status).toBe(404);
    } finally {
      await mend();
    }
  });
});

describe('C 7: concurrent approvals while the store is down', () => {
  test('one gets 502 and its job persistence_failed, the others are 400; the sweep publishes it once', async () => {
    const job = await held();
    await mine.job();
    const mend = await breakGoldenStore(app, mine);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => mine.review(job.id, { action: 'approve' })),
    );
    await mend();
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(400), 502]);
    expect((await mine.read(job.id)).status).toBe('persistence_failed');
    // Two processes of workers, which both sweep.
    const workers = await Promise.all([
      startWorkers(app.services, () => app.databaseUrl),
      startWorkers(app.services, () => app.databaseUrl),
    ]);
    try {
      await poll(async () => (await mine.read(job.id)).status === 'published');
    } finally {
      await Promise.all(workers.map((each) => each.stop()));
    }
    expect(await recordsOf(app, mine, job.id)).toHaveLength(1);
    expect(await manifestLinesOf(app, mine, job.id)).toHaveLength(1);
    expect((await mine.usage()).filter(({ job_id }) => job_id === job.id)).toHaveLength(1);
  });
});
