import { describe, expect, it } from 'vitest';
import type { LanguageCode } from '#server/languages.ts';
import { compileTerms, type GlossaryEntry } from '#server/matching/terms/index.ts';

/** Parses an entry: `Term` is not case-sensitive, `=Term` is, and `Term^2` has priority 2. The targets are numbered. */
function entry(written: string, number: number): GlossaryEntry {
  const [, exact, sourceTerm, priority] = /^(=?)(.*?)(?:\^(\d))?$/su.exec(written)!;
  return {
    sourceTerm: sourceTerm!,
    targetTerm: `t${number}`,
    caseSensitive: exact === '=',
    priority: Number(priority ?? 0),
  };
}

/** The matches in the form in which they occur in the text. */
function found(terms: string[], text: string, language: LanguageCode = 'en'): string[] {
  return compileTerms(terms.map(entry), language)
    .find(text)
    .map(({ start, end }) => text.slice(start, end));
}

it.each<[terms: string[], text: string, found: string[]]>([
  [['ユーザ'], 'ユーザーはユーザ名とﾕｰｻﾞｰ', ['ユーザー', 'ユーザ', 'ﾕｰｻﾞｰ']],
  [['ユーザー'], 'ユーザを。ユーザーズ', ['ユーザ']],
  [['カバー', 'キー'], 'カバ、カバー、キ', ['カバー']],
])('a final ー of a long word in katakana does not matter (%j)', (terms, text, matches) => {
  expect(found(terms, text, 'ja')).toEqual(matches);
});

describe('in scripts with spaces, a term matches whole words', () => {
  it.each<[rule: string, language: LanguageCode, terms: string[], text: string, found: string[]]>([
    ['no part of a word', 'en', ['total'], 'total subtotal totals', ['total']],
    ['nor of one with digits', 'en', ['A', 'mp'], 'A4 a MP3', ['a']],
    ['nor of an identifier', 'en', ['total'], 'net_total total', ['total']],
    ['punctuation ends words', 'en', ['total'], '(total), total.', ['total', 'total']],
    ['a hyphen ends words', 'en', ['contract'], 'contract-based, sub-contract', ['contract', 'contract']],
    ['a possessive', 'en', ['company'], "the company's, the company’s", ['company', 'company']],
    ['no ending after an apostrophe', 'en', ['s', 't', 'can'], "it's, I can't, can", ['can']],
    ['a French elision', 'fr', ['usine'], "l'usine, l’usine, d’usine", ['usine', 'usine', 'usine']],
    ['an Italian elision', 'it', ['accordo'], "dell'accordo", ['accordo']],
    ['a Turkish ending after an apostrophe', 'tr', ['Ankara'], "Ankara'nın", ['Ankara']],
    ['a Ukrainian apostrophe is a letter', 'uk', ['ята', 'м', "м'ята"], "м'ята", ["м'ята"]],
    ['no part of a compound', 'fi', ['sopimus'], 'vuokrasopimus sopimus', ['sopimus']],
    ['no base without its marks', 'hi', ['कर'], 'कर करो करे', ['कर']],
    ['a Korean particle', 'ko', ['계약'], '계약을 계약에서는 계약서 재계약', ['계약', '계약']],
    ['Latin letters in Korean', 'ko', ['API'], 'API를 신규API', ['API', 'API']],
    ['Nepali postpositions', 'ne', ['सम्झौता'], 'सम्झौताको सम्झौताहरूमा', ['सम्झौता', 'सम्झौता']],
    [
      'Arabic particles and pronouns',
      'ar',
      ['عقد'],
      'العقد وبالعقد للعقد عقدها',
      ['عقد', 'عقد', 'عقد', 'عقد'],
    ],
    ['which short words do not have', 'ar', ['لد'], 'ولد', []],
    [
      'an ellipsis, also in three characters',
      'en',
      ['Save as...'],
      'Choose Save as… or Save as...',
      ['Save as…', 'Save as...'],
    ],
    ['quotation marks', 'en', ['the "hot" side'], 'the “hot” side', ['the “hot” side']],
    ['a dash for a hyphen', 'en', ['lithium-ion'], 'a lithium–ion cell', ['lithium–ion']],
    ['a ligature', 'en', ['file', 'office^1'], 'ﬁle, oﬃce ﬁ', ['ﬁle', 'oﬃce']],
    ['a ligature in a term, and no part of one', 'en', ['ﬁle', 'f'], 'file ﬁ', ['file']],
    ['a Persian non-joiner ends a part', 'fa', ['کتاب'], 'کتاب\u200cها کتابخانه', ['کتاب']],
    ['an Indonesian plural is one', 'id', ['buku'], 'buku-buku, buku', ['buku', 'buku']],
    ['symbols', 'en', ['C++', '.NET', '%', 'C#'], 'C++ on .NET, 50% (C#)', ['C++', '.NET', '%', 'C#']],
    ['a symbol against a letter', 'en', ['C'], 'C++, C', ['C', 'C']],
  ])('%s', (_, language, terms, text, expected) => {
    expect(found(terms, text, language)).toEqual(expected);
  });
});

