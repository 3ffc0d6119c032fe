import { describe, expect, it } from 'vitest';
import { declaration } from '../../formats/golden-declaration.ts';
import { failedChecks } from './failed-checks.ts';

const source = 'Die Anmeldung zum Kurs ist bis zum fünfzehnten März möglich, danach nur auf Anfrage.';

describe('a response in another language of the same script is implausible', () => {
  it.each([
    [
      'fr',
      'en',
      'Registration for the course is possible until the fifteenth of March, afterwards on request only.',
    ],
    [
      'pt-BR',
      'es',
      'La inscripción al curso es posible hasta el quince de marzo, después solo a petición de los interesados.',
    ],
    [
      'uk',
      'ru',
      'Записаться на курсы можно до пятнадцатого марта, после этого мы принимаем только отдельные запросы.',
    ],
    [
      'sv',
      'da',
      'Tilmelding til kurset er mulig indtil den femtende marts, derefter kun efter forespørgsel fra køberen, når æblerne er spist og øllet er drukket.',
    ],
  ])('%s answered in %s', (to, _in, answer) => {
    expect(failedChecks('de', source, to, answer)).toContain('language');
  });

  it('also the source’s language in other words', () => {
    const answer =
      'Wer teilnehmen will, meldet sich spätestens Mitte des Monats; später entscheidet die Leitung.';
    expect(failedChecks('de', source, 'nl', answer)).toContain('language');
  });

  it('at any place in a long text', () => {
    const english = declaration('en');
    const italian = declaration('it');
    const half = Math.floor(italian.length / 2);
    const third = Math.floor(italian.length / 3);
    const french = declaration('fr');
    for (const mixed of [
      french.slice(0, half) + italian.slice(half),
      italian.slice(0, half) + french.slice(half),
      italian.slice(0, third) + french.slice(third, 2 * third) + italian.slice(2 * third),
    ]) {
      expect(failedChecks('en', english, 'it', mixed)).toEqual(['language']);
    }
  });
});

describe('plausible translations', () => {
  it.each([
    ['nb', 'da', 'Tilmelding til kurset er mulig inntil den femtende mars, derefter kun etter forespørsel.'],
    [
      'pt-PT',
      'pt-BR',
      'A inscrição no curso é possível até quinze de março, depois somente mediante solicitação.',
    ],
    ['ne', 'hi', 'पाठ्यक्रम के लिए पंजीकरण पंद्रह मार्च तक संभव है, उसके बाद केवल अनुरोध पर।'],
  ])('between %s and %s', (to, _in, answer) => {
    expect(failedChecks('de', source, to, answer)).toEqual([]);
  });

  it('where nearly all words are names or code of the source', () => {
    const text =
      'Run npm install, then npm run build, and open Visual Studio Code with the Live Server extension.';
    const german =
      'npm install und npm run build ausführen, dann Visual Studio Code mit der Live-Server-Erweiterung öffnen.';
    expect(failedChecks('en', text, 'de', german)).toEqual([]);
  });

  it('for a few words', () => {
    expect(failedChecks('de', 'Zeit bis zur Interaktivität', 'fr', 'Time to Interactive')).toEqual([]);
    expect(failedChecks('de', 'Abmelden', 'it', 'Logout')).toEqual([]);
  });
});
