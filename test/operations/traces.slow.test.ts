import type { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { isObserved, observe, traceIfRegistered } from '#server/platform/telemetry.ts';
import { connect } from '#test/setup/app.ts';
import { createTestDatabase } from '#test/setup/database.ts';
import { launch, testFolder } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';

const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

interface EndedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentId?: string;
  attributes: Record<string, unknown>;
  status?: { code: number; message?: string };
}

/** Starts the service with a tracing SDK, as an operator would register it. Returns the spans that have ended. */
async function startTraced() {
  const database = await createTestDatabase();
  const { child, ended, says, address } = launch(
    ['--import', './test/fakes/tracer.ts', 'server/main.ts'],
    { DATABASE_URL: database.url, DATA_DIR: await testFolder(), SECRETS_KEY, TRACE_FD: '3' },
    { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] },
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await database.drop();
  });
  let traced = '';
  (child.stdio[3] as Readable).setEncoding('utf8').on('data', (chunk: string) => {
    traced += chunk;
  });
  await says('LinguaLoop listens on');
  return {
    ...connect(address()),
    text: () => traced,
    spans: () =>
      traced
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as EndedSpan),
  };
}

test('a request is one trace: of its caller, with its steps, engine calls, transactions and storage writes', async () => {
  const service = await startTraced();
  const { headers, tenantId } = await service.signUp();
  const traceId = 'a'.repeat(32);
  const caller = { traceparent: `00-${traceId}-${'b'.repeat(16)}-01` };
  const body = { source_text: 'A sentence that no span may have', target_lang: 'fr' };
  const { status } = await service.json('POST', '/api/translations', {
    headers: { ...headers, ...caller },
    body,
  });
  expect(status).toBe(200);
  const isRequest = ({ name }: EndedSpan) => name === 'POST /api/translations';
  await poll(async () => service.spans().some(isRequest));

  const spans = service.spans().filter((span) => span.traceId === traceId);
  const request = spans.find(isRequest);
  expect(request).toMatchObject({
    parentId: 'b'.repeat(16),
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/translations',
      'http.response.status_code': 200,
      'lingualoop.procedure': 'translations.create',
      'lingualoop.tenant_id': tenantId,
    },
  });
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const ancestors = (span: EndedSpan): string[] => {
    const parent = byId.get(span.parentId ?? '');
    return parent ? [parent.name, ...ancestors(parent)] : [];
  };
  const find = (name: string) => spans.find((span) => span.name === name) as EndedSpan;
  for (const name of [
    'transaction api',
    'engine translate',
    'engine verify',
    'storage put',
    'step quality_gate',
  ])
    expect(ancestors(find(name)), name).toContain('POST /api/translations');
  // A call to the engine is inside the span of its step.
  expect(ancestors(find('engine translate'))[0]).toMatch(/^step /);
  expect(service.text()).not.toContain('no span may have');
});

test('a failed request is an error of its trace, without words of a caller', async () => {
  const service = await startTraced();
  const { status } = await service.json('POST', '/trpc/translations.create', {
    headers: { 'x-api-key': 'never-traced' },
    body: { json: { source_text: 'never-traced', target_lang: 'fr' } },
  });
  expect(status).toBe(401);
  const failed = await poll(async () => service.spans().find(({ name }) => name === 'POST /trpc/:path'));
  expect(failed.attributes).toMatchObject({
    'error.type': 'unauthenticated',
    'http.response.status_code': 401,
    'lingualoop.procedure': 'translations.create',
  });
  expect(service.text()).not.toContain('never-traced');
});

test('without an SDK and without metrics nothing is wrapped: the work itself is called', async () => {
  expect(traceIfRegistered()).toBe(false);
  expect(isObserved()).toBe(false);
  const promise = Promise.resolve(1);
  expect(observe('step', 'any', () => promise)).toBe(promise);
});
