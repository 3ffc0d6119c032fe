import { beforeEach, describe, expect, test } from 'vitest';
import { askedOf, failure } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { cat, good, liveEngine, models } from './live.ts';
import { keyed, openWorkspace, useWorkspace } from './workspace.ts';

const fake = await useFakeOpenAi();
const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const engine = liveEngine(fake);
const listed = useTestApp({ env: { ...env, ALLOWED_MODELS: 'rival-1, rival-2' }, engine });
const unlisted = useTestApp({ env, engine });

const mine = useWorkspace(listed);
beforeEach(() => {
  fake.requests.length = 0;
  fake.otherwise(good);
});

const request = (metadata: object) => ({ source_text: cat, target_lang: 'de', metadata });
const askedModels = () =>
  new Set(fake.requests.filter((one) => askedOf(one).role === 'translation').map(({ body }) => body.model));
const file = (fields: Record<string, string>) => {
  const form = new FormData();
  form.append('source_document', new File([cat], 'cat.txt', { type: 'text/plain' }));
  for (const [name, value] of Object.entries({ target_lang: 'de', ...fields })) form.append(name, value);
  return mine.post(form, {});
};

describe('ALLOWED_MODELS: the models that callers may name', () => {
  test('a model on the list is used', async () => {
    const { status } = await mine.submit(request({ candidate_models: 'rival-1,rival-2' }));
    expect(status).toBe(200);
    expect(askedModels()).toEqual(new Set([models.translator, 'rival-1', 'rival-2']));
    expect((await file({ model: 'rival-2' })).status).toBe(200);
  });

  test.each([
    ['a text', 'rival-1,dear-9'],
    ['a list', ['rival-1', 'dear-9']],
    ['what is no name', 'rival-1,dear 9!'],
  ])(
    'candidate_models with another one is 422, no model is called and no job made (%s)',
    async (_, named) => {
      const { status, body } = await mine.submit(request({ candidate_models: named }));
      expect(status).toBe(422);
      expect(body.detail).toMatch(
        /^candidate_models: the model "dear.9!?" is not available; available models: rival-1, rival-2$/,
      );
      expect(fake.requests).toEqual([]);
      expect(await mine.list()).toEqual([]);
    },
  );

  test('so are both fields of a file, and the text of a document', async () => {
    for (const [field, value] of [
      ['model', 'dear-9'],
      ['candidate_models', 'dear-9'],
    ] as const) {
      const { status, body } = await file({ [field]: value });
      expect([status, body.detail]).toEqual([
        422,
        `${field}: the model "dear-9" is not available; available models: rival-1, rival-2`,
      ]);
    }
    const metadata = { candidate_models: 'dear-9', source_document: { name: 'cat.txt' } };
    expect((await mine.submit(request(metadata))).status).toBe(422);
    expect(fake.requests).toEqual([]);
  });

  test('a failed job whose model has left the list is not run again with it', async () => {
    fake.otherwise(failure(500));
    const body = request({ candidate_models: 'rival-1' });
    const { status } = await mine.submit(body, keyed('k'));
    expect(status).toBe(503);
    await openSuperuser(listed.superuserUrl)`
      update translation_jobs set request = jsonb_set(request, '{metadata,candidate_models}', '"dear-9"')
      where tenant_id = ${mine.tenantId}`;
    fake.requests.length = 0;
    fake.otherwise(good);
    expect((await mine.submit(body, keyed('k'))).status).toBe(422);
    expect(fake.requests).toEqual([]);
  });
});

test('without the list names are not checked', async () => {
  const theirs = await openWorkspace(unlisted);
  expect((await theirs.submit(request({ candidate_models: 'dear-9' }))).status).toBe(200);
  expect(askedModels()).toEqual(new Set([models.translator, 'dear-9']));
});
