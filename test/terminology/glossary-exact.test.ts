import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startFakeOpenAi } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import {
  blockingOf,
  expectHeld,
  expectPipeline,
  expectServed,
  type Job,
  outcomesOf,
} from '../translation-memory/fast-path-jobs.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';
import { goldenFiles, recordsOf } from '../translations/golden-files.ts';
import { good, liveEngine } from '../translations/live.ts';
import { keyed } from '../translations/workspace.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });

const fake = await startFakeOpenAi();
afterAll(() => fake.close());
const live = useTestApp({ env, engine: liveEngine(fake) });

let mine: Sets;
beforeEach(async () => {
  fake.otherwise(good);
  fake.requests.length = 0;
  mine = await openSets(app);
});

describe('C 7 "Glossary exact": the normalised source equals a whole term, by its case rule', () => {
  test.each([
    ['Purchase order', 'purchase order'],
    ['purchase order', 'PURCHASE ORDER'],
    ['purchase order', ' purchase\n order '],
    ['Caf\u00e9', 'Cafe\u0301'],
    ['Cafe\u0301', 'caf\u00e9'],
    ['請求書', '請求書'],
    ['e‐mail', 'E‐Mail'],
    ['ＡＰＩ', 'ａｐｉ'],
  ])('%j serves %j', async (term, asked) => {
    await mine.glossary([`${term},Voilà`]);
    expectServed(await mine.job({ source_text: asked }), 'glossary_exact', 'Voilà');
  });

  test.each([
    ['a longer text', 'order,commande', 'orders'],
    ['a text with more', 'order,commande', 'an order'],
    ['punctuation', 'order,commande', 'order.'],
    ['another case, where it is case-sensitive', 'Order,commande,,,true', 'order'],
    // B 8 rule 1 says what normalised is: NFC and white space, no more. These are the term in running text only.
    ['another width', 'API,commande', 'ＡＰＩ'],
    ['another apostrophe', "don't,commande", 'don’t'],
    ['another hyphen', 'e-mail,commande', 'e‐mail'],
    ['a soft hyphen', 'email,commande', 'e\u00admail'],
  ])('not %s', async (_, line, asked) => {
    await mine.glossary([line]);
    expectPipeline(await mine.job({ source_text: asked }));
  });

  test('the higher priority wins across sets', async () => {
    await mine.glossary(['order,low,,,,1'], { name: 'a' });
    await mine.glossary(['order,high,,,,9'], { name: 'b' });
    await mine.glossary(['order,middle,,,,5'], { name: 'c' });
    expectServed(await mine.job({ source_text: 'order' }), 'glossary_exact', 'high');
  });
});