describe('in scripts without spaces, a term matches words of the segmenter', () => {
  it.each<[rule: string, language: LanguageCode, terms: string[], text: string, found: string[]]>([
    ['no part of two words', 'ja', ['京都'], '東京都の京都市', ['京都']],
    ['nor of one', 'ja', ['コード'], 'レコードとアクセスコード', ['コード']],
    ['several words', 'ja', ['個人情報'], '個人情報保護法', ['個人情報']],
    ['letters in Japanese', 'ja', ['API', 'キー'], 'APIキーを', ['API', 'キー']],
    ['digits in Japanese', 'ja', ['台'], '3台', ['台']],
    ['Chinese', 'zh-Hans', ['大学', '北京'], '北京大学生', ['北京']],
    ['Thai', 'th', ['สัญญา'], 'สัญญาเช่าบ้าน', ['สัญญา']],
    ['Chinese in English', 'en', ['京都', 'the'], 'the 京都 in 東京都', ['the', '京都']],
  ])('%s', (_, language, terms, text, expected) => {
    expect(found(terms, text, language)).toEqual(expected);
  });
});

describe('which spellings of a term and a text are equal', () => {
  it.each<[rule: string, language: LanguageCode, term: string, text: string, found: string[]]>([
    ['case', 'en', 'Net total', 'NET TOTAL net total', ['NET TOTAL', 'net total']],
    ['case with it', 'en', '=US', 'US us Us', ['US']],
    ['any blanks', 'en', ' net  total ', 'net\n\ttotal, net\u00a0total', ['net\n\ttotal', 'net\u00a0total']],
    ['composed and not', 'fr', 'café', 'cafe\u0301 café', ['cafe\u0301', 'café']],
    ['a term that is not', 'fr', 'cafe\u0301', 'café', ['café']],
    ['Hangul letters', 'ko', '계약', '계약'.normalize('NFD'), ['계약'.normalize('NFD')]],
    ['soft hyphens', 'de', 'Vertrag', 'Ver\u00adtrag', ['Ver\u00adtrag']],
    ['apostrophes', 'fr', "l'usine", 'l’usine', ['l’usine']],
    ['hyphens', 'en', 'e-mail', 'e\u2011mail', ['e\u2011mail']],
    ['full width', 'ja', 'API', 'ＡＰＩと', ['ＡＰＩ']],
    ['half width', 'ja', 'データ', 'ﾃﾞｰﾀ', ['ﾃﾞｰﾀ']],
    ['width with case', 'ja', '=API', 'ａｐｉ ＡＰＩ', ['ＡＰＩ']],
    ['tatweel and vowel signs', 'ar', 'عقد', 'عقـــد عَقْدٌ', ['عقـــد', 'عَقْدٌ']],
    ['Persian letters of Arabic keyboards', 'fa', 'کتابی', 'كتابي', ['كتابي']],
    ['Romanian cedillas', 'ro', 'știință', 'ştiinţă', ['ştiinţă']],
    ['Turkish i and ı', 'tr', 'ışık', 'IŞIK İŞİK', ['IŞIK']],
    ['İ and i', 'en', 'istanbul', 'İSTANBUL I\u0307stanbul', ['İSTANBUL', 'I\u0307stanbul']],
    ['the Greek final sigma', 'el', 'νόμος', 'ΝΌΜΟΣ', ['ΝΌΜΟΣ']],
    ['Greek capitals without accents', 'el', 'νόμος', 'ΝΟΜΟΣ νομος νομός', ['ΝΟΜΟΣ']],
    ['German ß in capitals', 'de', 'Straße', 'STRASSE STRAẞE Strasse', ['STRASSE', 'STRAẞE']],
    ['ß is not ss', 'de', 'Maße', 'Masse, Maße', ['Maße']],
    ['no half of a pair', 'en', '\ude00', '😀 \ude00', ['\ude00']],
    ['nor the other', 'en', '\ud83d', '😀 \ud83d', ['\ud83d']],
    ['an emoji', 'en', '😀', '😀😀', ['😀', '😀']],
    ['no emoji of a joined one', 'en', '👩', '👩\u200d💻 👩', ['👩']],
    ['no base of what does not compose', 'en', 'x', 'x\u0301\u0323 x', ['x']],
    ['a letter is not its base', 'fr', 'cote', 'côte coté', []],
  ])('%s', (_, language, term, text, expected) => {
    expect(found([term], text, language)).toEqual(expected);
  });
});

