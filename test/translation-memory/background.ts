import { expect } from 'vitest';
import type { TestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { startWorkers } from '#workers/run.ts';
import type { Answer, Sets } from './sets.ts';

/** Workers of the application for the duration of `work`: without them an import stays running. */
export async function withWorkers<T>(app: TestApp, work: () => Promise<T>): Promise<T> {
  const workers = await startWorkers(app.services, () => app.databaseUrl);
  try {
    return await work();
  } finally {
    await workers.stop();
  }
}

/** Checks the shape of a 202 and returns its job (B 2.9, 4.5). */
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

/** Waits for an import to end, and returns it. */
export const ended = (mine: Sets, id: string) =>
  poll(async () => {
    const { status, body } = await mine.importOf(id);
    expect(status).toBe(200);
    return body.job.status !== 'running' && body.job;
  }, 25);
