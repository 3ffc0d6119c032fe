import { beforeEach, describe, expect, test } from 'vitest';
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

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

test('a text that is a whole term of a glossary is served after normalization, and in any letter case unless it is case-sensitive', async () => {
  await mine.glossary(['purchase order,commande', 'Order,ordre,,,true']);
  expectServed(await mine.job({ source_text: ' PURCHASE\n Order ' }), 'glossary_exact', 'commande');
  expectServed(await mine.job({ source_text: 'Order' }), 'glossary_exact', 'ordre');
  for (const source_text of ['order', 'purchase order.', 'a purchase order'])
    expectPipeline(await mine.job({ source_text }));
});

describe('a glossary exact match serves the same way (B 8 rule 3)', () => {
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

  test('held for review (glossary_exact_held), and then published by it', async () => {
    await mine.glossary(['order,commande']);
    const job = await mine.job({ source_text: 'order', domain: 'legal' });
    expectHeld(job, 'glossary_exact_held', 'commande');
    expect(blockingOf(job)).toContain('policy_required');
    const { status, body } = await mine.review(job.id, { action: 'approve' });
    expect([status, body.status, body.final_translation]).toEqual([200, 'published', 'commande']);
    expect(await recordsOf(app, mine, job.id)).toHaveLength(1);
    expect(await mine.memories()).toMatchObject([{ name: 'golden-approved-en-fr', entry_count: 1 }]);
  });
});

describe('a whole term that violates a matched term is not served (B 8 rule 3)', () => {
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

  test('of two spellings of one term, that of the text is served, and named', async () => {
    // Within a file, later rows take precedence, so “nicht” is used in running text.
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
});

describe('a TM match that violates a matched glossary term (B 8 "Exact tier")', () => {
  test('falls through to the whole pipeline: tm_exact_noncompliant', async () => {
    await mine.memory([['Pay the invoice.', 'Payez la note.']]);
    await mine.glossary(['invoice,facture']);
    const job = await mine.job({ source_text: 'Pay the invoice.' });
    expectPipeline(job);
    expect(outcomesOf(job)).toContain('tm_exact_noncompliant');
    expect(job.baseline_translation).toBe('[fr] Pay the invoice.');
  });
  test('a held request too: the reviewer does not get the violating match', async () => {
    await mine.memory([['Pay the invoice.', 'Payez la note.']]);
    await mine.glossary(['invoice,facture']);
    const job = await mine.job({ source_text: 'Pay the invoice.', domain: 'legal' });
    expect(job.status).toBe('awaiting_review');
    expect(outcomesOf(job)).not.toContain('tm_exact_held');
  });
});
