// A demo for the client that @hey-api/openapi-ts generates from the document. It is type-checked and run.

import {
  authSignUpWithEmail,
  translationsCreate,
  translationsGet,
  translationsGolden,
  translationsReview,
} from './client';
import { createClient } from './client/client';

/** Signs up, translates, sends a batch, reviews and downloads. @returns the results */
export async function demo(baseUrl: string) {
  const { data: signup } = await authSignUpWithEmail({
    client: createClient({ baseUrl }),
    body: { tenant_name: 'Generated', email: 'hey@example.org', password: 'a long enough passphrase' },
  });
  if (!signup?.tenant_api_key) throw new Error('no key');
  const client = createClient({ baseUrl, headers: { 'X-API-Key': signup.tenant_api_key } });

  const { data: job } = await translationsCreate({
    client,
    headers: { 'Idempotency-Key': 'one' },
    body: { source_text: 'Hello', target_lang: 'fr', metadata: { requires_human_review: true } },
  });
  if (!job || Array.isArray(job) || !('final_translation' in job)) throw new Error('no text job');

  const { data: batch } = await translationsCreate({
    client,
    body: { inputs: [{ Text: 'Good morning', Targets: [{ Language: 'fr' }, { Language: 'de' }] }] },
  });
  if (!Array.isArray(batch)) throw new Error('no batch');

  const path = { job_id: job.id };
  const { data: reviewed } = await translationsReview({
    client,
    path,
    body: { action: 'modify', final_translation: 'Bonjour', reviewer: 'ana@example.org' },
  });
  const { data: file } = await translationsGolden({ client, path, parseAs: 'text' });
  const { error } = await translationsGet({ client, path: { job_id: 'none' } });
  const refusal: string | undefined = error && typeof error.detail === 'string' ? error.detail : undefined;
  return { held: job.status, batch: batch.length, reviewed: reviewed?.status, file, refusal };
}
