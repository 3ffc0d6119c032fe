import type { Fields } from '#test/factories.ts';
import { addMemory, approvePair, beginImport, memoryForm, tmxFile } from '#test/factories.ts';
import { found, type Person } from '../../factories.ts';
import type { Ask } from '../call.ts';
import type { ContractFixture } from '../fixture.ts';
import { asAdmin, asCookie, asKey, asMember, asNobody, type Cases, noContent, noId } from './case.ts';

const detail = 'missing or invalid tenant credentials';
const noSet = 'translation memory set not found';
const noImport = 'import job not found';
const noPairs = 'no approved golden pairs for this language pair';
const noPair = 'source_lang and target_lang query params are required';
const pair = { source_lang: 'en', target_lang: 'fr' };

const form = (fields: Fields = {}, units = 1) => asKey(() => memoryForm(units, fields));
const without = (name: string) =>
  asKey(() => {
    const { [name]: _, ...rest } = memoryForm();
    return rest;
  });
const file = (text: string) => ({ tmx_file: new File([text], 'units.tmx', { type: 'text/xml' }) });
const set = async ({ app, founder }: ContractFixture) => ({ set_id: await addMemory(app, founder) });

/** A new founder, in whose workspace nothing else is under way. */
const asFounder =
  (input: (app: ContractFixture['app'], founder: Person) => Promise<Fields>) =>
  async ({ app }: ContractFixture): Promise<Ask> => {
    const founder = await found(app);
    return { input: await input(app, founder), headers: founder.key };
  };
/** One founder's sets, requested by another. */
const asNeighbour =
  (input: (app: ContractFixture['app'], founder: Person) => Promise<Fields>) =>
  async ({ app, neighbour }: ContractFixture): Promise<Ask> => ({
    input: await input(app, await found(app)),
    headers: neighbour.key,
  });
const importing = async (app: ContractFixture['app'], founder: Person) => ({
  job_id: await beginImport(app, founder),
});
const stored = async (app: ContractFixture['app'], founder: Person) => ({
  set_id: await addMemory(app, founder),
});
const approved = async (app: ContractFixture['app'], founder: Person) => {
  await approvePair(app, founder);
  return pair;
};

