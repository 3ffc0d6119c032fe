import { expect, test } from 'vitest';
import { ConnectionError, LinguaLoop, LinguaLoopError } from '#sdk/index.ts';

/** A client whose service responds with this export. */
function clientOf(body: string, type: string, sent: Request[] = []): LinguaLoop {
  return new LinguaLoop({
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'a',
    maxRetries: 0,
    fetch: async (url, init) => {
      sent.push(new Request(url, init));
      const headers = {
        'content-type': type,
        'content-disposition': 'attachment; filename="a.xlf"',
        'x-next-cursor': 'c',
      };
      return new Response(body, { headers });
    },
  });
}

const xliff = '<xliff>é</xliff>\n';

test('an export has its text, its name and the cursor of the next page, and asks by Accept', async () => {
  const sent: Request[] = [];
  const client = clientOf(xliff, 'application/xliff+xml', sent);
  const page = await client.translations.exportXliff({ target_lang: 'fr', limit: 2 });
  expect(page).toEqual({ text: xliff, fileName: 'a.xlf', nextCursor: 'c' });
  const [request] = sent;
  expect([request?.method, request?.headers.get('accept'), new URL(request?.url ?? '').search]).toEqual([
    'GET',
    'application/xliff+xml',
    '?target_lang=fr&limit=2',
  ]);
});

test.each([
  ['is cut off', '<xliff><file>', 'application/xliff+xml'],
  ['is a page of a proxy', '<html></html>', 'text/html'],
])('an export that %s is an error, not a short file', async (_, body, type) => {
  await expect(clientOf(body, type).documents.exportXliff('a')).rejects.toThrow(LinguaLoopError);
});

test('each edition of TBX has its own end', async () => {
  const ended = (edition: '2019' | '2008', end: string) =>
    clientOf(`<a/>${end}`, 'application/x-tbx+xml').terminology.exportTbx('a', { edition });
  expect((await ended('2019', '</tbx>')).text).toBe('<a/></tbx>');
  expect((await ended('2008', '</martif>')).text).toBe('<a/></martif>');
  await expect(ended('2008', '</tbx>')).rejects.toThrow(ConnectionError);
});

test('a review sends the document as it is, and the rest in the query', async () => {
  const sent: Request[] = [];
  const client = new LinguaLoop({
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'a',
    fetch: async (url, init) => {
      sent.push(new Request(url, init));
      return Response.json({ id: 'j' });
    },
  });
  await client.translations.reviewXliff('j', xliff, { action: 'approve', notes: 'é&' });
  const [request] = sent;
  expect([request?.method, request?.headers.get('content-type'), await request?.text()]).toEqual([
    'POST',
    'application/xliff+xml',
    xliff,
  ]);
  expect(request?.url).toBe('http://127.0.0.1:1/api/translations/j/review?action=approve&notes=%C3%A9%26');
});
