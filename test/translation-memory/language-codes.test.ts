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

/** Examples of tags, and the languages as which they are read. The rules are tested in test/languages.test.ts. */
const readings: [string, string][] = [
  ['FR-ca', 'fr-CA'],
  ['nob', 'nb'],
];

describe('language codes of a memory', () => {
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

  test.each(['zh', 'pt-AO', 'xx'])('%j stands for no language', async (code) => {
    const name = `none ${code}`;
    const file = tmx([['Hello', 'x']], 'en', code);
    const declared = await mine.importFile(file, { name, target_lang: code });
    expect(declared).toMatchObject(unsupported);
    const reversed = await mine.importFile(file, { name, source_lang: code });
    expect(reversed).toMatchObject(unsupported);
    // The tag of a variant may be the base of the declared language without a region, but no other tag.
    const other = await mine.importFile(file, { name, target_lang: 'de' });
    expect(other.status).toBe(400);
  });

  test.each([
    ['fr', 'fr-CA'],
    ['pt-PT', 'pt-BR'],
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
