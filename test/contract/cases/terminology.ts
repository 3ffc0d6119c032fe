import type { Fields } from '#test/factories.ts';
import { addGlossary, glossaryForm, tmxFile } from '#test/factories.ts';
import type { ContractFixture } from '../fixture.ts';
import { asAdmin, asCookie, asKey, asMember, asNobody, type Cases, noContent, noId } from './case.ts';

const detail = 'missing or invalid tenant credentials';
const notFound = 'terminology set not found';
const pair = { source_lang: 'en', target_lang: 'fr' };

const form = (fields: Fields = {}) => asKey(() => glossaryForm(1, fields));
const csv = (text: string, name = 'terms.csv', type = 'text/csv') => ({
  terminology_file: new File([text], name, { type }),
});
const without = (name: string) =>
  asKey(() => {
    const { [name]: _, ...rest } = glossaryForm();
    return rest;
  });
const fresh = async ({ app, founder }: ContractFixture) => ({ set_id: await addGlossary(app, founder) });
const newTerm = { ...pair, source_term: 'a new term', target_term: 'un terme' };
const freshTerm = async (fixture: ContractFixture) => ({ ...newTerm, ...(await fresh(fixture)) });

export const terminologyCases: Cases = {
  'terminology.upload': [
    { name: 'takes a CSV file', status: 200, ask: form() },
    {
      name: 'takes it by its older name, of a member',
      status: 200,
      ask: asMember(() => {
        const { terminology_file: terminology_csv, ...rest } = glossaryForm();
        return { ...rest, terminology_csv };
      }),
    },
    {
      name: 'takes a TMX file',
      status: 200,
      ask: form({ terminology_file: tmxFile(), source_lang: 'en', target_lang: 'fr-FR' }),
    },
    {
      name: 'there is no file',
      status: 400,
      detail: 'terminology_file upload is required',
      ask: without('terminology_file'),
    },
    { name: 'the file is empty', status: 400, ask: form(csv('')) },
    { name: 'the file has no term', status: 400, ask: form(csv('source_term,target_term\n')) },
    { name: 'a row’s language is none', status: 400, ask: form(csv('word,mot,Klingon\n')) },
    { name: 'the name is missing', status: 400, detail: 'name is required', ask: without('name') },
    { name: 'the name is too long', status: 400, ask: form({ name: 'n'.repeat(129) }) },
    {
      name: 'a TMX file comes without its languages',
      status: 400,
      detail: 'source_lang is required',
      ask: form({ terminology_file: tmxFile() }),
    },
    { name: 'a language is none', status: 422, ask: form({ target_lang: 'tlh' }) },
    { name: 'the terms are too many', status: 422, ask: asKey(() => glossaryForm(2001)) },
    {
      name: 'the suffix is of another kind',
      status: 415,
      detail: 'terminology_file must be a .csv or .tmx file',
      ask: form(csv('word,mot\n', 'terms.xlsx')),
    },
    {
      name: 'the content type says otherwise',
      status: 415,
      ask: form(csv('word,mot\n', 'terms.csv', 'application/xml')),
    },
    {
      name: 'it is no form',
      status: 400,
      detail: 'terminology_file upload is required',
      ask: asKey(),
      raw: { contentType: 'application/json', body: '{"name":"Words"}' },
    },
    {
      name: 'it is the file itself',
      status: 400,
      detail: 'terminology_file upload is required',
      ask: asKey(),
      raw: { contentType: 'text/csv', body: 'word,mot\n' },
    },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(() => glossaryForm()) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie(() => glossaryForm()) },
  ],
  'terminology.list': [
    { name: 'lists', status: 200, ask: asKey() },
    { name: 'lists for a member', status: 200, ask: asMember() },
    { name: 'nobody asks', status: 401, detail, ask: asNobody() },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie() },
  ],
  'terminology.exportTbx': [
    { name: 'exports', status: 200, ask: asKey(fresh) },
    {
      name: 'exports in the older edition',
      status: 200,
      ask: asMember(async (fixture) => ({ ...(await fresh(fixture)), edition: '2008' })),
    },
    { name: 'the edition is none', status: 422, ask: asKey({ set_id: noId, edition: '1999' }) },
    { name: 'there is no such set', status: 404, detail: notFound, ask: asAdmin({ set_id: noId }) },
    {
      name: 'the set is foreign',
      status: 404,
      detail: notFound,
      ask: async (fixture) => ({ input: await fresh(fixture), headers: fixture.neighbour.bearer }),
    },
    { name: 'nobody asks', status: 401, detail, ask: asNobody({ set_id: noId }) },
  ],
  'terminology.delete': [
    { name: 'deletes', status: 204, ask: asKey(fresh), rpc: noContent },
    { name: 'there is no such set', status: 404, detail: notFound, ask: asAdmin({ set_id: noId }) },
    {
      name: 'the set is foreign',
      status: 404,
      detail: notFound,
      ask: async (fixture) => ({ input: await fresh(fixture), headers: fixture.neighbour.bearer }),
    },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(fresh) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie(fresh) },
  ],
  'terminology.entries': [
    { name: 'returns terms', status: 200, ask: asKey(fresh) },
    { name: 'there is no such set', status: 404, detail: notFound, ask: asAdmin({ set_id: noId }) },
    {
      name: 'the set is foreign',
      status: 404,
      detail: notFound,
      ask: async (fixture) => ({ input: await fresh(fixture), headers: fixture.neighbour.bearer }),
    },
    { name: 'the set is missing', status: 422, ask: asMember() },
    { name: 'the cursor is none', status: 422, ask: asMember({ set_id: noId, cursor: 'zzz' }) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(fresh) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie(fresh) },
  ],
  'terminology.addEntry': [
    { name: 'adds', status: 200, ask: asKey(freshTerm) },
    { name: 'adds for a member', status: 200, ask: asMember(freshTerm) },
    {
      name: 'it has the term',
      status: 409,
      detail: 'the glossary already has this term and translation',
      ask: asKey(async (fixture) => ({
        ...(await freshTerm(fixture)),
        source_term: 'Word 0',
        target_term: 'mot 0',
      })),
    },
    { name: 'a language is none', status: 422, ask: asKey({ ...newTerm, set_id: noId, source_lang: 'zh' }) },
    {
      name: 'the languages are one',
      status: 400,
      ask: asKey({ ...newTerm, set_id: noId, target_lang: 'en-GB' }),
    },
    { name: 'the term is missing', status: 422, ask: asMember({ ...pair, set_id: noId, source_term: 'x' }) },
    {
      name: 'there is no such set',
      status: 404,
      detail: notFound,
      ask: asAdmin({ ...newTerm, set_id: noId }),
    },
    {
      name: 'the set is foreign',
      status: 404,
      detail: notFound,
      ask: async (fixture) => ({ input: await freshTerm(fixture), headers: fixture.neighbour.bearer }),
    },
    { name: 'nobody asks', status: 401, detail, ask: asNobody(freshTerm) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie(freshTerm) },
  ],
  'terminology.matches': [
    { name: 'finds', status: 200, ask: asKey({ ...pair, source_text: 'word 0', target_text: 'mot 0' }) },
    { name: 'the text is missing', status: 422, ask: asMember(pair) },
    {
      name: 'the text is too long',
      status: 413,
      detail: 'source text exceeds MAX_SOURCE_CHARS',
      ask: asKey({ ...pair, source_text: 'x'.repeat(50_001) }),
    },
    { name: 'a language is none', status: 422, ask: asKey({ ...pair, source_text: 'x', source_lang: 'zh' }) },
    { name: 'nobody asks', status: 401, detail, ask: asNobody({ ...pair, source_text: 'x' }) },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie({ ...pair, source_text: 'x' }) },
  ],
};
