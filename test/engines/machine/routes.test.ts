import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { tokenLimitOf } from '#server/billing/metering/token-limit.ts';
import { AppError } from '#server/errors.ts';
import { selectModels } from '#server/platform/engines/select.ts';
import { refuseContradictions } from '#server/platform/process-settings.ts';
import { redactSettings } from '#server/settings/environment.ts';
import { readSettings } from '#server/settings.ts';
import { protectText } from '#server/translation/pipeline/protected-words.ts';
import { readSourceText } from '#server/translation/pipeline/source-text.ts';
import { RunError, runPipeline } from '#server/translation/pipeline/text-run.ts';
import type { TextRequest } from '#server/translation/request.ts';
import { completion, failure, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { startTranslator } from '#test/fakes/translators.ts';
import { bread, cat, good, translate } from '#test/translations/live.ts';

const [deepl, azure, apertium, chat] = await Promise.all([
  startTranslator('deepl'),
  startTranslator('azure'),
  startTranslator('apertium'),
  startFakeOpenAi(),
]);
const fakes = [deepl, azure, apertium];
afterAll(() => Promise.all([...fakes, chat].map((fake) => fake.close())));
beforeEach(() => {
  for (const fake of fakes) {
    fake.reset();
    fake.translateWith(translate);
  }
  chat.requests.length = 0;
  chat.otherwise(good);
});

const key = 'hunter2';
const engines = {
  deepl: { kind: 'deepl', api_key: key, url: deepl.url },
  azure: { kind: 'azure', api_key: key, url: azure.url },
  apertium: { kind: 'apertium', url: apertium.url },
};
const model = {
  kind: 'openai',
  api_key: key,
  url: chat.baseUrl,
  model: 'writer-1',
  refiner_model: 'judge-1',
};

const environment = (setting: object, env: Record<string, string> = {}) => ({
  ENGINES: JSON.stringify({ engines, ...setting }),
  OPENAI_MAX_RETRIES: '0',
  ...env,
});

/** Runs the pipeline for a text, with the engines in the setting. */
async function run(setting: object, more: Partial<TextRequest> = {}, env: Record<string, string> = {}) {
  const settings = readSettings(environment(setting, env));
  refuseContradictions(settings, { api: true });
  const { engine } = await selectModels(settings, { protect: protectText });
  return runPipeline(engine, { ...plain, ...more }, { tenantId: 'tenant-1' });
}

const plain: TextRequest = {
  ...{ source_text: cat, source_lang: 'en', target_lang: 'de', text_type: 'Plain' },
  ...{ domain: null, tone: null, gender: null, metadata: {} },
};

const asked = () => fakes.filter(({ requests }) => requests.length > 0).map(({ kind }) => kind);

async function refused(running: Promise<unknown>): Promise<AppError> {
  const thrown = await running.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(RunError);
  const { cause } = thrown as RunError;
  expect(cause).toBeInstanceOf(AppError);
  return cause as AppError;
}

describe('without a language model', () => {
  test('the checks alone give the score, and a reason of the gate is that no model has judged', async () => {
    const { status, agentRun, quality_assessment, cost } = await run({});
    expect(status).toBe('awaiting_review');
    expect(agentRun.quality_gate).toMatchObject({
      score: 100,
      triggers: [{ code: 'policy_required', severity: 'blocking' }],
      reasons: [expect.stringContaining('no language model has judged the translation')],
    });
    expect(quality_assessment).toMatchObject({
      model: null,
      summary: expect.stringContaining('no language model'),
    });
    expect(cost.models).toEqual(['deepl']);
  });

  test('with without_judge "checks", a translation without findings is published with a warning', async () => {
    const { status, agentRun } = await run({ without_judge: 'checks' });
    expect(status).toBe('published');
    expect(agentRun.quality_gate?.triggers).toEqual([{ code: 'policy_required', severity: 'warning' }]);
  });

  test('a lost placeholder blocks also then, lowers the score, and nothing is repaired', async () => {
    deepl.translateWith(() => 'Mein Bruder backt jeden Morgen frisches Brot.');
    const source_text = 'My brother {name} bakes fresh bread every morning.';
    const { status, agentRun, refinement } = await run({ without_judge: 'checks' }, { source_text });
    expect(status).toBe('awaiting_review');
    expect(agentRun.quality_gate?.score).toBeLessThan(85);
    expect(agentRun.quality_gate?.metadata).toMatchObject({ verification_passed: false });
    expect(agentRun.quality_gate?.reasons.join()).toContain('{name}');
    expect(refinement?.rounds).toBe(0);
  });
});

describe('with a language model', () => {
  test('it judges and repairs what a translation service has made', async () => {
    deepl.translateWith(() => 'Mein Bruder backt jeden Morgen frisches Brot.');
    const mended = 'Mein Bruder {name} backt jeden Morgen frisches Brot.';
    chat.otherwise(translatingReply({ repair: () => mended }));
    const source_text = 'My brother {name} bakes fresh bread every morning.';
    const { status, final_translation, cost } = await run(
      { engines: { ...engines, writer: model } },
      { source_text },
    );
    expect([status, final_translation]).toEqual(['published', mended]);
    expect(cost.models).toEqual(['deepl', 'judge-1']);
    expect(chat.requests.map(({ body }) => body.model)).not.toContain('writer-1');
  });

  test('it can be one of Anthropic', async () => {
    const writer = {
      kind: 'anthropic',
      api_key: key,
      url: new URL(chat.baseUrl).origin,
      model: 'claude-1',
      refiner_model: 'claude-2',
    };
    const setting = { engines: { ...engines, writer }, routes: [{ use: ['writer'] }] };
    const { status, cost } = await run(setting);
    expect([status, cost.models]).toEqual(['published', ['claude-1', 'claude-2']]);
  });

  test('OPENAI_API_KEY is the engine openai, which judges, and translates what no route names', async () => {
    const env = {
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: chat.baseUrl,
      OPENAI_MODEL: 'm',
      OPENAI_REFINER_MODEL: 'r',
    };
    const routes = [{ to: 'de', use: ['deepl'] }];
    expect((await run({ routes }, {}, env)).cost.models).toEqual(['deepl', 'r']);
    expect((await run({ routes }, { target_lang: 'fr' }, env)).cost.models).toContain('m');
  });

  test('a caller can name an engine, and any other name is a model of the judge', async () => {
    const setting = { engines: { ...engines, writer: model } };
    const models = async (primary_model: string) =>
      (await run(setting, { metadata: { primary_model } })).cost.models;
    expect(await models('azure')).toEqual(['azure', 'judge-1']);
    expect(await models('another-1')).toEqual(['another-1', 'judge-1']);
    chat.requests.length = 0;
    const only = { ...setting, routes: [{ use: ['deepl'] }] };
    expect((await run(only, { metadata: { primary_model: 'azure' } })).cost.models).toEqual([
      'azure',
      'judge-1',
    ]);
    // It is the name of a model there, not of the engine.
    expect(chat.requests[0]?.body.model).toBe('azure');
    expect(azure.requests).toHaveLength(1);
  });
});

describe('routes', () => {
  const routes = [
    { from: 'en', to: ['de', 'fr'], domain: 'Marketing', use: ['azure'] },
    { text_type: 'Html', use: ['apertium'] },
    { use: ['deepl'] },
  ];
  test.each([
    ['the domain and the pair', { domain: 'marketing ' }, 'azure'],
    ['another domain', { domain: 'travel' }, 'deepl'],
    ['another language', { domain: 'marketing', target_lang: 'es' }, 'deepl'],
    ['the text type', { text_type: 'Html' as const }, 'apertium'],
  ])('the first that matches counts: %s', async (_, more, kind) => {
    await run({ routes }, more);
    expect(asked()).toEqual([kind]);
  });

  test.each(['busy', 'outage', 'refused', 'unknownPair'] as const)(
    'the next engine translates after %s',
    async (cause) => {
      deepl.enqueue(deepl.failing(cause));
      expect((await run({})).cost.models).toEqual(['azure']);
      expect(asked()).toEqual(['deepl', 'azure']);
    },
  );

  test('the next engine translates after a refusal of the content', async () => {
    chat.otherwise(completion({ content: null, refusal: 'I cannot help with that.' }));
    const setting = { engines: { writer: model, ...engines }, routes: [{ use: ['writer', 'azure'] }] };
    await refused(run(setting));
    // The judge is the same model, so the run fails there; the translation has come from the other engine.
    expect(asked()).toEqual(['azure']);
    chat.otherwise(failure(500));
    await refused(run(setting));
    expect(asked()).toEqual(['azure']);
  });

  test('an engine that has a next one is asked at most twice', async () => {
    deepl.enqueue(...Array.from({ length: 5 }, () => deepl.failing('outage')));
    expect((await run({}, {}, { OPENAI_MAX_RETRIES: '3' })).cost.models).toEqual(['azure']);
    expect(deepl.requests).toHaveLength(2);
  });

  test('an engine that has failed three times in a row is left out', async () => {
    const settings = readSettings(environment({ without_judge: 'checks' }));
    const { engine } = await selectModels(settings);
    const { task } = readSourceText({ ...plain, source_text: bread });
    deepl.enqueue(...Array.from({ length: 3 }, () => deepl.failing('outage')));
    for (let attempt = 0; attempt < 5; attempt++) await engine.translate(task, { tenantId: 't' });
    expect(deepl.requests).toHaveLength(3);
    expect(azure.requests).toHaveLength(5);
  });

  test('an outage stays one that a repeat may end, when its engine is left out and the others lack the languages', async () => {
    const settings = readSettings(environment({ routes: [{ use: ['deepl', 'azure'] }] }));
    const { engine } = await selectModels(settings);
    const { task } = readSourceText({ ...plain, source_text: bread });
    for (let attempt = 0; attempt < 5; attempt++) {
      deepl.enqueue(deepl.failing('outage'));
      azure.enqueue(azure.failing('unknownPair'));
      await expect(engine.translate(task, { tenantId: 't' })).rejects.toMatchObject({
        code: 'transient_error',
      });
    }
  });

  test('without a language model, candidates are not made: they would be the same translation again', async () => {
    await run({ routes: [{ use: ['deepl'] }] }, { metadata: { candidate_models: ['a', 'b'] } });
    expect(deepl.requests).toHaveLength(1);
  });

  test('the error of a chain is one that a repeat may end', async () => {
    deepl.enqueue(deepl.failing('busy'));
    azure.enqueue(azure.failing('refused'));
    apertium.enqueue(apertium.failing('unknownPair'));
    expect((await refused(run({}))).code).toBe('rate_limit');
    for (const fake of fakes) fake.enqueue(fake.failing('unknownPair'));
    const error = await refused(run({}));
    expect([error.code, error.message]).toEqual([
      'validation_error',
      'no engine of this service translates from English to German',
    ]);
  });
});

describe('ENGINES', () => {
  const refusal = (setting: object, env: Record<string, string> = {}) => {
    try {
      refuseContradictions(readSettings(environment(setting, env)), { api: true });
    } catch (error) {
      return (error as Error).message;
    }
    return null;
  };
  test.each([
    [
      { engines: { x: { kind: 'deep' } } },
      'engines.x.kind: must be openai, anthropic, deepl, azure, google, libretranslate or apertium',
    ],
    [{ engines: { x: { kind: 'deepl' } } }, 'engines.x.api_key: is required'],
    [
      { engines: { x: { kind: 'apertium', url: 'ftp://x' } } },
      'engines.x.url: must be a URL that starts with http:// or https://',
    ],
    [{ engines: {} }, 'engines: must not be empty'],
    [{ routes: [{ use: ['deepl'], to: 'klingon' }] }, 'routes.0.to: has the unknown language klingon'],
    [{ routes: [{ use: [] }] }, 'routes.0.use: must not be empty'],
    [{ routes: [{ use: ['claude'] }] }, 'routes use claude, which is not in engines'],
    [{ judge: 'deepl' }, 'judge is deepl, which must be an engine of the kind openai or anthropic'],
    [{ without_judge: 'no' }, 'without_judge: must be review or checks'],
  ])('%j is rejected with its field', (setting, message) => {
    expect(refusal(setting)).toContain(message);
    expect(refusal(setting)).toMatch(/^ENGINES: /);
  });

  test('a name that OPENAI_API_KEY has is rejected', () => {
    expect(refusal({ engines: { openai: model } }, { OPENAI_API_KEY: key })).toContain('needs another name');
    expect(refusal({ routes: [{ use: ['openai'] }] }, { OPENAI_API_KEY: key })).toBeNull();
  });

  test('the daily limit of tokens counts for language models, also for those of ENGINES', () => {
    const limitOf = (setting: object) =>
      tokenLimitOf(readSettings(environment(setting, { WORKSPACE_LIMITS: '{"tokens_per_day":7}' })));
    expect([limitOf({}), limitOf({ engines: { model } })]).toEqual([null, 7]);
  });

  test('keys are not logged', () => {
    const logged = JSON.stringify(
      redactSettings(readSettings(environment({ engines: { ...engines, model } }))),
    );
    expect(logged).not.toContain(key);
    expect(logged).toContain(deepl.url);
  });
});
