import { expect, onTestFinished, test, vi } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { env, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';

const app = useTestApp({ env });

const content = (text: string) => Buffer.from(text).toString('base64');

/** The requests that read whole files and look up all of their texts. */
const doors: Record<string, (person: Person) => Promise<{ status: number }>> = {
  'an estimate of a file': ({ bearer }) => {
    const body = new FormData();
    body.set('source_document', new File(['{"a": "Hello there."}'], 'a.json'));
    body.set('target_lang', 'de');
    body.set('dry_run', 'true');
    return app.request('/api/documents/translate', { method: 'POST', headers: bearer, body });
  },
  'an estimate of texts': ({ bearer: headers }) =>
    app.json('POST', '/api/translations', {
      headers,
      body: { source_text: 'Hello there.', target_lang: 'de', dry_run: true },
    }),
  'an alignment': ({ bearer: headers }) =>
    viaRpc(
      app,
      { path: 'memory.align', type: 'mutation' },
      {
        input: {
          source_file: { file_name: 'a.txt', content: content('Hello there. I have 3 dogs.') },
          target_file: { file_name: 'b.txt', content: content('Hallo du da. Ich habe 3 Hunde.') },
          source_lang: 'en',
          target_lang: 'de',
        },
        headers,
      },
    ),
};

test.each(Object.entries(doors))(
  '%s queues behind those of its workspace, and never behind those of one other workspace',
  async (_, send) => {
    const { fileWork } = app.services;
    const [busy, other] = [await found(app), await found(app)];
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    const scope = { tenantId: busy.tenantId };
    const running = [1, 2, 3].map(() => fileWork.turn(scope, () => held.promise));
    await poll(async () => fileWork.counts.whole.running === 1);
    expect(fileWork.counts.whole).toEqual({ running: 1, waiting: 2 });
    const read = vi.spyOn(fileWork, 'run');
    onTestFinished(() => read.mockRestore());
    const queued = send(busy);
    await poll(async () => fileWork.counts.whole.waiting === 3);
    expect(read).not.toHaveBeenCalled();
    expect((await send(other)).status).toBe(200);
    expect(fileWork.counts.whole).toEqual({ running: 1, waiting: 3 });
    held.resolve();
    await Promise.all(running);
    expect((await queued).status).toBe(200);
  },
);

test('more estimates than may be queued are 429, and another workspace gets its own', async () => {
  const { fileWork } = app.services;
  const [busy, other] = [await found(app), await found(app)];
  const held = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  const outcomes = Array.from({ length: 40 }, () =>
    fileWork
      .turn({ tenantId: busy.tenantId }, () => held.promise)
      .then(
        () => 'done',
        () => 'busy',
      ),
  );
  const estimate = doors['an estimate of a file']!;
  expect((await estimate(busy)).status).toBe(429);
  expect((await estimate(other)).status).toBe(200);
  held.resolve();
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['done', 'busy']));
});
