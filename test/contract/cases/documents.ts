import { addDocument, documentForm, found, queueDocument } from '#test/factories.ts';
import type { Ask } from '../call.ts';
import type { ContractFixture } from '../fixture.ts';
import { asAdmin, asKey, asMember, type Cases } from './case.ts';

const notConfirmed = 'translations have changed since they were read (1); nothing was confirmed';

/** A request with the idempotency key of an existing document. */
const repeating =
  (add: typeof addDocument, key: string) =>
  async ({ app, founder }: ContractFixture): Promise<Ask> => {
    await add(app, founder, { idempotency_key: key });
    return { input: documentForm(), headers: { ...founder.key, 'idempotency-key': key } };
  };
const translated = async ({ app, founder }: ContractFixture) => ({
  document_id: await addDocument(app, founder),
});
/** A review of the first cell of a document, in a workspace without a TM. */
async function reviewing({ app }: ContractFixture): Promise<Ask> {
  const founder = await found(app);
  const document_id = await addDocument(app, founder);
  const path = `/api/documents/${document_id}/segments`;
  const { body } = await app.json('GET', path, { headers: founder.key });
  const [{ region_id }] = body.segments;
  const corrections = [{ region_id, cell_id: 'A1', target_text: 'Salut' }];
  return { input: { document_id, corrections, reviewer: 'Rev', notes: 'A note' }, headers: founder.key };
}

export const documentCases: Cases = {
  'documents.translate': [
    {
      name: 'takes every field, of a member',
      status: 202,
      ask: asMember(() =>
        documentForm({
          source_lang: 'EN',
          target_lang: 'PT-br',
          domain: 'legal',
          tone: 'formal',
          gender: ' ',
          text_type: 'Html',
        }),
      ),
    },
    { name: 'finds a job in progress by its key', status: 202, ask: repeating(queueDocument, 'in progress') },
    { name: 'finds a completed job by its key', status: 200, ask: repeating(addDocument, 'completed') },
    {
      name: 'the file is missing',
      status: 400,
      detail: 'source_document upload is required',
      ask: asKey({ target_lang: 'fr' }),
    },
  ],
  'documents.review': [{ name: 'corrects', status: 200, ask: reviewing }],
  'documents.confirm': [
    {
      name: 'the segment has changed',
      status: 409,
      detail: notConfirmed,
      ask: asAdmin(async (fixture) => ({
        ...(await translated(fixture)),
        segments: [{ position: 0, target_text: 'something else' }],
      })),
    },
  ],
  'documents.approve': [{ name: 'approves', status: 200, ask: asAdmin(translated) }],
};
