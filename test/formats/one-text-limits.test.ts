import { expect, test } from 'vitest';
import { limits } from '#server/formats/file-error.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();
const { oneTextChars, oneTextTags } = limits;

const xliff = (source: string) =>
  `<?xml version="1.0"?><xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en"
  target-language="fr" datatype="plaintext" original="a"><body><trans-unit id="1"><source>${source}</source></trans-unit></body></file></xliff>`;

/** A file whose only text has so many characters or tags. */
const files: Record<string, (size: number) => string> = {
  'tags.xlf': (size) => xliff(Array.from({ length: size }, (_, id) => `a<x id="${id}"/>`).join('')),
  'tags.html': (size) => `<p>${'a<br>'.repeat(size)}a</p>`,
  'text.json': (size) => JSON.stringify({ a: 'a %s: b.'.repeat(size / 8 + 1).slice(-size) }),
  'text.md': (size) => 'a '.repeat(size / 2).replace(/ $/, 'a'),
};

async function send(name: string, content: string) {
  const { headers } = await app.signUp();
  const form = new FormData();
  form.set('source_document', new File([content], name));
  form.set('target_lang', 'fr');
  const response = await app.request('/api/documents/translate', {
    method: 'POST',
    headers,
    body: form,
  });
  return { status: response.status, body: (await response.json()) as { detail?: string } };
}

test.each(Object.entries(files))('%s: the size of one text is limited', async (name, contentOf) => {
  const [most, what] = name.startsWith('tags') ? [oneTextTags, 'tags'] : [oneTextChars, 'characters'];
  const refused = await send(name, contentOf(most + 2));
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    expect.stringContaining(
      `the number of ${what} in one text of the file is over the limit of ${most.toLocaleString('en-US')}`,
    ),
  ]);
  expect((await send(name, contentOf(most))).status).toBe(202);
});

test.each([
  ['lists', '- '.repeat(5000)],
  ['flows', '['.repeat(20_000)],
])('%s of YAML that are nested too deeply are rejected for this reason', async (_, opened) => {
  const { status, body } = await send('a.yaml', `${opened}a\n`);
  expect([status, body.detail]).toEqual([400, 'source_document: the file is nested too deeply']);
});
