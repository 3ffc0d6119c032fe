import { addDocument, type Fields, queueDocument } from '#test/factories.ts';
import type { ContractFixture } from '../fixture.ts';
import {
  asAdmin,
  asCookie,
  asKey,
  asMember,
  asNobody,
  asOperator,
  type Case,
  type Cases,
  noId,
} from './case.ts';

const detail = 'missing or invalid tenant credentials';
const notFound = 'document job not found';

const translatedWith =
  (rest: Fields = {}) =>
  async ({ app, founder }: ContractFixture) => ({ document_id: await addDocument(app, founder), ...rest });
const queued = async ({ app, founder }: ContractFixture) => ({
  document_id: await queueDocument(app, founder),
});

/** How a procedure refuses callers without a tenant; the cookie counts nowhere on /trpc. */
const unauthenticated = (input: Fields): Case[] => [
  { name: 'nobody asks', status: 401, detail, ask: asNobody(input) },
  { name: 'a cookie asks', status: 401, detail, ask: asCookie(input) },
];
/** The same, and ids that are not the tenant's. */
const refusals = (input: Fields = {}): Case[] => [
  {
    name: 'there is no such document',
    status: 404,
    detail: notFound,
    ask: asKey({ document_id: noId, ...input }),
  },
  {
    name: 'the document is foreign',
    status: 404,
    detail: notFound,
    ask: asKey(async ({ app, neighbour }) => ({
      document_id: await addDocument(app, neighbour),
      ...input,
    })),
  },
  ...unauthenticated({ document_id: noId, ...input }),
];
const invalid = (name: string, rest: Fields): Case => ({
  name,
  status: 422,
  ask: asKey(translatedWith(rest)),
});

const correction = { region_id: 'r', cell_id: 'A1', target_text: 'Salut', replaces: null };
/** A correction of the first cell. */
const correcting = (change: Fields) =>
  asMember(async ({ app, founder }) => {
    const document_id = await addDocument(app, founder);
    const path = `/api/documents/${document_id}/segments`;
    const { body } = await app.json('GET', path, { headers: founder.key });
    const { region_id } = body.segments[0];
    return { document_id, corrections: [{ region_id, cell_id: 'A1', target_text: 'Salut', ...change }] };
  });

const since = '2099-07-31T00:00:00Z';
/** How a procedure for operators refuses others. */
const operatorsOnly: Case[] = [
  { name: 'nobody asks', status: 401, detail: 'admin credentials required', ask: asNobody({ since }) },
  {
    name: 'an administrator asks',
    status: 403,
    detail: 'only platform operators can access documents of all workspaces',
    ask: asAdmin({ since }),
  },
  { name: 'the moment is none', status: 422, ask: asOperator({ since: 'today' }) },
];

