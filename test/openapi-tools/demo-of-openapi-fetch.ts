// A demo for the types that openapi-typescript generates from the document. It is type-checked and run.
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

/** Signs up, translates, sends a batch, reviews and downloads. @returns the results */
export async function demo(baseUrl: string) {
  const { data: signup } = await createClient<paths>({ baseUrl }).POST('/api/auth/signup/email', {
    body: { tenant_name: 'Generated', email: 'fetch@example.org', password: 'a long enough passphrase' },
  });
  if (!signup?.tenant_api_key) throw new Error('no key');
  const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': signup.tenant_api_key } });

  const { data: job } = await client.POST('/api/translations', {
    params: { header: { 'Idempotency-Key': 'one' } },
    body: { source_text: 'Hello', target_lang: 'fr', metadata: { requires_human_review: true } },
  });
  if (!job || Array.isArray(job) || !('final_translation' in job)) throw new Error('no text job');

  const { data: batch } = await client.POST('/api/translations', {
    body: { inputs: [{ Text: 'Good morning', Targets: [{ Language: 'fr' }, { Language: 'de' }] }] },
  });
  if (!Array.isArray(batch)) throw new Error('no batch');

  const at = { path: { job_id: job.id } };
  const { data: reviewed } = await client.POST('/api/translations/{job_id}/review', {
    params: at,
    body: { action: 'modify', final_translation: 'Bonjour', reviewer: 'ana@example.org' },
  });
  const { data: file } = await client.GET('/api/translations/{job_id}/golden', {
    params: at,
    parseAs: 'text',
  });
  const { error } = await client.GET('/api/translations/{job_id}', { params: { path: { job_id: 'none' } } });
  const refusal: string | undefined = typeof error?.detail === 'string' ? error.detail : undefined;
  return { held: job.status, batch: batch.length, reviewed: reviewed?.status, file, refusal };
}