export const memoryCases: Cases = {
  'memory.import': [
    { name: 'stores a small file', status: 200, ask: form() },
    {
      name: 'stores it for a member, its languages read',
      status: 200,
      ask: asMember(() => memoryForm(1, { source_lang: 'en-US', target_lang: 'FR' })),
    },
    { name: 'goes on with a large one', status: 202, ask: asFounder(async () => memoryForm(2)) },
    {
      name: 'goes on with one of that name',
      status: 409,
      detail: 'tm_import_in_progress: an import into a set of this name is running; wait until it has ended',
      ask: asFounder(async (app, founder) => {
        await beginImport(app, founder, 'Units');
        return memoryForm();
      }),
    },
    {
      name: 'there is no file',
      status: 400,
      detail: 'tmx_file upload is required',
      ask: without('tmx_file'),
    },
    { name: 'the file is empty', status: 400, ask: form(file('')) },
    { name: 'it is no XML inside', status: 400, ask: form(file('word,mot')) },
    {
      name: 'nothing is in both languages',
      status: 400,
      ask: form({ source_lang: 'de' }),
    },
    { name: 'the name is missing', status: 400, detail: 'name is required', ask: without('name') },
    { name: 'the name is kept for approved work', status: 400, ask: form({ name: 'golden-approved-en-fr' }) },
    {
      name: 'the source’s language is missing',
      status: 400,
      detail: 'source_lang is required',
      ask: without('source_lang'),
    },
    {
      name: 'the target’s language is missing',
      status: 400,
      detail: 'target_lang is required',
      ask: without('target_lang'),
    },
    { name: 'a language is none', status: 422, ask: form({ target_lang: 'pt' }) },
    { name: 'the segments are too many', status: 422, ask: form({ name: 'Too many' }, 101) },
    {
      name: 'the suffix is of another kind',
      status: 415,
      detail: 'tmx_file must be a .tmx file',
      ask: form({ tmx_file: tmxFile(1, 'units.xml') }),
    },
    {
      name: 'the content type is none of XML',
      status: 415,
      detail: 'tmx_file must be XML (TMX 1.4b)',
      ask: form({ tmx_file: tmxFile(1, 'units.tmx', 'text/plain') }),
    },
    {
      name: 'it is no form',
      status: 400,
      detail: 'tmx_file upload is required',
      ask: asKey(),
      raw: { contentType: 'application/json', body: '{"name":"Units"}' },
    },
    {
      name: 'it is the file itself',
      status: 400,
      detail: 'tmx_file upload is required',
      ask: asKey(),
      raw: { contentType: 'application/xml', body: '<tmx version="1.4"/>' },
    },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(() => memoryForm()) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie(() => memoryForm()) },
  ],
  'memory.list': [
    { name: 'lists', status: 200, ask: asKey() },
    { name: 'nobody asks', status: 401, detail, ask: asNobody() },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie() },
  ],
  'memory.listImports': [
    {
      name: 'lists',
      // A worker would go on between the two answers.
      withoutWorkers: true,
      status: 200,
      ask: asFounder(async (app, founder) => {
        await beginImport(app, founder);
        return {};
      }),
    },
    { name: 'there are none', status: 200, ask: asFounder(async () => ({})) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody() },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie() },
  ],
  'memory.getImport': [
    { name: 'finds', withoutWorkers: true, status: 200, ask: asFounder(importing) },
    { name: 'there is no such import', status: 404, detail: noImport, ask: asKey({ job_id: noId }) },
    { name: 'the import is foreign', status: 404, detail: noImport, ask: asNeighbour(importing) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody({ job_id: noId }) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie({ job_id: noId }) },
  ],
  'memory.delete': [
    { name: 'deletes', status: 204, ask: asAdmin(set), rpc: noContent },
    {
      name: 'an import into it goes on',
      withoutWorkers: true,
      status: 409,
      detail:
        'tm_import_in_progress: an import into this set is running; delete it when the import has ended',
      ask: asFounder(async (app, founder) => {
        const input = await stored(app, founder);
        await beginImport(app, founder, 'Units');
        return input;
      }),
    },
    { name: 'there is no such set', status: 404, detail: noSet, ask: asKey({ set_id: noId }) },
    { name: 'the set is foreign', status: 404, detail: noSet, ask: asNeighbour(stored) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody({ set_id: noId }) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie({ set_id: noId }) },
  ],
  'memory.export': [
    { name: 'downloads', status: 200, ask: asKey(set) },
    { name: 'there is no such set', status: 404, detail: noSet, ask: asKey({ set_id: noId }) },
    { name: 'the set is foreign', status: 404, detail: noSet, ask: asNeighbour(stored) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody({ set_id: noId }) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie({ set_id: noId }) },
  ],
  'memory.exportGolden': [
    { name: 'downloads', status: 200, ask: asFounder(approved) },
    {
      name: 'downloads what the languages stand for',
      status: 200,
      ask: asFounder(async (app, founder) => {
        await approved(app, founder);
        return { source_lang: 'EN-us', target_lang: 'fr-FR' };
      }),
    },
    { name: 'nothing was approved', status: 404, detail: noPairs, ask: asFounder(async () => pair) },
    { name: 'what was approved is foreign', status: 404, detail: noPairs, ask: asNeighbour(approved) },
    { name: 'a language is blank', status: 400, detail: noPair, ask: asKey({ ...pair, target_lang: ' ' }) },
    { name: 'a language is missing', status: 400, detail: noPair, ask: asKey({ target_lang: 'fr' }) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(pair) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie(pair) },
  ],
  'memory.browse': [
    { name: 'returns units', status: 200, ask: asKey(set) },
    { name: 'finds a text in all sets', status: 200, ask: asMember({ text: 'unit', ...pair }) },
    { name: 'there is no such set', status: 404, detail: noSet, ask: asKey({ set_id: noId }) },
    { name: 'the set is foreign', status: 404, detail: noSet, ask: asNeighbour(stored) },
    { name: 'a language is none', status: 422, ask: asKey({ target_lang: 'pt' }) },
    { name: 'the cursor is none', status: 422, ask: asKey({ cursor: 'zzz' }) },
    { name: 'the limit is out of range', status: 422, ask: asKey({ limit: 0 }) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody() },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie() },
  ],
  'memory.concordance': [
    { name: 'finds', status: 200, ask: asKey({ ...pair, text: 'unit' }) },
    { name: 'the text is missing', status: 422, ask: asKey(pair) },
    { name: 'a language is blank', status: 400, ask: asKey({ ...pair, text: 'unit', source_lang: '' }) },
    { name: 'the cursor is none', status: 422, ask: asKey({ ...pair, text: 'unit', cursor: 'zzz' }) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody({ ...pair, text: 'unit' }) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie({ ...pair, text: 'unit' }) },
  ],
  'memory.matches': [
    { name: 'finds', status: 200, ask: asKey({ ...pair, source_text: 'Unit 0' }) },
    { name: 'the text is missing', status: 422, ask: asKey(pair) },
    {
      name: 'the text is too long',
      status: 413,
      detail: 'source text exceeds MAX_SOURCE_CHARS',
      ask: asKey({ ...pair, source_text: 'x'.repeat(50_001) }),
    },
    { name: 'a language is none', status: 422, ask: asKey({ source_text: 'x', ...pair, target_lang: 'zh' }) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody({ ...pair, source_text: 'x' }) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie({ ...pair, source_text: 'x' }) },
  ],
};
