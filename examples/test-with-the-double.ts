/** Tests a program that uses the SDK with a mock of the service: `node --test examples/test-with-the-double.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
// In your own project: from '@lingualoop/sdk' and '@lingualoop/sdk/testing'.
import { LinguaLoop, RateLimitError } from '#sdk/index.ts';
import { createDouble } from '#sdk/testing.ts';

/** The program to test. It translates the titles of a shop, and approves jobs awaiting review without changing them. */
async function translateTitles(client: LinguaLoop, titles: Record<string, string>) {
  const translated: Record<string, string | null> = {};
  for (const [id, title] of Object.entries(titles)) {
    const request = { source_text: title, target_lang: 'fr' };
    let job = await client.translations.create(request, { idempotencyKey: `title-${id}` });
    if (job.status === 'awaiting_review')
      job = await client.translations.review(job.id, { action: 'approve', reviewer: 'shop' });
    translated[id] = job.final_translation;
  }
  return translated;
}

const clientOf = (double: ReturnType<typeof createDouble>) =>
  new LinguaLoop({
    baseUrl: double.baseUrl,
    fetch: double.fetch,
    apiKey: 'any',
    backoff: { firstMs: 1, maxMs: 1 },
  });

test('each title is translated, and approved if it awaits review', async () => {
  const double = createDouble({ needsReview: ({ request }) => request.source_text.includes('Sale') });
  const client = clientOf(double);
  const translated = await translateTitles(client, { 1: 'Hello', 2: 'Sale!' });
  assert.deepEqual(translated, { 1: '[fr] Hello', 2: '[fr] Sale!' });
  assert.equal((await client.translations.list({ status: 'published' }).toArray({ limit: 10 })).length, 2);
});

test('a lost response translates nothing twice', async () => {
  const double = createDouble();
  double.loseAnswers();
  const client = clientOf(double);
  await translateTitles(client, { 1: 'Hello' });
  assert.equal(double.requests.length, 2);
  assert.equal((await client.translations.listPage()).items.length, 1);
});

test('a limit is an error with the time to retry', async () => {
  const double = createDouble();
  double.refuse({ status: 429, detail: 'too many requests', retryAfter: 3600 });
  await assert.rejects(
    translateTitles(clientOf(double), { 1: 'Hello' }),
    (error) => error instanceof RateLimitError && error.retryAfter === 3600,
  );
});
