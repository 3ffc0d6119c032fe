import { beforeEach, describe, expect, test } from 'vitest';
import { failure, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { bread, cat, german, good, liveEngine, models, translate } from './live.ts';
import { keyed, useWorkspace } from './workspace.ts';

const fake = await useFakeOpenAi();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: liveEngine(fake) });

const mine = useWorkspace(app);
beforeEach(() => {
  fake.otherwise(good);
  fake.requests.length = 0;
});

const usage = { prompt_tokens: 918_273, completion_tokens: 645_321 };
const expensive = { translate, usage };
const german2 = 'Auf der warmen Fensterbank schläft die Katze am Nachmittag.';

/** Sentences of the instructions that are too long to occur by chance. */
function instructions(): string[] {
  const system = fake.requests.map(({ body }) => body.messages[0]!.content);
  return [...new Set(system.flatMap((text) => text.split(/(?<=[.:])\s|\n/)))].filter(
    ({ length }) => length > 40,
  );
}

/** Expects that a response to a tenant contains no fields for operators. */
function expectSecretsKept(shown: unknown) {
  const text = JSON.stringify(shown);
  for (const name of Object.values(models)) expect(text).not.toContain(name);
  for (const key of ['candidate_models', 'primary_model', 'tokens"', 'token_usage', '"model"', '"models"'])
    expect(text).not.toContain(key);
  for (const count of ['918273', '645321', '1563594', '918,273']) expect(text).not.toContain(count);
  expect(text).not.toContain('sk-test');
  expect(text).not.toContain(fake.baseUrl);
  expect(instructions().length).toBeGreaterThan(3);
  for (const sentence of instructions()) expect(text).not.toContain(JSON.stringify(sentence).slice(1, -1));
}

async function expectSecretsKeptOf(id: string) {
  expectSecretsKept((await mine.get(id)).body);
  expectSecretsKept((await mine.get(id, mine.admin)).body);
  expectSecretsKept(await mine.list());
  const input = encodeURIComponent(JSON.stringify({ json: { job_id: id } }));
  expectSecretsKept(
    (await app.json('GET', `/trpc/translations.get?input=${input}`, { headers: mine.headers })).body,
  );
}

describe('a tenant sees no models, tokens or prompts (B 2.2)', () => {
  const metadata = { candidate_models: [models.extra], debate_rounds: 2, min_quality_score: 90 };

  test('of a job that went through every step, on any route', async () => {
    fake.otherwise(
      translatingReply({
        ...expensive,
        translate: (text, _lang, asked) => (asked.model === models.extra ? german2 : german[text]!),
        score: (asked) =>
          asked.data.segments.some(({ translation }) => translation === german[cat]) ? 50 : 95,
        repair: () => german2,
      }),
    );
    const { status, body } = await mine.submit({ source_text: cat, target_lang: 'de', metadata });
    expect(status).toBe(200);
    expectSecretsKept(body);
    await expectSecretsKeptOf(body.id);
  });

  test('of a held job, its review, and its batch', async () => {
    fake.otherwise(translatingReply({ ...expensive, score: 20 }));
    const { body: job } = await mine.submit({ source_text: cat, target_lang: 'de', metadata });
    expect(job.status).toBe('awaiting_review');
    expectSecretsKept(job);
    const { body: saved } = await mine.review(job.id, { action: 'save', final_translation: german2 });
    expectSecretsKept(saved);
    const { body: done } = await mine.review(job.id, { action: 'approve' }, mine.admin);
    expect(done.status).toBe('human_edited');
    expectSecretsKept(done);
    await expectSecretsKeptOf(job.id);
    const { body: batch } = await mine.submit({ inputs: [{ Text: bread, Targets: [{ Language: 'de' }] }] });
    expectSecretsKept(batch);
  });

  test('of a failed job: neither the response nor the job reveals the upstream’s words', async () => {
    await mine.job({ source_text: cat, target_lang: 'de' });
    const message = `upstream-detail-zq99 about ${models.translator} at ${fake.baseUrl}`;
    for (const status of [400, 401, 404, 429, 500]) {
      fake.otherwise(failure(status, { message, code: 'code-zq98' }));
      const answer = await mine.submit(
        // Each request needs another text, because a repeated text would be served from the TM.
        { source_text: `${cat} ${status}`, target_lang: 'de', metadata },
        keyed(`k${status}`),
      );
      expect(answer.status).toBeGreaterThanOrEqual(400);
      for (const shown of [answer.body, await mine.list()]) {
        expectSecretsKept(shown);
        expect(JSON.stringify(shown)).not.toMatch(/zq9[89]/);
      }
    }
  });
});
