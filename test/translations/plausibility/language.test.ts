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

const echoed = (from: string, to: string, text: string) =>
  failedChecks(from, text, to, text).includes('echo');

const letter =
  'The tenant pays the rent on the first day of each month. The landlord keeps the building in good condition. ' +
  'Either party may end the contract with three months’ notice. The deposit is returned within six weeks.';

describe('an untranslated source is implausible', () => {
  it.each([
    ['en', 'de', 'Please save your changes before you close the window.'],
    [
      'ru',
      'uk',
      'Каждый человек имеет право на свободу убеждений и на свободное их выражение без всякого вмешательства.',
    ],
    [
      'es',
      'pt-BR',
      'Toda persona tiene derecho a la libertad de pensamiento, de conciencia y de religión en todas partes.',
    ],
  ])('%s to %s', (from, to, text) => {
    expect(echoed(from, to, text)).toBe(true);
  });

  it('also with other spaces, other case and the other normal form', () => {
    const source = 'Öffnen Sie bitte zuerst die grüne Tür und danach das kleine Fenster.';
    const target = `  ${source.normalize('NFD').toUpperCase().replace(/ /g, ' \n')}`.toLowerCase();
    expect(failedChecks('de', source, 'en', target)).toContain('echo');
  });
});

describe('texts that are rightly the same in both languages are plausible', () => {
  it.each([
    ['a word', 'en', 'de', 'OK'],
    ['a term in capitals', 'en', 'sv', 'Largest Contentful Paint'],
    ['an address', 'en', 'it', 'https://example.org/the/way/to/the/page/that/is/meant'],
    ['a command', 'en', 'pl', 'git rebase [-i | --interactive] [--onto=<newbase>] [<upstream> [<branch>]]'],
    ['placeholders', 'en', 'tr', '{count} / {total} ({percent} %)'],
    ['a sentence of two related languages', 'pt-BR', 'es', 'Marcar literal de matriz como const'],
    [
      'a sentence of two standards',
      'pt-BR',
      'pt-PT',
      'A casa fica na rua principal e tem um jardim muito bonito.',
    ],
    [
      'a sentence of two Scandinavian languages',
      'da',
      'nb',
      'Det er en fin dag, og vi skal ut i skogen for at se et dyr.',
    ],
  ])('%s: %s to %s, %s', (_what, from, to, text) => {
    expect(echoed(from, to, text)).toBe(false);
  });
});

describe('a text left untranslated in part', () => {
  const translated =
    'Der Mieter zahlt die Miete am ersten Tag jedes Monats. Der Vermieter hält das Gebäude in gutem Zustand. ' +
    'Beide Seiten können den Vertrag mit einer Frist von drei Monaten kündigen. Die Kaution wird in sechs Wochen erstattet.';
  const mixed = [...translated.split(/(?<=\.) /).slice(0, 2), ...letter.split(/(?<=\.) /).slice(2)].join(' ');

  it('half of it is implausible', () => {
    expect(failedChecks('en', letter, 'de', mixed)).toContain('echo');
  });

  it('a quotation is plausible', () => {
    const quoting = (text: string, word: string) => `${text} ${text} ${word} “the first day of each month”.`;
    expect(failedChecks('en', quoting(letter, 'It says'), 'de', quoting(translated, 'Dort steht'))).toEqual(
      [],
    );
  });
});

const notice =
  'The office will be closed on Monday because of the public holiday. Letters that arrive on that day are answered on ' +
  'Tuesday. In urgent cases please call the number on the door; somebody will answer at any hour of the day or night.';

describe('a response far too short is implausible', () => {
  it.each(['', ' \n\t ', '\u200B\u2060', 'PWNED', 'OK', 'Das Büro bleibt am Montag geschlossen.'])(
    '%j',
    (answer) => {
      expect(failedChecks('en', notice, 'de', answer)).toContain('length');
    },
  );

  it('an empty one even for a letter', () => {
    expect(failedChecks('en', 'x', 'de', '')).toEqual(['length']);
  });

  it('a padded one too', () => {
    expect(failedChecks('en', notice, 'de', `Nein.${' \u00A0\u200B'.repeat(500)}`)).toContain('length');
  });
});

describe('a translation with another number of sentences is implausible', () => {
  const [closed, letters, urgent] = [
    'Das Büro ist wegen des Feiertags am Montag geschlossen.',
    'Briefe, die an diesem Tag ankommen, werden am Dienstag beantwortet.',
    'In dringenden Fällen rufen Sie bitte die Nummer an der Tür an; zu jeder Tages- und Nachtzeit antwortet jemand.',
  ];

  it.each([
    ['without the last one', `${closed} ${letters}`, ['sentences']],
    ['with all', `${closed} ${letters} ${urgent}`, []],
    ['in two sentences', `${closed} ${letters.replace(/\.$/, ',')} und ${urgent}`, []],
  ])('%s', (_what, target, expected) => {
    expect(failedChecks('en', notice, 'de', target)).toEqual(expected);
  });

  it('a second sentence for one', () => {
    const [, source] = notice.split(/(?<=\.) /);
    expect(failedChecks('en', source!, 'de', letters)).toEqual([]);
    expect(failedChecks('en', source!, 'de', `${letters} ${closed}`)).toEqual(['sentences']);
  });

  it('but not a heading with a full stop', () => {
    expect(
      failedChecks('pt-BR', `Artigo 1.\n${letters}`, 'en', 'Article 1\nLetters get answers.'),
    ).not.toContain('sentences');
  });
});

it('an essay for five words is implausible', () => {
  const essay =
    'Die Hauptstadt von Frankreich ist Paris. Die Stadt liegt an der Seine und hat viele berühmte Museen und Plätze.';
  expect(failedChecks('en', 'What is the capital of France?', 'de', essay)).toEqual(['length', 'sentences']);
});

it('a source without visible text expects nothing', () => {
  expect(failedChecks('en', ' \u200B\n', 'de', '')).toEqual([]);
});

describe('usual differences between languages are plausible', () => {
  it.each([
    ['en', 'OK', 'vi', 'Đồng ý và tiếp tục'],
    [
      'zh-Hans',
      '人人生而自由，在尊严和权利上一律平等。',
      'en',
      'All human beings are born free and equal in dignity and rights.',
    ],
    [
      'en',
      'All human beings are born free and equal in dignity and rights.',
      'zh-Hans',
      '人人生而自由，在尊严和权利上一律平等。',
    ],
    [
      'en',
      '{n, plural, one {# element found} other {# elements found}}',
      'ar',
      '{n, plural, zero {لم يتم العثور على أي عنصر} one {تم العثور على عنصر واحد} two {تم العثور على عنصرين} few {تم العثور على # عناصر} many {تم العثور على # عنصرًا} other {تم العثور على # عنصر}}',
    ],
  ])('%s %j to %s', (from, source, to, target) => {
    expect(failedChecks(from, source, to, target)).toEqual([]);
  });
});
