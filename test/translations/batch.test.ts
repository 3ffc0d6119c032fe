import { beforeEach, describe, expect, test } from 'vitest';
import { askedOf, failure, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { about, askedRoles, bread, cat, german, good, liveEngine, sentences, train, when } from './live.ts';
import { keyed, openWorkspace, useWorkspace } from './workspace.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const fake = await useFakeOpenAi();

const app = useTestApp({ env, engine: liveEngine(fake) });
const stub = useTestApp({ env });

const mine = useWorkspace(app);
beforeEach(() => {
  fake.otherwise(good);
  fake.requests.length = 0;
});

type Item = Record<string, unknown>;
const to = (...codes: string[]) => codes.map((Language) => ({ Language }));
const item = (Text: string, ...codes: string[]): Item => ({ Text, Targets: to(...codes) });
const texts = (body: { request: { source_text: string } }[]) =>
  body.map(({ request }) => request.source_text);
const ids = (body: { id: string }[]) => body.map(({ id }) => id);

describe('a JSON body with inputs is a batch (B 4.1)', () => {
  test('one job per (input × target), answered as an array in submission order', async () => {
    const at = await openWorkspace(stub);
    const { status, body } = await at.submit({
      inputs: [item('One', 'fr', 'de'), item('Two', 'JA'), item('Three', 'es', 'pt-br', 'fr-CA')],
    });
    expect(status).toBe(200);
    expect(body.map((job: Item) => [job['status'], job['final_translation']])).toEqual(
      ['[fr] One', '[de] One', '[ja] Two', '[es] Three', '[pt-BR] Three', '[fr-CA] Three'].map((text) => [
        'published',
        text,
      ]),
    );
    expect(new Set(ids(body)).size).toBe(6);
  });

  test('each job is readable, listed and billed as a job of its own', async () => {
    const { body } = await mine.submit({ inputs: [item(cat, 'de'), item(bread, 'de')] });
    for (const job of body) expect(await mine.read(job.id)).toEqual(job);
    expect(ids(await mine.list()).toSorted()).toEqual(ids(body).toSorted());
    expect(await mine.usage()).toMatchObject([
      { job_id: body[0].id, billable_chars: cat.length },
      { job_id: body[1].id, billable_chars: bread.length },
    ]);
  });
});

describe('the fields of an item (B 2.5)', () => {
  test('Language is the source language, en without it, normalized', async () => {
    const at = await openWorkspace(stub);
    const { body } = await at.submit({
      inputs: [item('One', 'de'), { ...item('Deux', 'de'), Language: 'FR-ca' }],
    });
    expect(body.map((job: Item) => (job['request'] as Item)['source_lang'])).toEqual(['en', 'fr-CA']);
  });

  test('TextType belongs to the input: Plain unless it is Html', async () => {
    const at = await openWorkspace(stub);
    const markup = '<p>Hello</p>';
    const { body } = await at.submit({
      inputs: [
        { ...item(markup, 'fr', 'de'), TextType: 'Html' },
        { ...item(markup, 'fr'), TextType: 'Plain' },
        item(markup, 'fr'),
      ],
    });
    expect(body.map((job: Item) => job['final_translation'])).toEqual([
      '<p>[fr] Hello</p>',
      '<p>[de] Hello</p>',
      `[fr] ${markup}`,
      `[fr] ${markup}`,
    ]);
    expect(body[0].request.text_type).toBe('Html');
  });

  test('Tone and Gender belong to the target, and reach the engine with it', async () => {
    const { status, body } = await mine.submit({
      inputs: [
        // Three languages, because a text that was published in one language is served from the TM, whatever its tone.
        {
          Text: cat,
          Targets: [
            { Language: 'de', Tone: 'formal', Gender: 'feminine' },
            { Language: 'nl' },
            { Language: 'da', Tone: null, Gender: 'masculine' },
          ],
        },
      ],
    });
    expect(status).toBe(200);
    expect(body.map(({ request }: { request: Item }) => [request['tone'], request['gender']])).toEqual([
      ['formal', 'feminine'],
      [null, null],
      [null, 'masculine'],
    ]);
    // The jobs run at the same time, so their requests come in any order.
    const asked = new Map(
      fake.requests
        .filter((request) => askedOf(request).role === 'translation')
        .map((request) => [askedOf(request).data.target_lang.code, JSON.stringify(request.body.messages)]),
    );
    expect(['formal', 'feminine'].every((word) => asked.get('de')?.includes(word))).toBe(true);
    expect(asked.get('nl')).not.toContain('feminine');
    expect(asked.get('da')).toContain('masculine');
  });

  test('the fields without effect are returned under their names of a text', async () => {
    const at = await openWorkspace(stub);
    const inert = { DeploymentName: 'd-1', AllowFallback: true, AdaptiveDatasetId: 'a-1' };
    const Targets = [{ Language: 'fr', ...inert }, { Language: 'fr' }];
    const { body } = await at.submit({ inputs: [{ Text: 'Hello', Targets }] });
    expect(
      body.map(({ request: { deployment_name, allow_fallback, adaptive_dataset_id } }: { request: Item }) => [
        deployment_name,
        allow_fallback,
        adaptive_dataset_id,
      ]),
    ).toEqual([
      ['d-1', true, 'a-1'],
      [null, null, null],
    ]);
  });
});

describe('the keys of a batch (B 4.1)', () => {
  test('each expanded request is keyed <value>:<index> from 0', async () => {
    const at = await openWorkspace(stub);
    const { body } = await at.submit({ inputs: [item('One', 'fr', 'de'), item('Two', 'fr')] }, keyed('b'));
    expect(body.map((job: Item) => (job['request'] as Item)['idempotency_key'])).toEqual([
      'b:0',
      'b:1',
      'b:2',
    ]);
    const second = await at.submit({ source_text: 'Other', target_lang: 'es' }, keyed('b:1'));
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect({ ...second.body, warnings: [] }).toEqual(body[1]);
    const whole = await at.submit({ source_text: 'Other', target_lang: 'es' }, keyed('b'));
    expect(whole.headers.get('idempotency-replayed')).toBeNull();
  });

  test('the header decides: a job of that key is the response for its item', async () => {
    const at = await openWorkspace(stub);
    const { body: single } = await at.submit({ source_text: 'Held by key', target_lang: 'es' }, keyed('n:1'));
    const { body } = await at.submit({ inputs: [item('One', 'fr', 'de', 'it')] }, keyed('n'));
    expect({ ...body[1], warnings: [] }).toEqual(single);
    expect([body[0].final_translation, body[2].final_translation]).toEqual(['[fr] One', '[it] One']);
    expect(await at.usage()).toHaveLength(3);
  });

  test('a batch sent again is a replay: the same jobs, no engine call, nothing billed again', async () => {
    const batch = { inputs: [item(cat, 'de'), item(bread, 'de')] };
    const first = await mine.submit(batch, keyed('again'));
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const calls = fake.requests.length;
    const again = await mine.submit(batch, keyed('again'));
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(fake.requests).toHaveLength(calls);
    expect(await mine.usage()).toHaveLength(2);
  });
});

describe('an item that fails (B 4.1)', () => {
  const broken = when(about(train), failure(500));
  const five = sentences.slice(0, 5);
  const batch = { inputs: five.map((text) => item(text, 'de')) };

  test('its error is the response; earlier items stay, readable and billed; later ones leave no job', async () => {
    fake.otherwise(broken);
    const { status, body } = await mine.submit(batch, keyed('k'));
    expect(status).toBe(503);
    expect(body).toMatchObject({ error_code: 'transient_error', detail: expect.any(String) });
    const jobs = await mine.list();
    const byText = new Map(
      jobs.map((job: { request: { source_text: string } }) => [job.request.source_text, job]),
    );
    expect([...byText.keys()].toSorted()).toEqual([cat, bread, train].toSorted());
    for (const text of [cat, bread])
      expect(byText.get(text)).toMatchObject({ status: 'published', final_translation: german[text] });
    expect(byText.get(train)).toMatchObject({ status: 'failed', final_translation: null });
    expect((await mine.usage()).map(({ billable_chars }) => billable_chars)).toEqual([
      cat.length,
      bread.length,
    ]);
  });

  test('a retry returns the finished items, re-runs the failed one under its id, and continues', async () => {
    fake.otherwise(broken);
    await mine.submit(batch, keyed('k'));
    const failed = (await mine.list()).find((job: Item) => job['status'] === 'failed');
    const kept = (await mine.list()).filter((job: Item) => job['status'] === 'published');
    fake.otherwise(good);
    fake.requests.length = 0;
    const { status, body, headers } = await mine.submit(batch, keyed('k'));
    expect(status).toBe(200);
    expect(headers.get('idempotency-replayed')).toBeNull();
    expect(texts(body)).toEqual(five);
    expect(body.slice(0, 2)).toEqual(kept.toReversed());
    expect(body[2].id).toBe(failed.id);
    expect(askedRoles(fake).translation).toBe(3);
    expect((await mine.usage()).map(({ job_id }) => job_id).toSorted()).toEqual(ids(body).toSorted());
  });

  test('a held item is not a failure', async () => {
    fake.otherwise(when(about(cat), translatingReply({ translate: (text) => german[text]!, score: 10 })));
    const { status, body } = await mine.submit({ inputs: [item(cat, 'de'), item(bread, 'de')] });
    expect(status).toBe(200);
    expect(body.map((job: Item) => job['status'])).toEqual(['awaiting_review', 'published']);
    expect(await mine.usage()).toHaveLength(2);
  });
});
