import { workbookFile } from '../../factories/workbook.ts';
import { submitHeld, submit as submitPublished } from '../../factories.ts';
import type { ContractFixture } from '../fixture.ts';
import {
  adminRefusals,
  asAdmin,
  asCookie,
  asKey,
  asNobody,
  type Cases,
  noId,
  withoutCookie,
} from './case.ts';

const detail = 'missing or invalid tenant credentials';
const text = { source_text: 'Hello', target_lang: 'fr' };
const batch = {
  inputs: [
    { Text: 'One', Targets: [{ Language: 'fr' }, { Language: 'de', Tone: 'formal' }] },
    { Text: 'Two', Language: 'en', TextType: 'Html', Targets: [{ Language: 'ja' }] },
  ],
};
const pages = { source_text: 'A page.', target_lang: 'fr', metadata: { source_document: { name: 'a.txt' } } };
const file = (name = 'a.txt', content = 'A page.') => ({
  source_document: new File([content], name, { type: 'text/plain' }),
  target_lang: 'fr',
});

const job = ({ jobId }: ContractFixture) => ({ job_id: jobId });
const unknown = { job_id: noId };
const held = async ({ app, founder }: ContractFixture) => ({ job_id: await submitHeld(app, founder) });
const published = async ({ app, founder }: ContractFixture) => ({
  job_id: await submitPublished(app, founder),
});
/** A review of a fresh job that waits for one. */
const reviewing = (review: Record<string, unknown>) => async (fixture: ContractFixture) => ({
  ...(await held(fixture)),
  ...review,
});

/** What waits for review in French, as XLIFF. */
const exportedBy = async ({ app, founder }: ContractFixture) => {
  const headers = { ...founder.key, accept: 'application/xliff+xml' };
  return (await app.request('/api/translations?target_lang=fr', { headers })).text();
};

