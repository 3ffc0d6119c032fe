import { expect, it } from 'vitest';
import { corpusOf } from './corpus.ts';
import { type Erroneous, kinds, makeErrors } from './errors.ts';

const texts: readonly (readonly [string, string])[] = [
  [
    'The <b>file</b> {name} of 350 MB was not saved. Try again.',
    'Die <b>Datei</b> {name} mit 350 MB wurde nicht gespeichert. Versuchen Sie es später noch einmal.',
  ],
  [
    'The printer prints pages, and it stops after 12 minutes.',
    'Der Drucker druckt Seiten, und er hält nach 12 Minuten an.',
  ],
  ['Open your letters.', 'Öffnen Sie Ihre Briefe auf dem alten Schreibtisch.'],
  ['Hello world', 'Hallo Welt'],
];
const corpus = corpusOf(
  'de',
  texts.map(([source, target]) => ({ source, target, lang: 'de', origin: 'test' })),
);
const nameOf = ({ kind, variant }: Erroneous) => `${kind} ${variant}`;

it('makes the same errors for the same seed, each in a pair that has something to change', () => {
  const errors = makeErrors(corpus, 100, 3);
  expect(makeErrors(corpus, 100, 3)).toEqual(errors);
  const made = Map.groupBy(errors, nameOf);
  const targetsOf = (name: string) => (made.get(name) ?? []).map(({ pair }) => pair.target);
  const [file, printer, letters] = texts.map(([, target]) => target);
  expect(targetsOf('omission sentence')).toEqual([file]);
  expect(targetsOf('omission clause')).toEqual([printer]);
  expect(new Set(targetsOf('number digit'))).toEqual(new Set([file, printer]));
  expect(targetsOf('negation dropped')).toEqual([file]);
  expect(targetsOf('tag lost')).toEqual([file]);
  expect(new Set(targetsOf('register address'))).toEqual(new Set([file, letters]));
  for (const { wrong, pair } of errors) expect(wrong).not.toBe(pair.target);
});

it.each([
  [
    'negation dropped',
    'Die <b>Datei</b> {name} mit 350 MB wurde gespeichert. Versuchen Sie es später noch einmal.',
  ],
  ['register address', 'Öffnen du deine Briefe auf dem alten Schreibtisch.'],
  ['number unit', 'Der Drucker druckt Seiten, und er hält nach 12 Sekunden an.'],
  ['omission clause', 'Der Drucker druckt Seiten.'],
])('changes nothing else: %s', (name, expected) => {
  const wrong = makeErrors(corpus, 100, 3).filter((error) => nameOf(error) === name);
  expect(wrong.map((error) => error.wrong)).toContain(expected);
});

it('makes no error of a kind that the language has no rules for', () => {
  const finnish = corpusOf('fi', [
    { source: 'It is not on.', target: 'Se ei ole päällä.', lang: 'fi', origin: 'test' },
  ]);
  const made = new Set(makeErrors(finnish, 10, 1).map(({ kind }) => kind));
  expect(kinds.filter((kind) => made.has(kind))).not.toContain('negation');
  expect(made).not.toContain('register');
});