/** The procedures of a reviewer's workplace, and of the operator's page. */
export const documentWorkplaceCases: Cases = {
  'documents.progress': [
    {
      name: 'tells of several, and of those that are not there',
      withoutWorkers: true,
      status: 200,
      ask: asMember(async (fixture) => ({
        document_ids: [(await queued(fixture)).document_id, noId, 'of no form'],
      })),
    },
    { name: 'no id is sent', status: 422, ask: asKey({ document_ids: [] }) },
    {
      name: 'too many ids are sent',
      status: 422,
      ask: asKey({ document_ids: Array.from({ length: 51 }, () => noId) }),
    },
    { name: 'the ids are no list', status: 422, ask: asKey({ document_ids: noId }) },
    { name: 'an id has a NUL', status: 422, ask: asKey({ document_ids: ['\0'] }) },
    ...unauthenticated({ document_ids: [noId] }),
  ],
  'documents.outline': [
    { name: 'counts', status: 200, ask: asMember(translatedWith()) },
    { name: 'has none yet', status: 200, ask: asKey(queued), withoutWorkers: true },
    ...refusals(),
  ],
  'documents.search': [
    {
      name: 'finds by every filter',
      status: 200,
      ask: asMember(
        translatedWith({
          flagged: false,
          corrected: false,
          kind: 'cell',
          page: 1,
          text: 'hello',
          text_in: 'source',
          limit: 500,
        }),
      ),
    },
    { name: 'continues', status: 200, ask: asKey(translatedWith({ cursor: '0' })) },
    { name: 'has none yet', status: 200, ask: asKey(queued), withoutWorkers: true },
    invalid('the cursor is none', { cursor: 'zzz' }),
    invalid('the cursor is beyond every position', { cursor: '9'.repeat(10) }),
    invalid('it begins in two ways', { cursor: '0', offset: 0 }),
    invalid('the kind is none', { kind: 'footnote' }),
    invalid('the page is 0', { page: 0 }),
    invalid('the page is beyond every page', { page: 2 ** 31 }),
    invalid('the unit is too long', { unit_id: 'u'.repeat(501) }),
    invalid('the text is empty', { text: '' }),
    invalid('the text is too long', { text: 't'.repeat(201) }),
    invalid('the text has a NUL', { text: '\0' }),
    invalid('the limit is out of range', { limit: 501 }),
    invalid('the offset is negative', { offset: -1 }),
    ...refusals(),
  ],
  'documents.boxes': [
    { name: 'lists a sheet', status: 200, ask: asMember(translatedWith({ page: 1, limit: 2000 })) },
    { name: 'lists all', status: 200, ask: asKey(translatedWith()) },
    { name: 'has none yet', status: 200, ask: asKey(queued), withoutWorkers: true },
    invalid('the cursor is none', { cursor: '-1' }),
    invalid('the page is 0', { page: 0 }),
    invalid('the limit is out of range', { limit: 2001 }),
    ...refusals(),
  ],
  'documents.correct': [
    { name: 'corrects what it saw', status: 200, ask: correcting({ replaces: '[fr] Hello' }) },
    {
      name: 'saw something else',
      status: 409,
      detail: 'translations have changed since they were read (1); nothing was corrected',
      ask: correcting({ replaces: null }),
    },
    { name: 'does not say what it saw', status: 422, ask: correcting({}) },
    { name: 'the cell is none', status: 422, ask: correcting({ replaces: null, cell_id: 'Z9' }) },
    invalid('nothing is corrected', { corrections: [] }),
    invalid('too much is corrected', {
      corrections: Array.from({ length: 1001 }, (_, index) => ({ ...correction, cell_id: `A${index}` })),
    }),
    invalid('a segment is named twice', {
      corrections: [correction, { ...correction, cell_id: null }, correction],
    }),
    {
      name: 'the job is in flight',
      withoutWorkers: true,
      status: 400,
      ask: asKey(async (fixture) => ({ ...(await queued(fixture)), corrections: [correction] })),
    },
    ...refusals({ corrections: [correction] }),
  ],
  'documents.check': [
    {
      name: 'checks a text',
      status: 200,
      ask: asKey(translatedWith({ position: 0, text: 'Bonjour' })),
    },
    invalid('the position is negative', { position: -1, text: 'Bonjour' }),
    invalid('the text is too long', { position: 0, text: 't'.repeat(50_001) }),
    ...refusals({ position: 0, text: 'Bonjour' }),
  ],
  'documents.confirm': [
    {
      name: 'confirms what it saw',
      status: 200,
      ask: asAdmin(translatedWith({ segments: [{ position: 0, target_text: 'Salut' }] })),
    },
    {
      name: 'saw something else',
      status: 409,
      detail: 'translations have changed since they were read (1); nothing was confirmed',
      ask: asAdmin(translatedWith({ segments: [{ position: 0, target_text: '[fr] Hello' }] })),
    },
    {
      name: 'a key names nobody',
      status: 400,
      ask: asKey(translatedWith({ segments: [{ position: 0, target_text: 'Salut' }] })),
    },
    invalid('nothing is confirmed', { segments: [] }),
    invalid('a segment is named twice', {
      segments: [0, 0].map((position) => ({ position, target_text: '[fr] Hello' })),
    }),
    ...refusals({ segments: [{ position: 0, target_text: '[fr] Hello' }] }),
  ],
  'documents.approveMany': [
    {
      name: 'approves one and refuses another',
      status: 200,
      ask: asAdmin(async ({ app, founder }) => ({ document_ids: [await addDocument(app, founder), noId] })),
    },
    { name: 'no id is sent', status: 422, ask: asAdmin({ document_ids: [] }) },
    {
      name: 'too many ids are sent',
      status: 422,
      ask: asAdmin({ document_ids: Array.from({ length: 101 }, (_, index) => `${index}`) }),
    },
    { name: 'an id is sent twice', status: 422, ask: asAdmin({ document_ids: [noId, noId] }) },
    { name: 'the notes are no text', status: 422, ask: asAdmin({ document_ids: [noId], notes: 5 }) },
    ...unauthenticated({ document_ids: [noId] }),
  ],
  'documents.outage': [{ name: 'counts', status: 200, ask: asOperator({ since }) }, ...operatorsOnly],
  'documents.requeue': [
    { name: 'finds none', status: 200, ask: asOperator({ since }) },
    { name: 'only counts', status: 200, ask: asOperator({ since, dry_run: true }) },
    { name: 'names nothing', status: 422, ask: asOperator({}) },
    {
      name: 'there is no such document',
      status: 404,
      detail: notFound,
      ask: asOperator({ document_id: noId }),
    },
    {
      name: 'the document did not fail',
      status: 409,
      ask: asOperator(queued),
    },
    ...operatorsOnly,
  ],
};