describe('B 8 rule 3: a glossary exact match serves the same way', () => {
  test('published unchanged, read again the same; no golden record, no golden pair', async () => {
    await mine.glossary(['order,commande']);
    const job = await mine.job({ source_text: 'order', metadata: { min_quality_score: 99 } });
    expectServed(job, 'glossary_exact', 'commande', 99);
    expect(await mine.read(job.id)).toEqual(job);
    expect(await goldenFiles(app, mine)).toEqual(new Map());
    expect(await mine.memories()).toEqual([]);
    const download = await mine.golden(job.id);
    expect([download.status, (await download.text()).trim()]).toEqual([200, 'commande']);
  });

  test('metered, and the usage record names the source', async () => {
    await mine.glossary(['order,commande']);
    const job = await mine.job({ source_text: 'order' });
    const { body } = await app.json('GET', `/api/tenants/${mine.tenantId}/billing`, { headers: mine.admin });
    expect(body.billable_chars).toBe(5);
    expect(body.records).toMatchObject([
      { job_id: job.id, fast_path: 'glossary_exact', job_status: 'published' },
    ]);
  });

  test('the model is not called', async () => {
    const at = await openSets(live);
    await at.glossary(['order,Bestellung']);
    expectServed(await at.job({ source_text: 'order', target_lang: 'de' }), 'glossary_exact', 'Bestellung');
    expect(fake.requests).toEqual([]);
  });

  test('the items of a batch, and a replay by key', async () => {
    await mine.glossary(['order,commande,,fr', 'order,Bestellung,,de']);
    const batch = { inputs: [{ Text: 'order', Targets: ['fr', 'de'].map((Language) => ({ Language })) }] };
    const { body } = await mine.submit(batch, keyed('k'));
    expect(body.map((job: Job) => job.final_translation)).toEqual(['commande', 'Bestellung']);
    await mine.glossary(['order,ordre,,fr']);
    const again = await mine.submit(batch, keyed('k'));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(body);
  });

  test.each([
    ['sensitive_content', { metadata: { sensitive: true } }],
    ['sensitive_content', { metadata: { regulated: 'yes' } }],
    ['sensitive_content', { metadata: { requires_human_review: 1 } }],
    ['policy_required', { domain: 'legal' }],
    ['policy_required', { domain: 'pharma' }],
  ])(
    'held for review (glossary_exact_held), trigger %s for %j, and then published by it',
    async (code, fields) => {
      await mine.glossary(['order,commande']);
      const job = await mine.job({ source_text: 'order', ...fields });
      expectHeld(job, 'glossary_exact_held', 'commande');
      expect(blockingOf(job)).toContain(code);
      const { status, body } = await mine.review(job.id, { action: 'approve' });
      expect([status, body.status, body.final_translation]).toEqual([200, 'published', 'commande']);
      expect(await recordsOf(app, mine, job.id)).toHaveLength(1);
      expect(await mine.memories()).toMatchObject([{ name: 'golden-approved-en-fr', entry_count: 1 }]);
    },
  );
});

describe('B 4.4 case_sensitive: of a term with case and one without, each serves its own text', () => {
  const lines = ['May,Mai,en,de,1', 'may,dürfen,en,de,0'];

  test.each([
    ['in one order of the rows', lines],
    ['in the other', lines.toReversed()],
  ])('%s', async (_, rows) => {
    await mine.glossary(rows);
    const de = { target_lang: 'de' };
    expectServed(await mine.job({ source_text: 'May', ...de }), 'glossary_exact', 'Mai');
    expectServed(await mine.job({ source_text: 'may', ...de }), 'glossary_exact', 'dürfen');
    expectServed(await mine.job({ source_text: 'MAY', ...de }), 'glossary_exact', 'dürfen');
  });

  test('but a higher priority wins', async () => {
    await mine.glossary(['May,Mai,en,de,1', 'may,dürfen,en,de,0,1']);
    expectServed(await mine.job({ source_text: 'May', target_lang: 'de' }), 'glossary_exact', 'dürfen');
  });
});

