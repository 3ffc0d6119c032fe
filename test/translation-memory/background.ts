import { afterAll, beforeAll, expect } from 'vitest';
import type { TestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { startWorkers, type Workers } from '#workers/run.ts';
import type { Answer, Sets } from './sets.ts';

/** Runs the application's workers while `work` runs. Without workers, an import stays unfinished. */
export async function withWorkers<T>(app: TestApp, work: () => Promise<T>): Promise<T> {
  const workers = await startWorkers(app.services, () => app.databaseUrl);
  try {
    return await work();
  } finally {
    await workers.stop();
  }
}

/** Runs the application's workers during all tests of the current file: each start takes as long as many jobs. */
export function useWorkers(app: TestApp): void {
  let workers: Workers;
  beforeAll(async () => {
    workers = await startWorkers(app.services, () => app.databaseUrl);
  });
  afterAll(() => workers?.stop());
}

/** Checks the fields of a 202 response, and returns its import job (B 2.9, 4.5). */
export function expectAccepted({ status, body }: Answer) {
  expect([status, Object.keys(body).toSorted()]).toEqual([202, ['job', 'poll_url']]);
  expect(body.job).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    status: 'running',
    error: null,
    result: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  expect(body.poll_url).toBe(`/api/tm/imports/${body.job.id}`);
  return body.job;
}

/** Waits until an import has ended, and returns it. */
export const ended = (mine: Sets, id: string) =>
  poll(async () => {
    const { status, body } = await mine.importOf(id);
    expect(status).toBe(200);
    return body.job.status !== 'running' && body.job;
  }, 25);
