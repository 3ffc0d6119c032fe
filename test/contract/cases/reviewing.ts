import { submitHeld } from '../../factories.ts';
import type { ContractFixture } from '../fixture.ts';
import { asAdmin, asCookie, asKey, asMember, asNobody, type Cases, noId } from './case.ts';

const detail = 'missing or invalid tenant credentials';
const noBearer = 'missing bearer token';
const noJob = 'job not found';
const job = ({ jobId }: ContractFixture) => ({ job_id: jobId });
const unknown = { job_id: noId };
const held = async ({ app, founder }: ContractFixture) => ({ job_id: await submitHeld(app, founder) });
const heldItem = async (fixture: ContractFixture) => ({ kind: 'job', id: (await held(fixture)).job_id });
/** A review of a fresh job that waits for one, as it is now. */
const acting = (review: Record<string, unknown>) => async (fixture: ContractFixture) => {
  const { job_id } = await held(fixture);
  const { app, founder } = fixture;
  const { body } = await app.json('GET', `/api/translations/${job_id}`, { headers: founder.key });
  return { job_id, updated_at: body.updated_at, ...review };
};
const long = 'x'.repeat(100_001);

/** What a reviewer calls in the web application: over /trpc only. */
export const reviewingCases: Cases = {
  'translations.search': [
    { name: 'lists', status: 200, ask: asKey() },
    { name: 'filters', status: 200, ask: asMember({ statuses: ['published'], text: 'Hello' }) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody() },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie() },
    { name: 'the cursor is none', status: 422, ask: asKey({ cursor: 'zzz' }) },
    { name: 'the language is unknown', status: 422, ask: asKey({ target_lang: 'xx' }) },
    { name: 'the text is empty', status: 422, ask: asKey({ text: '' }) },
    { name: 'there is no status to search', status: 422, ask: asKey({ statuses: [] }) },
    { name: 'the year is none of ours', status: 422, ask: asKey({ updated_from: '0000-01-01T00:00:00Z' }) },
  ],
  'translations.counts': [
    { name: 'counts', status: 200, ask: asKey() },
    { name: 'nobody asks', status: 401, detail, ask: asNobody() },
  ],
  'translations.check': [
    { name: 'checks', status: 200, ask: asKey((at) => ({ ...job(at), text: 'Bonjour' })) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody({ ...unknown, text: 'x' }) },
    { name: 'the job is unknown', status: 404, detail: noJob, ask: asKey({ ...unknown, text: 'x' }) },
    { name: 'the text is too long', status: 422, ask: asKey((at) => ({ ...job(at), text: long })) },
  ],
  'translations.act': [
    { name: 'approves', status: 200, ask: asMember(acting({ action: 'approve' })) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(acting({ action: 'approve' })) },
    {
      name: 'the job is unknown',
      status: 404,
      detail: noJob,
      ask: asKey({ ...unknown, action: 'approve', updated_at: '2026-01-01T00:00:00Z' }),
    },
    {
      name: 'the job has changed',
      status: 409,
      ask: asMember(acting({ action: 'approve', updated_at: '2026-01-01T00:00:00Z' })),
    },
    { name: 'no version is named', status: 422, ask: asKey({ ...unknown, action: 'approve' }) },
    { name: 'the text is missing', status: 422, ask: asKey(acting({ action: 'modify' })) },
  ],
  'translations.reviewMany': [
    {
      name: 'approves',
      status: 200,
      ask: asMember(async (at) => ({ reviews: [{ ...(await held(at)), action: 'approve' }] })),
    },
    {
      name: 'all are refused',
      status: 200,
      ask: asKey({ reviews: [{ ...unknown, action: 'approve' }] }),
    },
    {
      name: 'nobody asks',
      status: 401,
      detail,
      ask: asNobody({ reviews: [{ ...unknown, action: 'approve' }] }),
    },
    { name: 'it is empty', status: 422, ask: asKey({ reviews: [] }) },
    {
      name: 'it is too long',
      status: 422,
      ask: asKey({ reviews: Array.from({ length: 101 }, (_, n) => ({ job_id: `${n}`, action: 'approve' })) }),
    },
    {
      name: 'a job is named twice',
      status: 422,
      ask: asKey({ reviews: ['approve', 'reject'].map((action) => ({ ...unknown, action })) }),
    },
  ],
  'reviews.next': [
    { name: 'finds a job', status: 200, ask: asMember() },
    { name: 'nobody asks', status: 401, detail: noBearer, ask: asNobody() },
    { name: 'a key asks', status: 401, detail: noBearer, ask: asKey() },
    { name: 'a cookie asks', status: 401, detail: noBearer, ask: asCookie() },
    { name: 'the cursor is none', status: 422, ask: asMember({ after: 'zzz' }) },
    { name: 'the language is unknown', status: 422, ask: asMember({ source_lang: 'xx' }) },
  ],
  'reviews.byReviewer': [
    { name: 'reports', status: 200, ask: asAdmin() },
    { name: 'the range is too long', status: 400, ask: asAdmin({ from: '2025-01-01', to: '2026-02-01' }) },
    { name: 'the day is none', status: 422, ask: asAdmin({ from: '2026-02-30' }) },
    { name: 'the range is none', status: 422, ask: asAdmin({ from: '2026-02-02', to: '2026-02-01' }) },
    { name: 'a member asks', status: 403, detail: 'admin role required', ask: asMember() },
    { name: 'a key asks', status: 401, detail: noBearer, ask: asKey() },
    { name: 'nobody asks', status: 401, detail: noBearer, ask: asNobody() },
    { name: 'a cookie asks', status: 401, detail: noBearer, ask: asCookie() },
  ],
  'reviews.reopen': [
    {
      name: 'reopens a rejected job',
      status: 200,
      ask: asAdmin(async (fixture) => {
        const item = await heldItem(fixture);
        const path = `/api/translations/${item.id}/review`;
        const headers = fixture.founder.bearer;
        await fixture.app.json('POST', path, { headers, body: { action: 'reject' } });
        return item;
      }),
    },
    {
      name: 'the job is not closed',
      status: 409,
      detail: 'the job is not closed (status=awaiting_review)',
      ask: asMember(heldItem),
    },
    {
      name: 'a member did not decide',
      status: 403,
      ask: asMember(({ jobId }) => ({ kind: 'job', id: jobId })),
    },
    { name: 'the job is unknown', status: 404, detail: noJob, ask: asMember({ kind: 'job', id: noId }) },
    {
      name: 'the document is unknown',
      status: 404,
      detail: 'document job not found',
      ask: asMember({ kind: 'document', id: noId }),
    },
    { name: 'the kind is unknown', status: 422, ask: asMember({ kind: 'page', id: noId }) },
    { name: 'a key asks', status: 401, detail: noBearer, ask: asKey({ kind: 'job', id: noId }) },
    { name: 'nobody asks', status: 401, detail: noBearer, ask: asNobody({ kind: 'job', id: noId }) },
  ],
  'reviews.claim': [
    { name: 'claims', status: 200, ask: asMember(({ jobId }) => ({ kind: 'job', id: jobId })) },
    { name: 'nobody asks', status: 401, detail: noBearer, ask: asNobody({ kind: 'job', id: noId }) },
    { name: 'a key asks', status: 401, detail: noBearer, ask: asKey({ kind: 'job', id: noId }) },
    { name: 'the job is unknown', status: 404, detail: noJob, ask: asMember({ kind: 'job', id: noId }) },
    {
      name: 'the document is unknown',
      status: 404,
      detail: 'document job not found',
      ask: asMember({ kind: 'document', id: noId }),
    },
    { name: 'the kind is unknown', status: 422, ask: asMember({ kind: 'page', id: noId }) },
  ],
};
