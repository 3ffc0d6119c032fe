import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectServed } from './fast-path-jobs.ts';
import { openSets, type Sets, unsupported } from './sets.ts';
import { tmx, tmxOf, unit } from './tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeAll(async () => {
  mine = await openSets(app);
});

/** How each spelling reads (B 4.4). */
const readings: [string, string][] = [
  ['de', 'de'],
  ['DE', 'de'],
  ['de-AT', 'de'],
  ['fr-FR', 'fr'],
  ['fr-BE', 'fr'],
  ['fr-CA', 'fr-CA'],
  ['FR-ca', 'fr-CA'],
  ['es-MX', 'es'],
  ['es-419', 'es'],
  ['pt-BR', 'pt-BR'],
  ['pt-br', 'pt-BR'],
  ['pt-PT', 'pt-PT'],
  ['zh-TW', 'zh-Hant'],
  ['zh-HK', 'zh-Hant'],
  ['zh-MO', 'zh-Hant'],
  ['zh-Hant', 'zh-Hant'],
  ['zh-Hant-HK', 'zh-Hant'],
  ['zh-CN', 'zh-Hans'],
  ['zh-SG', 'zh-Hans'],
  ['zh-MY', 'zh-Hans'],
  ['ZH-hans', 'zh-Hans'],
  ['zh-Hans-CN', 'zh-Hans'],
  ['no', 'nb'],
  ['no-NO', 'nb'],
  ['nob', 'nb'],
  ['nb-NO', 'nb'],
  ['ja-JP', 'ja'],
];

describe('B 4.4 "Language code reading"', () => {
  test.each(readings)('a memory declared into %s serves requests into %s', async (declared, language) => {
    const source = `declared ${declared}`;
    const answer = await mine.importFile(tmx([[source, `t ${declared}`]], 'en', language), {
      name: source,
      target_lang: declared,
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const job = await mine.job({ source_text: source, target_lang: language });
    expectServed(job, 'tm_exact', `t ${declared}`);
  });

  test.each(readings)('a variant tagged %s is one of a memory into %s', async (tag, language) => {
    const source = `tagged ${tag}`;
    const answer = await mine.importFile(tmx([[source, `t ${tag}`]], 'EN-us', tag), {
      name: source,
      target_lang: language,
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const job = await mine.job({ source_text: source, target_lang: language });
    expectServed(job, 'tm_exact', `t ${tag}`);
  });

  test.each(['zh', 'pt', 'pt-AO', 'xx', 'english', ''])('%j stands for no language', async (code) => {
    const name = `none ${code}`;
    const file = tmx([['Hello', 'x']], 'en', code || 'und');
    const declared = await mine.importFile(file, { name, target_lang: code || 'und' });
    expect(declared).toMatchObject(unsupported);
    // As a variant it may be the declared language's bare base (C 7), and nothing else.
    const other = await mine.importFile(file, { name, target_lang: 'de' });
    expect(other.status).toBe(400);
  });

  test('on the source side as well', async () => {
    const file = tmx([['Bonjour', 'Hello']], 'fr-FR', 'en-GB');
    expect((await mine.importFile(file, { name: 's', source_lang: 'fr-CA', target_lang: 'en' })).status).toBe(
      400,
    );
    const made = await mine.importFile(file, { name: 's', source_lang: 'fr-BE', target_lang: 'en-US' });
    expect(made.status).toBe(200);
    const of = (source_lang: string) => mine.job({ source_text: 'Bonjour', source_lang, target_lang: 'en' });
    expectServed(await of('fr'), 'tm_exact', 'Hello');
    expect((await of('fr-CA')).final_translation).toBe('[en] Bonjour');
  });

  test.each([
    ['fr', 'fr-CA'],
    ['fr-CA', 'fr'],
    ['pt-BR', 'pt-PT'],
    ['pt-PT', 'pt-BR'],
    ['zh-Hans', 'zh-Hant'],
    ['zh-Hant', 'zh-Hans'],
  ])('%s is never read as %s', async (stored, asked) => {
    const source = `crossing ${stored}`;
    await mine.memory([[source, 'stored']], { name: source, target_lang: stored });
    const job = await mine.job({ source_text: source, target_lang: asked });
    expect(job.final_translation).toBe(`[${asked}] ${source}`);
  });

  test('a unit of several languages gives each memory its own', async () => {
    const file = tmxOf(
      unit({ fr: 'fr', 'fr-CA': 'fr-CA', 'en-GB': 'several', 'pt-PT': 'pt-PT', 'pt-BR': 'pt-BR' }),
    );
    for (const target_lang of ['fr', 'fr-CA', 'pt-BR', 'pt-PT']) {
      const answer = await mine.importFile(file, { name: `several ${target_lang}`, target_lang });
      expect(answer.body).toMatchObject({ imported: 1, skipped_units: 0 });
      const job = await mine.job({ source_text: 'several', target_lang });
      expectServed(job, 'tm_exact', target_lang);
    }
  });
});
