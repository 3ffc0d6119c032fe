import { describe, expect, it } from 'vitest';
import { failedChecks } from './failed-checks.ts';

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
