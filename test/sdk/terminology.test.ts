import { describe, expect, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { failure, type Received, type Step, useScriptedServer } from './scripted-server.ts';

const app = useTestApp();

async function founded() {
  const { apiKey } = await app.signUp();
  return new sdk.LinguaLoop({ baseUrl: app.address, apiKey });
}

const csv = {
  name: 'menu.csv',
  data: new TextEncoder().encode('source_term,target_term\nsoup,potage\nbread roll,petit pain\n'),
};
const unit = (en: string, fr: string) =>
  `<tu><tuv xml:lang="en"><seg>${en}</seg></tuv><tuv xml:lang="fr"><seg>${fr}</seg></tuv></tu>`;
const tmx = new File(
  [`<tmx version="1.4"><header srclang="en"/><body>${unit('soup', 'soupe')}</body></tmx>`],
  'menu.tmx',
);

describe('B 4.4: glossaries', () => {
  test('a CSV file becomes one, which without languages applies to any pair', async () => {
    const { terminology } = await founded();
    const { warnings, ...set } = await terminology.upload(csv, { name: 'Menu' });
    expect(warnings.join()).toContain('apply to every language pair');
    expect(set).toMatchObject({ name: 'Menu', source_lang: null, target_lang: null, entry_count: 2 });
    expect(await terminology.list()).toEqual([set]);
  });

  test('one of the same name is replaced, and keeps its id; a TMX file is recognized by its name', async () => {
    const { terminology } = await founded();
    const first = await terminology.upload(csv, { name: 'Menu', source_lang: 'en', target_lang: 'fr' });
    const { warnings, ...second } = await terminology.upload(tmx, {
      name: 'Menu',
      source_lang: 'en-US',
      target_lang: 'fr',
    });
    expect(warnings).toEqual([]);
    expect(second).toMatchObject({ id: first.id, source_lang: 'en-US', target_lang: 'fr', entry_count: 1 });
    expect(await terminology.list()).toEqual([second]);
  });

  test('many are read page after page, last changed first', async () => {
    const { terminology } = await founded();
    for (const name of ['one', 'two', 'three']) await terminology.upload(csv, { name });
    const all = await terminology.list();
    const first = await terminology.setPage({ limit: 2 });
    expect(first.items).toEqual(all.slice(0, 2));
    const second = await first.nextPage();
    expect([second?.items, second?.nextCursor]).toEqual([all.slice(2), null]);
    expect(await terminology.sets({ limit: 1 }).toArray({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await terminology.sets().toArray({ limit: 10 })).toEqual(all);
    await expect(terminology.setPage({ cursor: 'x' })).rejects.toMatchObject({ status: 422 });
  });

  test('its terms are used', async () => {
    const { terminology, translations } = await founded();
    await terminology.upload(csv, { name: 'Menu', source_lang: 'en', target_lang: 'fr' });
    const job = await translations.create({ source_text: 'bread roll', target_lang: 'fr' });
    expect(job.final_translation).toBe('petit pain');
    expect(job.request.metadata).toMatchObject({ provenance: { fast_path: 'glossary_exact' } });
  });

  test('is deleted once', async () => {
    const { terminology } = await founded();
    const { id } = await terminology.upload(csv, { name: 'Menu' });
    expect(await terminology.delete(id)).toBeUndefined();
    expect(await terminology.list()).toEqual([]);
    await expect(terminology.delete(id)).rejects.toBeInstanceOf(sdk.NotFoundError);
  });

  test.each<[string, sdk.SourceFile, sdk.TerminologyUpload, string, RegExp]>([
    [
      'a line',
      { ...csv, data: new TextEncoder().encode('a,b,xx\n') },
      { name: 'M' },
      'BadRequestError',
      /line 1/,
    ],
    ['the name', csv, { name: ' ' }, 'BadRequestError', /name is required/],
    ['a language', csv, { name: 'M', source_lang: 'xx' }, 'UnprocessableContentError', /source_lang/],
    [
      'the kind of file',
      { ...csv, name: 'm.xls' },
      { name: 'M' },
      'UnsupportedMediaTypeError',
      /csv or \.tmx/,
    ],
  ])('faults are reported: %s', async (_, file, request, name, message) => {
    const error = await (await founded()).terminology.upload(file, request).catch((thrown) => thrown);
    expect(error).toMatchObject({ name, answeredBy: 'service' });
    expect(error.message).toMatch(message);
  });
});

describe('the upload', () => {
  const server = useScriptedServer();
  const client = () => new sdk.LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 } });
  const set: Step = { status: 200, body: { id: 's', name: 'Menu', entry_count: 2 } };

  async function formOf({ body, headers }: Received): Promise<FormData> {
    const type = { 'content-type': headers['content-type']! };
    return new Response(new Uint8Array(body), { headers: type }).formData();
  }

  test.each<[string, sdk.SourceFile, string]>([
    ['CSV', csv, 'text/csv'],
    [
      'CSV that a browser takes for something else',
      new File(['a,b'], 'a.CSV', { type: 'text/html' }),
      'text/csv',
    ],
    ['TMX', tmx, 'application/xml'],
    ['no extension', new File(['a,b'], 'terms', { type: 'text/csv' }), 'text/csv'],
    ['what the caller says', { ...csv, contentType: 'text/plain' }, 'text/plain'],
  ])('declares a type that the service accepts: %s', async (_, file, type) => {
    server.script(set);
    await client().terminology.upload(file, { name: 'Menu', source_lang: 'en', target_lang: undefined });
    const form = await formOf(server.received[0]!);
    expect([...form.keys()]).toEqual(['name', 'source_lang', 'terminology_file']);
    expect(form.get('terminology_file')).toMatchObject({ name: file.name, type });
  });

  test.each<[string, Step]>([
    ['the connection breaks', 'cut off'],
    ['the answer breaks off', 'cut off within the answer'],
    ['503 transient_error', failure(503, 'try again', { error_code: 'transient_error' })],
  ])('is sent again unchanged, for the same glossary: %s', async (_, step) => {
    server.script(step, set);
    expect(await client().terminology.upload(csv, { name: 'Menu' })).toMatchObject({ id: 's' });
    const contents = server.received.map(async (received) =>
      ((await formOf(received)).get('terminology_file') as File).text(),
    );
    expect(new Set(await Promise.all(contents))).toEqual(new Set([new TextDecoder().decode(csv.data)]));
    expect(server.received).toHaveLength(2);
  });

  test.each<[string, Step]>([
    ['a page', { status: 200, body: '<p>Please sign in</p>' }],
    ['other JSON', { status: 200, body: [] }],
  ])("success that is not the service's is an error: %s", async (_, step) => {
    server.script(step);
    const call = client().terminology.upload(csv, { name: 'Menu' });
    await expect(call).rejects.toMatchObject({ status: 200, answeredBy: 'other' });
  });

  test('a deletion is not sent again after a lost response: the second would be a 404', async () => {
    server.script('cut off');
    await expect(client().terminology.delete('s')).rejects.toBeInstanceOf(sdk.ConnectionError);
    expect(server.received).toHaveLength(1);
  });
});
