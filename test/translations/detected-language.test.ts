import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useWorkspace } from './workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const mine = useWorkspace(app);

const german = 'Bitte speichern Sie Ihre Änderungen, bevor Sie diese Seite verlassen.';
const japanese = '変更内容を保存してから、このページを離れてください。';
const detected = (language: string) => ({
  source_lang: language,
  metadata: { source_lang_detection: { language, confidence: expect.closeTo(0.99, 2) } },
});

describe('source_lang "auto"', () => {
  test('is the detected language on the job, with the confidence of the detection', async () => {
    const { body } = await mine.submit({ source_text: german, source_lang: 'AUTO', target_lang: 'fr' });
    expect(body).toMatchObject({ status: 'published', request: detected('de'), warnings: [] });
    expect(await mine.read(body.id)).toEqual(body);
  });

  test('a text whose language is open is 422 with the candidates, and makes nothing', async () => {
    const { status, body } = await mine.submit({
      source_text: 'Han kommer hver dag fra byen til stranden',
      source_lang: 'auto',
      target_lang: 'fr',
    });
    expect(status).toBe(422);
    expect(body.detail).toMatch(
      /^source_lang could not be detected: source_text may be in .*nb \(Norwegian\).*; send its language in source_lang$/,
    );
    const { body: short } = await mine.submit({ source_text: '42', source_lang: 'auto', target_lang: 'fr' });
    expect(short.detail).toMatch(/too short, or not in a supported language; send one of: en, es, /);
    expect([body.candidates, short.candidates]).toEqual([expect.arrayContaining(['nb', 'da']), []]);
    expect(await mine.list()).toEqual([]);
  });

  test('each item of a batch has its own; an open one is named, and nothing runs', async () => {
    const batch = (...texts: string[]) =>
      mine.submit({
        inputs: texts.map((Text) => ({
          Text,
          Language: 'auto',
          Targets: [{ Language: 'fr' }, { Language: 'es' }],
        })),
      });
    const { body } = await batch(german, japanese);
    expect(body.map(({ request }: { request: { source_lang: string } }) => request.source_lang)).toEqual([
      'de',
      'de',
      'ja',
      'ja',
    ]);
    const refused = await batch(german, 'OK');
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toMatch(/^inputs\[1\]\.Language could not be detected: inputs\[1\]\.Text /);
    expect(await mine.list()).toHaveLength(4);
  });

  test('a file is detected as a whole, and its pages have that language', async () => {
    const form = new FormData();
    form.append('target_lang', 'fr');
    form.append('source_lang', 'auto');
    form.append('source_document', new File([`${german}\n`.repeat(100)], 'note.txt', { type: 'text/plain' }));
    const { body } = await mine.post(form, {});
    expect(body).toHaveLength(2);
    for (const job of body) expect(job.request).toMatchObject(detected('de'));
    const text = await mine.submit({
      source_text: german,
      source_lang: 'auto',
      target_lang: 'fr',
      metadata: { source_document: { name: 'a.txt' } },
    });
    expect(text.body[0].request).toMatchObject(detected('de'));
  });
});
