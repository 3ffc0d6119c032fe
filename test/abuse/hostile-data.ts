const zalgo = `Z${'\u0300\u0323\u20dd'.repeat(60)}`;
const family = '👩‍👩‍👧‍👦';

/** Texts that a hostile tenant repeats: each is costly for a pattern, a segmenter, a comparison or a reader of markup. */
const repeated: Record<string, string> = {
  'one letter': 'a',
  'letters and capitals': 'aAaaA',
  'words of one letter': 'a ',
  'one word': 'test ',
  'blanks in a text': 'x                                 ',
  'line breaks': 'a\n',
  digits: '1',
  'numbers and points': '1.1,',
  'dates and times': '1/1/1:1-',
  amounts: '$1 €1 1% ',
  'combining marks': zalgo,
  'graphemes of several people': family,
  'bidi controls': '\u202e\u2066a\u202c\u2069',
  'invisible characters': '\u200b\u200d\ufeff\u00ad',
  quotes: `"“„'«`,
  'quotes and spaces': `" 'a' `,
  brackets: '([{<',
  'pairs of brackets': '(){}[]<>',
  tags: '<a><b>',
  'unclosed tags': '<a href="x" ',
  entities: '&amp;&#60;&lt',
  addresses: 'http://a.a/a?a=a&',
  mails: 'a@a.',
  placeholders: '{a} %s ${a} {{a}} ',
  'message patterns': '{a, plural, other {# ',
  'full stops': '.',
  'sentences of one letter': 'A. ',
  'marks of Markdown': '*_`[a](b)',
  formulas: '=cmd|" /C calc"!A0;',
  'near-equal words': 'aaaaaaaab aaaaaaaac ',
  Japanese: '契約。',
  Thai: 'ก็ก้',
  Arabic: 'لا\u064b\u0651',
};

/** Texts of `length` UTF-16 units by name, each of one repeated piece, and one whose lines are all different. */
export function hostileTexts(length: number): Record<string, string> {
  const texts = Object.entries(repeated).map(([name, piece]): [string, string] => [
    name,
    filled(piece, length),
  ]);
  const lines = Array.from({ length: Math.ceil(length / 12) }, (_, n) => `line ${n}`).join('\n');
  return { ...Object.fromEntries(texts), 'different lines': lines.slice(0, length) };
}

/** The piece repeated to at most `length` UTF-16 units, with a letter at both ends, so that it is not blank. */
export function filled(piece: string, length: number): string {
  return `a${piece.repeat(Math.max(0, Math.floor((length - 2) / piece.length)))}a`;
}

/** Short texts that could do harm as a name: markup, a formula, a path, a key of an object, and a long grapheme. */
export const hostileNames: readonly string[] = [
  '<img src=x onerror="window.harmed = true">',
  '=cmd|" /C calc"!A0',
  '../../etc/passwd%00',
  'constructor',
  '\u202egnp.exe\u202c',
  zalgo.slice(0, 90),
  family.repeat(8),
  `%_\\'; drop table tenants; --`,
  'a'.repeat(100),
];

/** Texts that the service must reject wherever it stores a text: NUL, and half of a surrogate pair. */
export const unstorable: readonly string[] = ['a\0b', 'a\ud83d'];