describe('parts that stay untranslated contain no terms', () => {
  it.each([
    ['an address', 'see https://example.com/total?total#total', []],
    ['a mail address', 'total@example.com', []],
    ['a placeholder', '{total} $'.concat('{total} {{total}} %(total)s'), []],
    ['one with blanks, parts or a format', '{{ order.total }} { $total } ${ total } {o.total!r:>9}', []],
    ['one with other signs', '%total% $total :total @total $t(total) $(total)', []],
    ['a tag of a template', '{% if total %}<%= total %>[% total %]{{#total}}', []],
    ['the syntax of a message', '{total, plural, one {a total} other {# x}} {total, number}', ['total']],
    [
      'prose with the same signs',
      '$5 total: total 50%total 5%, a:total, total @ total',
      Array(6).fill('total'),
    ],
    ['markup, not what it marks', '<total title="total">total</total>', ['total']],
    ['what is around one', 'total https://example.com total', ['total', 'total']],
  ])('%s', (_, text, expected) => {
    expect(found(['total'], text)).toEqual(expected);
  });

  it('a placeholder may be a term itself', () => {
    expect(found(['{name}', 'https://example.com/a'], '{name}: https://example.com/a')).toEqual([
      '{name}',
      'https://example.com/a',
    ]);
  });
});

describe('overlapping terms (B 4.4)', () => {
  const entries = (terms: string[], text: string): string[][] =>
    compileTerms(terms.map(entry), 'en')
      .find(text)
      .map(({ entries }) => entries.map(({ targetTerm }) => targetTerm));

  it('serve a case-sensitive match only with case-sensitive entries, in either order of the rows', () => {
    expect(entries(['us', '=US'], 'US us')).toEqual([['t1'], ['t0']]);
    expect(entries(['=US', 'us'], 'US us')).toEqual([['t0'], ['t1']]);
    expect(entries(['=US', 'US', 'us', '=US'], 'US us')).toEqual([
      ['t0', 't3'],
      ['t1', 't2'],
    ]);
  });
});

it('blank terms are ignored', () => {
  expect(found(['', ' \t', '\u00ad', '\u200b'], 'a \u00ad b')).toEqual([]);
  expect(compileTerms([{ ...entry('a', 0), targetTerm: ' ' }], 'en').find('a')).toEqual([]);
});

describe('the whole source is a term (C 7)', () => {
  const whole = (terms: string[], text: string, language: LanguageCode = 'en'): string[] =>
    compileTerms(terms.map(entry), language)
      .whole(text)
      .map(({ targetTerm }) => targetTerm);

  it.each<[rule: string, terms: string[], text: string, targets: string[]]>([
    ['not with anything beside it', ['total'], 'total.', []],
    ['not a part of it', ['total'], 'net total', []],
    ['an ending is not normalisation', ['total'], "total's", []],
  ])('%s', (_, terms, text, expected) => {
    expect(whole(terms, text)).toEqual(expected);
  });

  it.each<[what: string, language: LanguageCode, term: string, text: string]>([
    ['full width', 'ja', 'API', 'ＡＰＩ'],
    ['half width', 'ja', 'データ', 'ﾃﾞｰﾀ'],
    ['a typographic apostrophe', 'en', "don't", 'don’t'],
    ['a joining hyphen', 'en', 'e-mail', 'e\u2010mail'],
    ['letters of another keyboard', 'fa', 'کتابی', 'كتابي'],
  ])('%s makes another text, though it is the term in running text', (_, language, term, text) => {
    expect(found([term], text, language)).toEqual([text]);
    for (const rule of ['', '=']) {
      expect(whole([`${rule}${term}`], text, language)).toEqual([]);
      expect(whole([`${rule}${term}`], term, language)).toEqual(['t0']);
    }
  });

  it.each<[language: LanguageCode, term: string, text: string]>([
    ['tr', 'ışık', 'IŞIK'],
    ['el', 'νόμος', 'ΝΌΜΟΣ'],
    ['de', 'Straße', 'STRAẞE'],
  ])('%s: without case as in running text: %s, %s', (language, term, text) => {
    expect(whole([term], text, language)).toEqual(['t0']);
    expect(whole([`=${term}`], text, language)).toEqual([]);
  });
});
