import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageCodes } from '#server/languages.ts';
import { spelledNumbers } from '#server/translation/integrity/number-words.ts';
import { criticalSpans, issuesOf } from './checked.ts';

type Case = [
  what: string,
  lang: string,
  source: string,
  kept: string,
  damaged: string,
  spans: (string | RegExp)[],
];

/** Changes that occur in correct translations, each with a similar change that loses something. */
const cases: Case[] = [
  ['tens of thousands', 'en', '10 万人', '100,000 people', '10,000 people', ['10']],
  ['more than tens of thousands', 'en', '10多万人', 'over 100,000 people', 'over 10,000 people', ['10']],
  ['hundreds of millions', 'de', '3億円', '300.000.000 Yen', '300.000 Yen', ['3']],
  ['hundreds of millions in words', 'en', '3億人', 'three hundred million people', 'three people', ['3']],
  ['Korean tens of thousands', 'fr', '10만 명', '100 000 personnes', '10 000 personnes', ['10']],
  ['thousands by tens of thousands', 'ja', '10,000 people', '1万人', '10万人', ['10,000']],
  ['millions by their signs', 'en', '2百万人', '2,000,000 people', '20,000 people', ['2']],
  ['lakh', 'de', '5 lakh rupees', '500.000 Rupien', '5.000 Rupien', ['5']],
  ['lakh in words', 'hi', '5 lakh rupees', 'पाँच लाख रुपये', 'पाँच रुपये', ['5']],
  ['crore', 'hi', '2 crore rupees', '2 करोड़ रुपये', '2 लाख रुपये', ['2']],
  ['dozens', 'de', '3 dozen eggs', '36 Eier', '35 Eier', ['3']],
  ['a teen in words', 'ar', 'the 17th', 'السّابع عشر', 'السّابع والعشرون', ['17']],
  ['a compound in words', 'ru', 'the 21st century', 'двадцать первый век', 'двадцать второй век', ['21']],
  ['a number joined to its article', 'ar', 'the 7th', 'السّابع', 'السّادس', ['7']],
  ['eleven in words', 'nb', 'the 11th hour', 'den elfte timen', 'den tolvte timen', ['11']],
  ['none', 'ru', '0 cities found', 'не найдено ни одного города', 'найдены города', ['0']],
  ['four times', 'pl', 'makes it 4 times bigger', 'czterokrotnie większy', 'trzykrotnie większy', ['4']],
  ['a century by its years', 'sv', 'in the 17th century', 'på 1600-talet', 'på 1700-talet', ['17']],
  ['two centuries', 'fi', 'the 12th and 14th centuries', '1100–1300-luvut', '1100–1400-luvut', ['14']],
  ['years by their century', 'el', 'since the 1400s', 'από τον 15ο αιώνα', 'από τον 14ο αιώνα', ['1400']],
  ['three dimensions', 'zh-Hant', '3D scenes', '立體場景', '2D 場景', ['3']],
  ['three dimensions in words', 'uk', 'a 3-dimensional view', 'тривимірний вигляд', '2-D вигляд', ['3']],
  ['a list set closer', 'de', '(1, 2, 3, ...)', '(1,2,3,...)', '(1,2,4,...)', ['3']],
  ['a pair set closer', 'vi', 'must be 2, 8 or 16', 'phải là 2,8 hoặc 16', 'phải là 2,9 hoặc 16', ['8']],
  ['a range as a pair', 'fa', 'power (0,10)', 'توان (۰ تا ۱۰)', 'توان (۰ تا ۱۱)', ['0,10']],
  ['a pair with a semicolon', 'fr', 'value (0,1)', 'valeur [0 ; 1]', 'valeur [0 ; 2]', ['0,1']],
  [
    'marks of direction',
    'ar',
    'scale 1:10, 2.5',
    'مقياس \u200f1\u200e:\u200f10، 2\u200e.5',
    'مقياس \u200f1:\u200f12، 2.5',
    ['10'],
  ],
  ['a ratio', 'de', 'zoom 1∶12', 'Zoom 1:12', 'Zoom 1:13', ['12']],
  ['a raised power', 'cs', '(2^32 - 1)', '(2³² - 1)', '(2³³ - 1)', ['32']],
  ['an apostrophe before decimals', 'es', 'up to 13.5', "hasta 13'5", "hasta 13'6", ['13.5']],
  ['an Arabic comma', 'ar', '1.2 extended', '1،2 موسَّعة', '1،3 موسَّعة', ['1.2']],
  ['a version in a name', 'nl', 'version 5.5', 'v5.5', 'v5.6', ['5.5']],
  ['twelve hours on a clock of 24', 'es', '%l:%M %p', '%H:%M', '%H', ['%M']],
  ['an hour without a zero', 'cs', 'Tomorrow %l:%M %p', 'Zítra %k:%M', 'Zítra %M', ['%l', '%p']],
  ['another order of a date', 'it', '%b %e', '%d %b', '%d', ['%b']],
  ['a date as a whole', 'de', '%A %e %B %Y', '%A, %x', '%A', ['%e', '%B', '%Y']],
  ['half of the day', 'de', '%I:%M %p', '%I:%M %p', '%I:%M', ['%p']],
  [
    'https for http',
    'de',
    'see http://a.example/x',
    'siehe https://a.example/x',
    'siehe https://a.example/y',
    ['http://a.example/x'],
  ],
  [
    'https in an attribute',
    'de',
    '<a href="http://a.example/x">a</a>',
    '<a href="https://a.example/x">b</a>',
    '<a href="https://b.example/x">b</a>',
    ['href="http://a.example/x"'],
  ],
  ['an option', 'hi', 'Use --option or :option, %s', '--विकल्प या :विकल्प, %s', '--विकल्प या :विकल्प', ['%s']],
  ['an argument after a letter', 'zh-Hans', 'from $1 to $2', '从$1到$2', '从$1到$3', ['$2']],
  [
    'letters that a program turns',
    'el',
    '%BInstall%b these:%n %s',
    '%BΕγκατάσταση%b: %n %s',
    '%BΕγκατάσταση%b: %n',
    ['%s'],
  ],
  [
    'forms of words',
    'de',
    'last {{PLURAL:$1|change|$1 changes}} of {{GENDER:$2|$2}}',
    '{{PLURAL:$1|letzte Änderung|letzte $1 Änderungen}} von {{GENDER:$2|$2}}',
    'letzte Änderungen von $2',
    ['$1'],
  ],
  ['fewer forms', 'zh-Hans', '$1 {{PLURAL:$1|revision|revisions}}', '$1个版本', '个版本', ['$1']],
  [
    'keys of forms',
    'uk',
    'used {{PLURAL:$1|once|2=twice|$1 times}} on page 5',
    '{{PLURAL:$1|раз|$1 разів}} на сторінці 5',
    '{{PLURAL:$1|раз|$1 разів}} на сторінці 6',
    ['5'],
  ],
  [
    'another form of a name',
    'fi',
    'users of {{SITENAME}}',
    '{{GRAMMAR:genitive|{{SITENAME}}}} käyttäjät',
    '{{GRAMMAR:genitive|sivuston}} käyttäjät',
    ['{{SITENAME}}'],
  ],
];