describe('B 8 rule 3: a whole term that violates a matched term is served no more than a memory match that does', () => {
  const source_text = 'net total';
  const de = { source_text, target_lang: 'de' };
  const entriesOf = ({ request }: Job): string[] =>
    request.metadata.terminology_entries.map(({ target_term }: Job) => target_term);

  test('it falls through to the whole pipeline, which must use the term that was matched', async () => {
    await mine.glossary(['net,Netz,,,,10', 'net total,Nettosumme']);
    const job = await mine.job(de);
    expectPipeline(job);
    expect(outcomesOf(job)).toContain('glossary_exact_noncompliant');
    expect(job.status).toBe('awaiting_review');
    expect(blockingOf(job)).toContain('terminology_noncompliant');
    expect(entriesOf(job)).toEqual(['Netz']);
  });

  test('a memory match that keeps the matched term is served in its place', async () => {
    await mine.memory([[source_text, 'Summe im Netz']], { target_lang: 'de' });
    await mine.glossary(['net,Netz,,,,10', 'net total,Nettosumme']);
    const job = await mine.job(de);
    expectServed(job, 'tm_exact', 'Summe im Netz');
    expect(outcomesOf(job)).toEqual(['glossary_exact_noncompliant', 'tm_exact']);
  });

  test('one that keeps it is served, and the metadata names the memory first', async () => {
    await mine.glossary(['net,Netz,,,,10', 'net total,Netz gesamt']);
    const job = await mine.job(de);
    expectServed(job, 'glossary_exact', 'Netz gesamt');
    expect(entriesOf(job)).toEqual(['Netz gesamt', 'Netz']);
    expect(job.request.metadata.terminology_gate).toMatchObject({
      passed: true,
      expected_target_counts: { Netz: 1 },
    });
  });

  test('the longer of equal priority is the match itself', async () => {
    await mine.glossary(['net,Netz', 'net total,Nettosumme']);
    const job = await mine.job(de);
    expectServed(job, 'glossary_exact', 'Nettosumme');
    expect(entriesOf(job)).toEqual(['Nettosumme']);
  });

  test('of two spellings of one term, that of the text is served, and named', async () => {
    // Of one file the later row goes first: “nicht” is what running text prefers.
    await mine.glossary(['don’t,keinesfalls', "don't,nicht"]);
    const job = await mine.job({ source_text: 'don’t', target_lang: 'de' });
    expectServed(job, 'glossary_exact', 'keinesfalls');
    expect(entriesOf(job)).toEqual(['keinesfalls', 'nicht']);
  });

  test('a target that the check cannot find is served if it is the match', async () => {
    await mine.glossary(['fatha,\u064e']);
    expectServed(await mine.job({ source_text: 'fatha', target_lang: 'ar' }), 'glossary_exact', '\u064e');
  });

  test('a held request too: the reviewer does not get the violating match', async () => {
    await mine.glossary(['net,Netz,,,,10', 'net total,Nettosumme']);
    const job = await mine.job({ ...de, domain: 'legal' });
    expectPipeline(job);
    expect(outcomesOf(job)).not.toContain('glossary_exact_held');
  });

  test('of HTML without markup the same', async () => {
    await mine.glossary(['net,Netz,,,,10', 'net total,Nettosumme']);
    expectPipeline(await mine.job({ ...de, text_type: 'Html' }));
  });
});

describe('B 8 "Exact tier": a memory match that violates a matched glossary term', () => {
  test('falls through to the whole pipeline: tm_exact_noncompliant', async () => {
    await mine.memory([['Pay the invoice.', 'Payez la note.']]);
    await mine.glossary(['invoice,facture']);
    const job = await mine.job({ source_text: 'Pay the invoice.' });
    expectPipeline(job);
    expect(outcomesOf(job)).toContain('tm_exact_noncompliant');
    expect(job.baseline_translation).toBe('[fr] Pay the invoice.');
  });

  test('and the model’s translation is published, if it complies', async () => {
    const at = await openSets(live);
    const source_text = 'The museum is open every day except Monday.';
    await at.memory([[source_text, 'Das Haus ist täglich außer montags geöffnet.']], { target_lang: 'de' });
    await at.glossary(['museum,Museum,en,de']);
    const job = await at.job({ source_text, target_lang: 'de' });
    expectPipeline(job);
    expect(outcomesOf(job)).toContain('tm_exact_noncompliant');
    expect(job).toMatchObject({ status: 'published', final_translation: expect.stringContaining('Museum') });
    // Its pair is golden now, and complies: from here on it is served.
    fake.requests.length = 0;
    expectServed(await at.job({ source_text, target_lang: 'de' }), 'tm_exact', job.final_translation);
    expect(fake.requests).toEqual([]);
  });

  test('one that complies is served; a term of another pair, or that the source lacks, refuses nothing', async () => {
    await mine.memory([['Pay the invoice.', 'Payez la facture.']]);
    await mine.glossary([
      'invoice,facture',
      'order,commande',
      'invoice,Rechnung,,de',
      'Invoice,FACTURE!,,,true',
    ]);
    const job = await mine.job({ source_text: 'Pay the invoice.' });
    expectServed(job, 'tm_exact', 'Payez la facture.');
    expect(outcomesOf(job)).not.toContain('tm_exact_noncompliant');
  });

  test('a held request too: the reviewer does not get the violating match', async () => {
    await mine.memory([['Pay the invoice.', 'Payez la note.']]);
    await mine.glossary(['invoice,facture']);
    const job = await mine.job({ source_text: 'Pay the invoice.', domain: 'legal' });
    expect(job.status).toBe('awaiting_review');
    expect(outcomesOf(job)).not.toContain('tm_exact_held');
  });
});
