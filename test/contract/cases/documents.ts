import { workbookFile } from '#test/factories/workbook.ts';
import { addDocument, documentForm, type Fields, queueDocument } from '#test/factories.ts';
import { found } from '../../factories.ts';
import type { Ask } from '../call.ts';
import type { ContractFixture } from '../fixture.ts';
import {
  adminRefusals,
  asAdmin,
  asCookie,
  asKey,
  asMember,
  asNobody,
  type Case,
  type Cases,
  noId,
  withoutCookie,
} from './case.ts';

const detail = 'missing or invalid tenant credentials';
const notFound = 'document job not found';

const form = (fields: Fields = {}) => asKey(() => documentForm({ wait: 'true', ...fields }));
const without = (name: string) =>
  asKey(() => {
    const { [name]: _, ...rest } = documentForm();
    return rest;
  });
const file = (content: string, name: string, type = '') => ({
  source_document: new File([content], name, { type }),
});
const keyed =
  (ask: NonNullable<Case['ask']>, key: string) =>
  async (fixture: ContractFixture): Promise<Ask> => {
    const { input = {}, headers = {} } = await ask(fixture);
    return { input, headers: { ...headers, 'idempotency-key': key } };
  };

const unknown = { document_id: noId };
const translated = async ({ app, founder }: ContractFixture) => ({
  document_id: await addDocument(app, founder),
});
const queued = async ({ app, founder }: ContractFixture) => ({
  document_id: await queueDocument(app, founder),
});
const foreign = async ({ app, neighbour }: ContractFixture) => ({
  document_id: await addDocument(app, neighbour),
});
/** A translated document, with the rest of the input. */
const translatedWith = (rest: Fields) => async (fixture: ContractFixture) => ({
  ...(await translated(fixture)),
  ...rest,
});
const correction = { cell_id: 'A1', target_text: 'Salut' };
/** A review of the first cell, in a workspace whose memory is empty. */
const reviewing =
  (rest: Fields = {}, change: Fields = {}, by: 'key' | 'bearer' = 'key') =>
  async ({ app }: ContractFixture): Promise<Ask> => {
    const founder = await found(app);
    const document_id = await addDocument(app, founder);
    const path = `/api/documents/${document_id}/segments`;
    const { body } = await app.json('GET', path, { headers: founder.key });
    const { region_id } = body.segments[0];
    return {
      input: { document_id, corrections: [{ region_id, ...correction, ...change }], ...rest },
      headers: founder[by],
    };
  };

/** How a procedure refuses ids that are not the tenant's, and callers without a tenant. */
function refusals(input: Fields = {}): Case[] {
  return [
    {
      name: 'there is no such document',
      status: 404,
      detail: notFound,
      ask: asKey({ ...unknown, ...input }),
    },
    {
      name: 'the document is foreign',
      status: 404,
      detail: notFound,
      ask: asKey(async (fixture) => ({ ...(await foreign(fixture)), ...input })),
    },
    { name: 'nobody asks', status: 401, detail, ask: asNobody({ ...unknown, ...input }) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie({ ...unknown, ...input }) },
  ];
}

