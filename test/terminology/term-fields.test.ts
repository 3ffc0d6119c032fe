import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { askedOf, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { blockingOf } from '../translation-memory/fast-path-jobs.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';
import { liveEngine } from '../translations/live.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });

const fake = await startFakeOpenAi();
afterAll(() => fake.close());
const live = useTestApp({ env, engine: liveEngine(fake) });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const header = 'source_term,target_term,status,definition,part_of_speech';

describe('a translation with a forbidden term', () => {
  // The stub engine returns the language code and the source text.
  const glossary = [header, 'invoice,invoice,,,', 'invoice,bill,forbidden,,'];

  test('awaits review, with the word and the one to use', async () => {
    await mine.glossary(glossary);
    const job = await mine.job({ source_text: 'Pay the bill and the invoice.' });
    expect([job.status, blockingOf(job)]).toEqual(['awaiting_review', ['terminology_noncompliant']]);
    expect(job.agent_run.quality_gate.reasons).toContain('the glossary forbids “bill”, use “invoice”');
    expect(job.request.metadata.terminology_gate).toMatchObject({
      passed: false,
      missing_terms: [],
      forbidden_terms: [{ term: 'bill', source_term: 'invoice', use: 'invoice' }],
    });
    expect(job.request.metadata.terminology_entries).toMatchObject([{ target_term: 'invoice' }]);
  });

  test('is published if the source has not the term, or the translation not the word', async () => {
    await mine.glossary(glossary);
    for (const source_text of ['Pay the bill.', 'Pay the invoice.'])
      expect(await mine.job({ source_text })).toMatchObject({ status: 'published' });
  });

  test('may be approved by a reviewer, which is recorded', async () => {
    await mine.glossary(glossary);
    const { id } = await mine.job({ source_text: 'Pay the bill and the invoice.' });
    const { status, body } = await mine.review(id, { action: 'approve' });
    expect([status, body.request.metadata.terminology_gate_override]).toMatchObject([
      200,
      { missing_terms: [], forbidden_terms: [{ term: 'bill' }] },
    ]);
  });

  test('is never the translation of a text that is the source term', async () => {
    await mine.glossary([header, 'invoice,bill,forbidden,,']);
    const { final_translation, request } = await mine.job({ source_text: 'invoice' });
    expect(final_translation).not.toBe('bill');
    expect(request.metadata).not.toHaveProperty('terminology_entries');
  });
});

test('an allowed term is accepted', async () => {
  await mine.glossary([header, 'invoice,facture,,,', 'invoice,invoice,allowed,,']);
  expect(await mine.job({ source_text: 'Pay the invoice.' })).toMatchObject({ status: 'published' });
});

test('the model gets the terms to use and those to avoid, and what a term means', async () => {
  const at = await openSets(live);
  await at.glossary([
    header,
    `deposit,fianza,,"${'Money that is given back. '.repeat(60)}",noun`,
    'deposit,garantía,allowed,,',
    'deposit,depósito,forbidden,,',
    'rent,renta,,,',
  ]);
  fake.requests.length = 0;
  fake.otherwise(translatingReply({ translate: () => 'La fianza y la renta' }));
  await at.job({ source_text: 'The deposit and the rent', target_lang: 'fr' });
  const [asked] = fake.requests.map(askedOf).filter(({ role }) => role === 'translation');
  expect(asked!.data).toMatchObject({
    glossary: [
      {
        source: 'deposit',
        targets: ['fianza', 'garantía'],
        forbidden: ['depósito'],
        part_of_speech: 'noun',
        definition: expect.stringMatching(/^Money that is given back\..{150,175}$/),
      },
      { source: 'rent', targets: ['renta'] },
    ],
  });
});
