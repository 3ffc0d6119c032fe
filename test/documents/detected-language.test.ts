import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine });

const mine = useDocuments(app, engine);

const german = 'Bitte speichern Sie Ihre Änderungen, bevor Sie diese Seite verlassen.';
const corpusFile = (name: string) => {
  const file = readFileSync(new URL(`../corpus/${name}`, import.meta.url));
  return new File([file], name.split('/').at(-1) as string);
};
const codesOf = ({ warnings }: { warnings: { code: string; field: string }[] }) =>
  warnings.map(({ code, field }) => `${code} ${field}`);

describe('a document with source_lang "auto"', () => {
  test('is in the detected language, and so are the engine’s tasks', async () => {
    const body = await mine.translate([german, 'Guten Morgen'], { source_lang: 'auto' });
    expect(body).toMatchObject({
      request: {
        source_lang: 'de',
        metadata: { source_lang_detection: { language: 'de', confidence: 0.99 } },
      },
      quality_report: { source_lang: 'de' },
      warnings: [],
    });
    expect(engine.asked[0]).toMatchObject({ sourceLang: 'de' });
  });

  test.each([
    ['docx/japanese-ruby-tables.docx', 'ja'],
    ['pdf/chinese-report-tables.pdf', 'zh-Hans'],
  ])('%s: %s', async (name, language) => {
    const { status, body } = await mine.send({ source_document: corpusFile(name), source_lang: 'auto' });
    expect([status, body.detail]).toEqual([202, undefined]);
    expect(body.request.source_lang).toBe(language);
  });

  test('whose language is open is 422, before a job exists', async () => {
    const { status, body } = await mine.send({
      source_document: workbookFile(['OK', '42']),
      source_lang: 'auto',
    });
    expect(status).toBe(422);
    expect(body.detail).toMatch(/^source_lang could not be detected: the text of source_document /);
    for (const name of ['pdf/made-scanned-no-text.pdf', 'bad/password-user.pdf', 'bad/garbage.pdf']) {
      const refused = await mine.send({ source_document: corpusFile(name), source_lang: 'auto' });
      expect([refused.status, refused.body.detail]).toEqual([
        422,
        expect.stringMatching(/^source_lang could not be detected: .*; send /),
      ]);
    }
    expect((await mine.listDocuments()).body).toEqual([]);
  });
});

describe('a document warns of', () => {
  test('a text that is not in its stated language, once it is extracted', async () => {
    const id = await mine.queue([german]);
    expect(codesOf(await mine.read(id))).toEqual([]);
    await mine.run(id);
    const job = await mine.read(id);
    expect(job.status).toBe('translated');
    expect(job.warnings).toEqual([
      {
        code: 'source_language_mismatch',
        field: 'source_lang',
        message: expect.stringContaining('looks like German (de)'),
      },
    ]);
  });
});