export const documentCases: Cases = {
  'documents.translate': [
    { name: 'queues', status: 202, ask: asKey(() => documentForm()) },
    { name: 'queues unless it is told to wait', status: 202, ask: form({ wait: 'on' }) },
    ...['1', 'TRUE', 'yes'].map((wait) => ({ name: `waits: ${wait}`, status: 200, ask: form({ wait }) })),
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
    {
      name: 'takes a file by its content type alone',
      status: 200,
      ask: form({ source_document: workbookFile(['Hello'], 'book') }),
    },
    {
      name: 'the key is that of a job in flight',
      status: 202,
      ask: keyed(
        asKey(async ({ app, founder }) => {
          await queueDocument(app, founder, { idempotency_key: 'in flight' });
          return documentForm();
        }),
        'in flight',
      ),
    },
    {
      name: 'the key is that of a finished job',
      status: 200,
      ask: keyed(
        asKey(async ({ app, founder }) => {
          await addDocument(app, founder, { idempotency_key: 'finished' });
          return documentForm();
        }),
        'finished',
      ),
    },
    {
      name: 'there is no file',
      status: 400,
      detail: 'source_document upload is required',
      ask: without('source_document'),
    },
    {
      name: 'the file is a field of text',
      status: 400,
      detail: 'source_document upload is required',
      ask: form({ source_document: 'Book.xlsx' }),
    },
    {
      name: 'it is no form',
      status: 400,
      detail: 'source_document upload is required',
      ask: asKey(),
      raw: { contentType: 'application/json', body: '{"target_lang":"fr"}' },
    },
    {
      name: 'the file is empty',
      status: 400,
      detail: 'source_document is empty',
      ask: form(file('', 'a.xlsx')),
    },
    { name: 'the file is no workbook inside', status: 400, ask: form(file('Hello', 'a.xlsx')) },
    {
      name: 'the target is missing',
      status: 400,
      detail: 'target_lang is required',
      ask: without('target_lang'),
    },
    {
      name: 'the target is blank',
      status: 400,
      detail: 'target_lang is required',
      ask: form({ target_lang: ' ' }),
    },
    {
      name: 'the text type is none',
      status: 400,
      detail: 'unsupported text_type "Markdown"; send Plain or Html',
      ask: form({ text_type: 'Markdown' }),
    },
    { name: 'the type is no layout format', status: 415, ask: form(file('Hello', 'a.txt', 'text/plain')) },
    {
      name: 'the extension wins over the type',
      status: 400,
      detail:
        'source_document: the Office file cannot be read: the file is not a zip archive, or its end is missing',
      ask: form(file('Hello', 'a.docx', 'application/pdf')),
    },
    { name: 'the target is no language', status: 422, ask: form({ target_lang: 'tlh' }) },
    { name: 'the source is no language', status: 422, ask: form({ source_lang: 'en-US' }) },
    { name: 'the key is too long', status: 422, ask: keyed(form(), 'k'.repeat(256)) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(() => documentForm()) },
    {
      name: 'nobody asks, without a file',
      status: 401,
      detail,
      ask: asNobody(() => ({ target_lang: 'fr' })),
    },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie(() => documentForm()) },
    {
      name: 'the operator key asks',
      status: 401,
      detail,
      ask: ({ operator }) => ({ input: documentForm(), headers: operator.key }),
    },
  ],
  'documents.list': [
    { name: 'lists', status: 200, ask: asKey({ status: 'failed', limit: 200 }) },
    { name: 'lists none that is pending', status: 200, ask: asMember({ status: 'pending' }) },
    { name: 'the limit is out of range', status: 422, ask: asKey({ limit: 201 }) },
    { name: 'the status is none', status: 422, ask: asKey({ status: 'done' }) },
    { name: 'the cursor is none', status: 422, ask: asKey({ cursor: 'zzz' }) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody() },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie() },
  ],
  'documents.summary': [
    {
      name: 'counts',
      status: 200,
      ask: ({ neighbour }) => ({ headers: neighbour.key }),
    },
    {
      name: 'an administrator asks for all tenants',
      status: 403,
      detail: 'cross-tenant breakdowns require operator access',
      ask: asAdmin({ include_tenant_breakdown: true }),
    },
    {
      name: 'a key asks for all stages',
      status: 403,
      detail: 'cross-tenant breakdowns require operator access',
      ask: asKey({ include_stage_timing_breakdown: true }),
    },
    { name: 'asks for neither', status: 200, ask: asMember({ include_tenant_breakdown: false }) },
    {
      name: 'a token beside the operator key asks for both',
      status: 200,
      ask: ({ founder, operator }) => ({
        input: { include_tenant_breakdown: true, include_stage_timing_breakdown: true },
        headers: { ...founder.bearer, ...operator.key },
      }),
    },
    { name: 'the question is none', status: 422, ask: asKey({ include_tenant_breakdown: 'perhaps' }) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody() },
    {
      name: 'the operator key alone asks',
      status: 401,
      detail,
      ask: ({ operator }) => ({ input: { include_tenant_breakdown: true }, headers: operator.key }),
    },
  ],
  'documents.get': [
    { name: 'finds', status: 200, ask: asKey(translated) },
    { name: 'finds a queued one', status: 200, ask: asMember(queued), withoutWorkers: true },
    {
      name: 'finds, for an operator',
      status: 200,
      ask: async (fixture) => ({
        input: await translated(fixture),
        headers: { ...fixture.founder.bearer, ...fixture.operator.key },
      }),
    },
    ...refusals(),
  ],
  'documents.segments': [
    { name: 'lists', status: 200, ask: asKey(translatedWith({ limit: 1 })) },
    {
      name: 'lists those to be reviewed',
      status: 200,
      ask: asKey(translatedWith({ flagged: true, limit: 500 })),
    },
    { name: 'continues', status: 200, ask: asMember(translatedWith({ cursor: '0' })) },
    { name: 'has none yet', status: 200, ask: asKey(queued), withoutWorkers: true },
    { name: 'the limit is 0', status: 422, ask: asKey(translatedWith({ limit: 0 })) },
    { name: 'the limit is out of range', status: 422, ask: asKey(translatedWith({ limit: 501 })) },
    { name: 'the cursor is none', status: 422, ask: asKey(translatedWith({ cursor: 'zzz' })) },
    ...refusals(),
  ],
  'documents.exportXliff': [
    { name: 'exports', status: 200, ask: asKey(translatedWith({ limit: 1 })) },
    { name: 'exports all', status: 200, ask: asMember(translated) },
    { name: 'has none yet', status: 404, ask: asKey(queued), withoutWorkers: true },
    { name: 'the limit is out of range', status: 422, ask: asKey(translatedWith({ limit: 501 })) },
    { name: 'the cursor is none', status: 422, ask: asKey(translatedWith({ cursor: 'zzz' })) },
    ...refusals(),
  ],
  'documents.artifacts': [
    { name: 'lists', status: 200, ask: asKey(translated) },
    { name: 'lists that of a queued one', status: 200, ask: asKey(queued), withoutWorkers: true },
    ...refusals(),
  ],
  'documents.download': [
    { name: 'downloads', status: 200, ask: asKey(translated) },
    {
      name: 'the job is in flight',
      withoutWorkers: true,
      status: 409,
      detail: 'document translation is still in progress',
      ask: asKey(queued),
    },
    ...refusals(),
  ],
  'documents.review': [
    { name: 'corrects', status: 200, ask: reviewing({ reviewer: 'Rev', notes: 'A note' }) },
    { name: 'corrects, for a session', status: 200, ask: reviewing({}, {}, 'bearer') },
    { name: 'the cell is none', status: 422, ask: reviewing({}, { cell_id: 'Z9' }) },
    { name: 'the region is none', status: 422, ask: reviewing({}, { region_id: 'nowhere' }) },
    { name: 'nothing is corrected', status: 422, ask: asKey(translatedWith({ corrections: [] })) },
    {
      name: 'too much is corrected',
      status: 422,
      ask: asKey(
        translatedWith({
          corrections: Array.from({ length: 1001 }, () => ({ region_id: 'r', target_text: 't' })),
        }),
      ),
    },
    { name: 'the corrections are missing', status: 422, ask: asKey(translated) },
    {
      name: 'the job is in flight',
      withoutWorkers: true,
      status: 400,
      ask: asKey(async (fixture) => ({
        ...(await queued(fixture)),
        corrections: [{ region_id: 'r', ...correction }],
      })),
    },
    ...refusals({ corrections: [{ region_id: 'r', ...correction }] }),
  ],
  'documents.reviewXliff': [
    {
      name: 'corrects',
      status: 200,
      ask: async ({ app }) => {
        // Its memory is empty, and no other case's.
        const founder = await found(app);
        const { key } = founder;
        const document_id = await addDocument(app, founder);
        const exported = await app.request(`/api/documents/${document_id}/segments`, {
          headers: { ...key, accept: 'application/xliff+xml' },
        });
        const body = (await exported.text()).replace(/(<target[^>]*>)[^<]*/, '$1Salut');
        return { input: { document_id, body, reviewer: 'Rev', notes: 'A note' }, headers: key };
      },
    },
    { name: 'it is no XLIFF', status: 400, ask: asKey(translatedWith({ body: 'hello' })) },
    {
      name: 'the job is in flight',
      withoutWorkers: true,
      status: 400,
      ask: asKey(async (fixture) => ({ ...(await queued(fixture)), body: 'hello' })),
    },
    ...refusals({ body: 'hello' }),
  ],
  'documents.approve': [
    { name: 'approves', status: 200, ask: asAdmin(translated) },
    { name: 'approves by a key', status: 200, ask: asKey(translatedWith({ reviewer: 'Rev', notes: null })) },
    {
      name: 'approves again',
      status: 200,
      ask: asKey(async (fixture) => {
        const input = { ...(await translated(fixture)), reviewer: 'Rev' };
        const { app, founder } = fixture;
        await app.json('POST', `/api/documents/${input.document_id}/approve`, {
          headers: founder.key,
          body: { reviewer: 'First' },
        });
        return input;
      }),
    },
    {
      name: 'nobody is named',
      status: 400,
      detail: 'reviewer could not be determined: sign in or supply a reviewer',
      ask: asKey(translated),
    },
    { name: 'the job is in flight', status: 400, ask: asAdmin(queued), withoutWorkers: true },
    { name: 'the reviewer is no text', status: 422, ask: asKey(translatedWith({ reviewer: 5 })) },
    ...refusals({ reviewer: 'Rev' }),
  ],
  'documents.delete': [
    { name: 'deletes', status: 200, ask: asAdmin(translated) },
    { name: 'deletes one in flight', status: 200, ask: asAdmin(queued), withoutWorkers: true },
    {
      name: 'deletes for the operator',
      status: 200,
      ask: async (fixture) => ({ input: await translated(fixture), headers: fixture.operator.key }),
    },
    {
      name: 'deletes by the cookie',
      status: 200,
      ask: asCookie(translated),
      rpc: withoutCookie('admin credentials required'),
    },
    { name: 'there is no such document', status: 404, detail: notFound, ask: asAdmin(unknown) },
    { name: 'the document is foreign', status: 404, detail: notFound, ask: asAdmin(foreign) },
    ...adminRefusals(translated),
  ],
};
