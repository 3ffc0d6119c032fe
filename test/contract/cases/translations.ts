import { workbookFile } from '../../factories/workbook.ts';
import { submitHeld } from '../../factories.ts';
import type { ContractFixture } from '../fixture.ts';
import { asKey, type Cases, noId } from './case.ts';

const text = { source_text: 'Hello', target_lang: 'fr' };
const batch = {
  inputs: [
    { Text: 'One', Targets: [{ Language: 'fr' }, { Language: 'de', Tone: 'formal' }] },
    { Text: 'Two', Language: 'en', TextType: 'Html', Targets: [{ Language: 'ja' }] },
  ],
};
/** A review of a new job that awaits review. */
const reviewing =
  (review: Record<string, unknown>) =>
  async ({ app, founder }: ContractFixture) => ({ job_id: await submitHeld(app, founder), ...review });

export const translationCases: Cases = {
  'translations.create': [
    { name: 'publishes', status: 200, ask: asKey(text) },
    { name: 'replays', status: 200, ask: asKey({ ...text, idempotency_key: 'replayed' }) },
    { name: 'the language is unknown', status: 422, ask: asKey({ ...text, target_lang: 'xx' }) },
    { name: 'a type is wrong', status: 422, ask: asKey({ ...text, source_text: 5 }) },
  ],
  'translations.createBatch': [{ name: 'publishes in order', status: 200, ask: asKey(batch) }],
  'translations.createFromFile': [
    {
      name: 'translates a workbook',
      status: 200,
      ask: asKey(() => ({ source_document: workbookFile(['Hello']), target_lang: 'fr' })),
    },
  ],
  'translations.review': [
    {
      name: 'keeps a draft',
      status: 200,
      ask: asKey(reviewing({ action: 'save', final_translation: 'Salut' })),
    },
    { name: 'approves', status: 200, ask: asKey(reviewing({ action: 'approve', reviewer: 'Rev' })) },
  ],
  'translations.get': [{ name: 'does not find', status: 404, ask: asKey({ job_id: noId }) }],
  'translations.list': [{ name: 'the limit is out of range', status: 422, ask: asKey({ limit: 201 }) }],
};