describe('differences that real translations have without a loss', () => {
  it.each(cases)('%s (%s) raises no alarm', (_what, lang, source, kept) => {
    expect(issuesOf(source, kept, lang)).toEqual([]);
  });

  it.each(cases)('a loss next to %s (%s) does', (_what, lang, source, _kept, damaged, spans) => {
    expect(criticalSpans(source, damaged, lang)).toEqual(spans);
  });
});

describe('losses that words of the translation used to hide', () => {
  it.each<[what: string, lang: string, source: string, target: string, span: string]>([
    ['an article is no one', 'de', 'Step 1: a file', 'Schritt: eine Datei', '1'],
    ['an article is no end of a range', 'es', 'from 1 to 31', 'un número hasta 31', '1'],
    ['"not" is no zero', 'ar', 'set to 0.', 'لا شيء هنا', '0'],
    ['a word is no decimal', 'fr', 'from 1.0 on', 'à partir d’un seul', '1.0'],
    [
      'the hours of an address are none',
      'de',
      '127.0.0.1:80 and 192.168.1.2',
      '127.0.0.2:80 und 192.168.1.2',
      '127.0.0.1',
    ],
    ['another month is another date', 'de', '2024-11-25', '25. Oktober 2024', '11'],
    ['a part of a number is no number', 'de', '1,234 and 234', '1.234', '234'],
  ])('%s', (_what, lang, source, target, span) => {
    expect(criticalSpans(source, target, lang).join(' ')).toContain(span);
  });

  it.each<[what: string, target: string]>([
    ['broken', '{{PLURAL:$1|letzte Änderung|letzte $1 Änderungen} von $2'],
    ['of another argument', '{{PLURAL:$3|letzte Änderung|letzte $1 Änderungen}} von $2'],
  ])('a choice of forms that is %s', (_what, target) => {
    const source = 'last {{PLURAL:$1|change|$1 changes}} of $2';
    expect(criticalSpans(source, target, 'de').join(' ')).toMatch(/PLURAL/);
  });

  it('a link made unsafe', () => {
    expect(criticalSpans('https://a.example', 'http://a.example')).toEqual(['https://a.example']);
  });
});

