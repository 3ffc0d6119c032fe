import { describe, expect, test } from 'vitest';
import { languageCodes } from '#server/languages.ts';
import { isInOtherLanguage } from '#server/translation/core/plausibility/source-language.ts';
import { useTestApp } from '#test/setup/app.ts';
import { declaration } from '../../formats/golden-declaration.ts';

const isOther = (sourceText: string, sourceLang = 'en') => isInOtherLanguage({ sourceText, sourceLang });

/** Paragraphs of the Universal Declaration of Human Rights that are long enough to be looked at. */
const paragraphs = (language: (typeof languageCodes)[number]) =>
  declaration(language)
    .split('\n')
    .filter((text) => [...text.trim()].length >= 40)
    .slice(0, 40);

const french = 'Enregistrez vos modifications avant de quitter cette page.';

describe('a text that is plainly not in its stated language', () => {
  test.each(languageCodes)(
    '%s: real paragraphs are in their own language, and not in English or Japanese',
    (language) => {
      const texts = paragraphs(language);
      expect(texts.length).toBeGreaterThan(15);
      expect(texts.filter((text) => isOther(text, language))).toEqual([]);
      for (const stated of ['en', 'ja'].filter((code) => code !== language)) {
        const missed = texts.filter((text) => !isOther(text, stated));
        expect(missed.length, stated).toBeLessThanOrEqual(texts.length / 10);
      }
    },
  );

  test('a text of fewer than 40 characters is never looked at', () => {
    expect(isOther('x'.repeat(39))).toBe(false);
    expect(isOther('Veuillez enregistrer vos documents ici.')).toBe(false);
    expect(isOther('Veuillez enregistrer vos documents ici !')).toBe(true);
  });

  test.each([
    ['names', 'Jean-Pierre Beaumont, Société Générale, Crédit Agricole, Université de Montréal'],
    ['code', 'const résultat = await lireFichier(chemin, { encodage: "utf8" }); console.log(résultat);'],
    [
      'a quotation',
      `The notice on the door reads “fermé le lundi”, which means that it is closed on Mondays.`,
    ],
    [
      'two languages',
      'Please save your changes before you leave this page. Enregistrez vos modifications avant de partir.',
    ],
    ['a message', '{count, plural, one {# fichier enregistré} other {# fichiers enregistrés}}'],
  ])('%s raise no alarm', (_what, text) => {
    expect(isOther(text)).toBe(false);
  });

  test('product names in Latin letters raise none where Japanese is stated, an English sentence does', () => {
    expect(isOther('Microsoft Windows Server Datacenter Edition, Adobe Creative Cloud', 'ja')).toBe(false);
    expect(isOther('Save your changes before you leave, or they will be lost.', 'ja')).toBe(true);
  });
});

describe('B 2.1: a source language that is left out means English', () => {
  const app = useTestApp();
  const translate = async (fields: object) => {
    const { headers } = await app.signUp();
    const body = { source_text: french, target_lang: 'de', ...fields };
    return (await app.json('POST', '/api/translations', { headers, body })).body;
  };

  test('B 2.3: French without its language is published with a warning, which names the reason', async () => {
    const { status, agent_run } = await translate({});
    expect(status).toBe('published');
    expect(agent_run.quality_gate).toMatchObject({
      decision: 'pass',
      triggers: [{ code: 'risk_flag', severity: 'warning' }],
      reasons: [expect.stringContaining('not in its stated language')],
      metadata: { risk_flags: ['other_source_language'] },
    });
  });

  test('with its language there is none, nor with a short text', async () => {
    for (const fields of [{ source_lang: 'fr' }, { source_lang: 'FR' }, { source_text: 'Bonjour à tous' }])
      expect((await translate(fields)).agent_run.quality_gate.triggers).toEqual([]);
  });

  test('of HTML the text is looked at, not the markup', async () => {
    const markup = `<p class="the and of with this that which from have">${french}</p>`;
    const { agent_run } = await translate({ source_text: markup, text_type: 'Html' });
    expect(agent_run.quality_gate.metadata.risk_flags).toEqual(['other_source_language']);
  });
});