export const translationCases: Cases = {
  'translations.create': [
    { name: 'publishes', status: 200, ask: asKey(text) },
    { name: 'replays', status: 200, ask: asKey({ ...text, idempotency_key: 'replayed' }) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(text) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie(text) },
    { name: 'the language is unknown', status: 422, ask: asKey({ ...text, target_lang: 'xx' }) },
    { name: 'the text is blank', status: 400, ask: asKey({ ...text, source_text: ' \n' }) },
    { name: 'the text is too long', status: 413, ask: asKey({ ...text, source_text: 'x'.repeat(50_001) }) },
    { name: 'a NUL is in it', status: 422, ask: asKey({ ...text, source_text: 'a\0b' }) },
    { name: 'a type is wrong', status: 422, ask: asKey({ ...text, source_text: 5 }) },
  ],
  'translations.createBatch': [
    { name: 'publishes in order', status: 200, ask: asKey(batch) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(batch) },
    { name: 'it is empty', status: 422, ask: asKey({ inputs: [] }) },
    {
      name: 'an input is blank',
      status: 400,
      ask: asKey({ inputs: [...batch.inputs, { Text: ' ', Targets: [{ Language: 'fr' }] }] }),
    },
    {
      name: 'a target is unknown',
      status: 422,
      ask: asKey({ inputs: [{ Text: 'One', Targets: [{ Language: 'xx' }] }] }),
    },
    {
      name: 'it is too long',
      status: 413,
      ask: asKey({ inputs: Array.from({ length: 18 }, () => batch.inputs).flat() }),
    },
  ],
  'translations.createFromText': [
    { name: 'publishes its pages', status: 200, ask: asKey(pages) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(pages) },
    { name: 'the text is blank', status: 400, ask: asKey({ ...pages, source_text: '\n' }) },
  ],
  'translations.createFromFile': [
    { name: 'publishes its pages', status: 200, ask: asKey(() => file()) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(() => file()) },
    {
      name: 'it is of no known kind',
      status: 415,
      ask: asKey(() => ({
        ...file(),
        source_document: new File(['x'], 'a.zip', { type: 'application/zip' }),
      })),
    },
    {
      name: 'queues a document',
      status: 200,
      ask: asKey(() => ({ ...file(), source_document: workbookFile(['Hello']) })),
    },
    { name: 'it is a document that cannot be read', status: 400, ask: asKey(() => file('a.docx')) },
    { name: 'there is no file', status: 400, ask: asKey({ target_lang: 'fr' }) },
    { name: 'it is empty', status: 400, ask: asKey(() => file('a.txt', '')) },
    { name: 'the language is missing', status: 400, ask: asKey(() => ({ ...file(), target_lang: '' })) },
    { name: 'the language is unknown', status: 422, ask: asKey(() => ({ ...file(), target_lang: 'xx' })) },
  ],
  'translations.review': [
    {
      name: 'keeps a draft',
      status: 200,
      ask: asKey(reviewing({ action: 'save', final_translation: 'Salut' })),
    },
    { name: 'approves', status: 200, ask: asKey(reviewing({ action: 'approve', reviewer: 'Rev' })) },
    { name: 'rejects', status: 200, ask: asAdmin(reviewing({ action: 'reject' })) },
    { name: 'modifies to nothing', status: 422, ask: asKey(reviewing({ action: 'modify' })) },
    { name: 'the action is none', status: 422, ask: asKey(reviewing({ action: 'publish' })) },
    {
      name: 'the job is published',
      status: 400,
      ask: asKey(async (fixture) => ({ ...(await published(fixture)), action: 'approve' })),
    },
    {
      name: 'there is no such job',
      status: 404,
      detail: 'job not found',
      ask: asKey({ ...unknown, action: 'approve' }),
    },
    {
      name: 'nobody asks',
      status: 401,
      detail,
      ask: asNobody((fixture) => ({ ...job(fixture), action: 'approve' })),
    },
  ],
  'translations.golden': [
    { name: 'downloads', status: 200, ask: asKey(job) },
    { name: 'downloads by the cookie', status: 200, ask: asCookie(job) },
    {
      name: 'the format is none',
      status: 422,
      ask: asKey((fixture) => ({ ...job(fixture), format: 'odt' })),
    },
    { name: 'the job is held', status: 409, ask: asKey(held) },
    { name: 'there is no such job', status: 404, detail: 'job not found', ask: asKey(unknown) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(job) },
  ],
  'translations.delete': [
    { name: 'deletes', status: 200, ask: asAdmin(published) },
    {
      name: 'deletes by the cookie',
      status: 200,
      ask: asCookie(published),
      rpc: withoutCookie('admin credentials required'),
    },
    { name: 'there is no such job', status: 404, detail: 'job not found', ask: asAdmin(unknown) },
    ...adminRefusals(job),
  ],
  'translations.get': [
    { name: 'finds', status: 200, ask: asKey(job) },
    { name: 'does not find', status: 404, detail: 'job not found', ask: asKey(unknown) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(job) },
  ],
  'translations.list': [
    { name: 'lists', status: 200, ask: asKey({ status: 'published', limit: 1 }) },
    { name: 'the limit is out of range', status: 422, ask: asKey({ limit: 201 }) },
    { name: 'the status is none', status: 422, ask: asKey({ status: 'done' }) },
    { name: 'the cursor is none', status: 422, ask: asKey({ cursor: 'zzz' }) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody() },
  ],
  'translations.exportXliff': [
    {
      name: 'exports',
      status: 200,
      ask: asKey(async (fixture) => {
        await held(fixture);
        return { source_lang: 'en', target_lang: 'fr', limit: 1 };
      }),
    },
    { name: 'nothing waits', status: 404, ask: asKey({ target_lang: 'ne' }) },
    { name: 'the language is unknown', status: 422, ask: asKey({ target_lang: 'xx' }) },
    { name: 'the limit is out of range', status: 422, ask: asKey({ limit: 201 }) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody() },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie() },
  ],
  'translations.reviewXliff': [
    {
      name: 'approves',
      status: 200,
      ask: asKey(async (fixture) => {
        const { job_id } = await held(fixture);
        return { job_id, body: await exportedBy(fixture), action: 'approve', reviewer: 'Rev' };
      }),
    },
    {
      name: 'the file is another job’s',
      status: 422,
      ask: asKey(async (fixture) => {
        await held(fixture);
        return { ...(await published(fixture)), body: await exportedBy(fixture) };
      }),
    },
    { name: 'it is no XLIFF', status: 400, ask: asKey(reviewing({ body: 'hello' })) },
    { name: 'the action is none', status: 422, ask: asKey(reviewing({ body: 'hello', action: 'publish' })) },
    {
      name: 'there is no such job',
      status: 404,
      detail: 'job not found',
      ask: asKey({ ...unknown, body: 'hello' }),
    },
    { name: 'nobody asks', status: 401, detail, ask: asNobody({ ...unknown, body: 'hello' }) },
  ],
};
