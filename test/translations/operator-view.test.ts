import { beforeAll, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';

const operatorKey = 'the-operator-key-of-this-deployment';
const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey },
  engine: engineOf(async () => answered(['Bonjour'], 7)),
});

let tenant: Signup;
let id: string;
beforeAll(async () => {
  tenant = await app.signUp();
  const { body } = await app.json('POST', '/api/translations', {
    headers: tenant.headers,
    body: { source_text: 'Hello', target_lang: 'fr', metadata: { candidate_models: ['other'] } },
  });
  id = body.id;
});

const read = (headers: Record<string, string>) => app.json('GET', `/api/translations/${id}`, { headers });
const bearer = () => ({ authorization: `Bearer ${tenant.accessToken}` });

test('the operator key next to a tenant’s token shows the whole job, on every route', async () => {
  const operator = { ...bearer(), 'x-api-key': operatorKey };
  const { body } = await read(operator);
  expect(body.quality_assessment.model).toBe('model');
  expect(body.request.metadata.candidate_models).toEqual(['other']);
  const [baseline] = body.agent_run.steps;
  expect(baseline.metadata).toMatchObject({ models: ['model'], input_tokens: 7, output_tokens: 7 });
  const debate = body.agent_run.steps.find(({ name }: { name: string }) => name === 'debate');
  expect(debate.metadata.losers).toHaveLength(1);
  const list = await app.json('GET', '/api/translations', { headers: operator });
  expect(list.body[0].agent_run.steps[0].metadata.models).toEqual(['model']);
});

test('the job, its list entry and /trpc are the same', async () => {
  const { body: job } = await read(tenant.headers);
  const list = await app.json('GET', '/api/translations', { headers: tenant.headers });
  expect(list.body).toEqual([job]);
  const input = encodeURIComponent(JSON.stringify({ json: { job_id: id } }));
  const rpc = await app.json('GET', `/trpc/translations.get?input=${input}`, { headers: tenant.headers });
  expect(rpc.body.result.data.json).toEqual(job);
});