/** 17th and 21st, as texts in each language write them. */
const spelled: Record<string, [seventeen: string, twentyOne: string]> = {
  en: ['the seventeenth', 'twenty-first'],
  es: ['decimoséptimo', 'veintiuno'],
  fr: ['le dix-septième siècle', 'le vingt-et-unième'],
  'fr-CA': ['dix-sept', 'vingt et un'],
  de: ['am siebzehnten Tag', 'im einundzwanzigsten'],
  it: ['diciassettesimo', 'ventunesimo'],
  'pt-BR': ['dezessete', 'século vinte e um'],
  'pt-PT': ['dezassete', 'vigésimo primeiro'],
  nl: ['de zeventiende eeuw', 'eenentwintigste'],
  ko: ['십칠세기', '이십일세기'],
  ar: ['القرن السّابع عشر', 'للقرن الحادي والعشرين'],
  ru: ['семнадцатого века', 'двадцать первого века'],
  hi: ['सत्रहवीं सदी', 'इक्कीसवीं'],
  tr: ['on yedinci', 'yirmi birinci'],
  vi: ['thế kỷ mười bảy', 'hai mươi mốt'],
  th: ['ศตวรรษที่สิบเจ็ด', 'ยี่สิบเอ็ด'],
  id: ['abad ketujuh belas', 'kedua puluh satu'],
  pl: ['siedemnastego wieku', 'dwudziestego pierwszego'],
  uk: ['сімнадцятого століття', 'двадцять першого'],
  cs: ['sedmnáctého století', 'dvacátého prvního'],
  ro: ['al șaptesprezecelea', 'douăzeci și unu'],
  hu: ['tizenhetedik', 'huszonegyedik'],
  el: ['του δέκατου έβδομου', 'εικοστό πρώτο'],
  sv: ['sjuttonde', 'tjugoförsta'],
  da: ['syttende', 'enogtyvende'],
  nb: ['syttende', 'tjueførste'],
  fi: ['seitsemännellätoista', 'kaksikymmentäyksi'],
  ms: ['ketujuh belas', 'dua puluh satu'],
  fa: ['قرن هفدهم', 'بیست و یکم'],
  ur: ['سترہویں صدی', 'اکیسویں'],
  mr: ['सतराव्या', 'एकविसाव्या एकवीस'],
  ne: ['सत्रौँ', 'एक्काइसौँ'],
  'zh-Hans': ['十七世纪', '二十一世纪'],
  'zh-Hant': ['第十七', '第二十一'],
  ja: ['第十七回', '二十一世紀'],
};

describe('numbers in words', () => {
  it('are known in every language', () => {
    expect(Object.keys(spelled).sort()).toEqual([...languageCodes].sort());
  });

  it.each(Object.entries(spelled))('in %s', (lang, [seventeen, twentyOne]) => {
    expect(issuesOf('the 17th', seventeen, lang)).toEqual([]);
    expect(issuesOf('the 21st', twentyOne, lang)).toEqual([]);
    expect(criticalSpans('the 17th', twentyOne, lang)).toEqual(['17']);
    expect(criticalSpans('the 21st', seventeen, lang)).toEqual(['21']);
  });

  it('are read as the longest number that stands there', () => {
    expect(spelledNumbers('двадцать первого, двадцать', 'ru')).toEqual(new Set([21, 20]));
    expect(spelledNumbers('двадцать первого', 'ru')).toEqual(new Set([21]));
    expect(spelledNumbers('quatre-vingt-dix-septième', 'fr')).toEqual(new Set([97]));
  });
});

describe('direction marks', () => {
  const mark = fc.constantFrom(...'\u061c\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069');
  const number = fc.oneof(
    fc.integer({ min: 13, max: 99_999 }).map(String),
    fc.constantFrom('1:10', '2.5', '12:30', '2024-01-05', '3.2.1'),
  );

  it('wherever they stand around and in a number, it is the same number', () => {
    fc.assert(
      fc.property(number, fc.array(fc.tuple(fc.nat(), mark), { maxLength: 6 }), (own, marks) => {
        let target = `x ${own} y`;
        for (const [at, sign] of marks) {
          const i = at % (target.length + 1);
          target = target.slice(0, i) + sign + target.slice(i);
        }
        expect(issuesOf(`a ${own} b`, target, 'ar')).toEqual([]);
        expect(issuesOf(target, `x ${own} y`, 'en', 'ar')).toEqual([]);
      }),
    );
  });

  it('in a placeholder break it', () => {
    expect(criticalSpans('See {name}', 'انظر {name\u2069}', 'ar')).toEqual(['{name}']);
  });
});

it('a time format loses a field only if nothing else has the same one', () => {
  const fields = {
    day: ['%d', '%e', '%-d'],
    month: ['%b', '%B', '%m'],
    year: ['%Y', '%y'],
    hour: ['%H', '%k'],
    minute: ['%M'],
  };
  const choice = fc.record(
    Object.fromEntries(Object.entries(fields).map(([name, all]) => [name, fc.constantFrom(...all)])),
  );
  const order = fc.shuffledSubarray(Object.keys(fields), { minLength: 5 });
  fc.assert(
    fc.property(choice, choice, order, fc.nat(4), (source, target, names, gone) => {
      const written = (one: Record<string, string>, kept: string[]) =>
        kept.map((name) => one[name]).join(' ');
      const from = written(source, Object.keys(fields));
      expect(issuesOf(from, written(target, names), 'ja')).toEqual([]);
      const lost = names[gone]!;
      const rest = names.filter((name) => name !== lost);
      expect(criticalSpans(from, written(target, rest), 'ja')).toEqual([source[lost]]);
    }),
  );
});
