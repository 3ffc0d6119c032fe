import { beforeEach, describe, expect, test } from 'vitest';
import { askedOf, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { blockingOf, expectPipeline, type Job, triggersOf } from '../translation-memory/fast-path-jobs.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';
import { liveEngine } from '../translations/live.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });

const fake = await useFakeOpenAi();
const live = useTestApp({ env, engine: liveEngine(fake) });

let mine: Sets;
beforeEach(async () => {
  fake.requests.length = 0;
  mine = await openSets(app);
});

const gateOf = (job: Job) => job.request.metadata.terminology_gate;

/** Expects a job that awaits review because it lacks glossary terms. */
function expectNoncompliant(job: Job): void {
  expectPipeline(job);
  expect(job).toMatchObject({
    status: 'awaiting_review',
    agent_run: { quality_gate: { decision: 'needs_human' }, human_review_task: { status: 'open' } },
  });
  expect(triggersOf(job)).toContain('terminology_noncompliant');
  expect(blockingOf(job)).toContain('terminology_noncompliant');
  expect(gateOf(job).passed).toBe(false);
}

describe('noncompliant output is not published automatically, whatever its score (B 1 rule 4)', () => {
  // The stub engine returns the language code and the source text, so it lacks each term whose target differs from its
  // source.
  test('at any threshold', async () => {
    await mine.glossary(['invoice,facture']);
    for (const min_quality_score of [0, 50, -1])
      expectNoncompliant(
        await mine.job({ source_text: 'Pay the invoice.', metadata: { min_quality_score } }),
      );
  });

  test('a term of another pair, or one that does not occur, holds nothing', async () => {
    await mine.glossary(['invoice,Rechnung,,de', 'order,commande', 'invoice,fatura,de,pt-BR']);
    const job = await mine.job({ source_text: 'Pay the invoice.' });
    expect(job.status).toBe('published');
    expect(triggersOf(job)).not.toContain('terminology_noncompliant');
  });

  test('each item of a batch is judged by the terms of its own language', async () => {
    await mine.glossary(['invoice,facture,,fr', 'invoice,invoice,,de']);
    const { body } = await mine.submit({
      inputs: [
        { Text: 'Pay the invoice.', Targets: ['fr', 'de', 'fr-CA'].map((Language) => ({ Language })) },
      ],
    });
    expect(body.map(({ status }: Job) => status)).toEqual(['awaiting_review', 'published', 'published']);
  });

  test('a reviewer may publish a text that does not, which is recorded', async () => {
    await mine.glossary(['invoice,facture']);
    const { id } = await mine.job({ source_text: 'Pay the invoice.' });
    const { status, body } = await mine.review(id, {
      action: 'approve',
      final_translation: 'Payez la note.',
    });
    expect([status, body.status]).toEqual([200, 'human_edited']);
    expect(body.request.metadata).toHaveProperty('terminology_gate_override');
  });

  test('of HTML the text is checked, without parts that are never translated', async () => {
    await mine.glossary(['invoice,facture']);
    const html = (source_text: string) => mine.job({ source_text, text_type: 'Html' });
    expect((await html('<p class="invoice" id=invoice>Hi</p><!-- invoice -->')).status).toBe('published');
    expectNoncompliant(await html('<p>Pay the <b>invoice</b>.</p>'));
    expectNoncompliant(await html('<a href="#" title="invoice">Hi</a>'));
  });

  test('caller-written values under the pipeline’s keys pass no gate', async () => {
    await mine.glossary(['invoice,facture']);
    const metadata = {
      terminology_gate_override: true,
      terminology_gate: { passed: true },
      terminology_entries: [],
    };
    expectNoncompliant(await mine.job({ source_text: 'Pay the invoice.', metadata }));
  });
});

describe('terminology_gate (B 2.6)', () => {
  test('stands in the metadata of the gate too, with the terms', async () => {
    await mine.glossary(['invoice,facture']);
    const job = await mine.job({ source_text: 'Pay the invoice.' });
    expect(job.agent_run.quality_gate.metadata.terminology_gate).toEqual(gateOf(job));
    for (const key of ['terminology_matches', 'terminology_entries'])
      expect(JSON.stringify(job.request.metadata[key])).toContain('invoice');
    expect(await mine.read(job.id)).toEqual(job);
  });

  test('passed, with nothing missing, where all are there: published', async () => {
    await mine.glossary(['KapiMart,KapiMart']);
    const job = await mine.job({ source_text: 'KapiMart sells shoes.' });
    expect(job.status).toBe('published');
    expect(gateOf(job)).toMatchObject({
      passed: true,
      missing_terms: [],
      expected_target_counts: { KapiMart: 1 },
      observed_target_counts: { KapiMart: 1 },
    });
    expect(triggersOf(job)).not.toContain('terminology_noncompliant');
  });
});

describe('glossaries are enforced during translation (B 1 rule 4)', () => {
  const source_text = 'The museum is open every day except Monday.';

  test('the model gets the terms that occur, with their targets, and no others', async () => {
    const at = await openSets(live);
    await at.glossary(['museum,Kunsthaus,en,de', 'bicycle,Drahtesel,en,de', 'museum,musée,en,fr']);
    fake.otherwise(
      translatingReply({ translate: () => 'Das Kunsthaus ist täglich außer montags geöffnet.' }),
    );
    const job = await at.job({ source_text, target_lang: 'de' });
    expect(job.status).toBe('published');
    const asked = fake.requests.map(askedOf).filter(({ role }) => role === 'translation');
    const data = JSON.stringify(asked.map((one) => one.data));
    expect([/Kunsthaus/, /Drahtesel/, /musée/].map((term) => term.test(data))).toEqual([true, false, false]);
  });
});
