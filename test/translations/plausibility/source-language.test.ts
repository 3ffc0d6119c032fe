import { describe, expect, test } from 'vitest';
import { languageCodes } from '#server/languages.ts';
import { isInOtherLanguage } from '#server/translation/plausibility/source-language.ts';
import { declaration } from '../../formats/golden-declaration.ts';

const isOther = (sourceText: string, sourceLang = 'en') => isInOtherLanguage({ sourceText, sourceLang });

/** Paragraphs of the Universal Declaration of Human Rights that are long enough for a detection. */
const paragraphs = (language: (typeof languageCodes)[number]) =>
  declaration(language)
    .split('\n')
    .filter((text) => [...text.trim()].length >= 40)
    .slice(0, 40);

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
