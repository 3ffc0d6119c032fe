import { describe, expect, it } from 'vitest';
import { failedChecks } from './failed-checks.ts';

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
