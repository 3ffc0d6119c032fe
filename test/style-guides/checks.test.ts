import { describe, expect, test } from 'vitest';
import type { TaskStyle } from '#server/platform/engines/engine.ts';
import { forbiddenWords } from '#server/translation/style/forbidden-words.ts';
import { checkStyle } from '#server/translation/style/index.ts';
import { seededRandom } from '#test/bench/seeded-random.ts';

const unset: TaskStyle = {
  rules: [],
  quotationMarks: null,
  spacing: null,
  formality: null,
  forbiddenWords: [],
};

/** Returns the words that break a style. */
const spans = (text: string, style: Partial<TaskStyle>, language: string) =>
  checkStyle(text, { ...unset, ...style }, language).map(({ span }) => span);

const forbidding = (...terms: (string | [term: string, instead: string])[]): Partial<TaskStyle> => ({
  forbiddenWords: terms.map((word) =>
    typeof word === 'string' ? { term: word, use_instead: null } : { term: word[0], use_instead: word[1] },
  ),
});

describe('quotation marks', () => {
  const wrong: [language: string, pair: string, text: string, span: string][] = [
    ['de', '„“', 'Klicken Sie auf "Weiter".', '"Weiter"'],
    ['de', '„“', 'Klicken Sie auf “Weiter”.', '“Weiter”'],
    ['de', '„“', 'Klicken Sie auf »Weiter«.', '»Weiter«'],
    ['de', '„“', '„Gut“, sagte er, und "schlecht".', '"schlecht"'],
    ['de', '„“', 'Nach „Weiter\nkommt "Zurück".', '"Zurück"'],
    ['de', '»«', 'Das «Haus» brennt.', '«Haus»'],
    ['fr', '«»', 'Le mot "maison" est ici.', '"maison"'],
    ['fr', '«»', 'Le mot “maison” est ici.', '“maison”'],
    ['fr', '«»', '"Bonjour" dit-il.', '"Bonjour"'],
    ['en', '“”', 'The word "house" is here.', '"house"'],
    ['en', '“”', 'The word («house») is here.', '«house»'],
    ['en', '“”', 'The word « house » is here.', '« house »'],
    ['en', '“”', 'The word „house” is here.', '„house”'],
    ['en', '‘’', 'The word “house” is here.', '“house”'],
    ['en', '""', 'The word “house” is here.', '“house”'],
    ['sv', '””', 'Ordet “hus” är här.', '“hus”'],
    ['pl', '„”', 'Słowo "dom" jest tu.', '"dom"'],
    ['ja', '「」', '彼は“こんにちは”と言った。', '“こんにちは”'],
    ['ja', '「」', '彼は"こんにちは"と言った。', '"こんにちは"'],
    ['zh-Hans', '“”', '他说「你好」。', '「你好」'],
  ];
  test.each(wrong)('%s with %s: %s', (language, quotationMarks, text, span) => {
    expect(spans(text, { quotationMarks }, language)).toEqual([span]);
  });

  const right: [language: string, pair: string, text: string][] = [
    ['de', '„“', 'Klicken Sie auf „Weiter“.'],
    ['de', '„“', '„Er sagte ‚Nein‘ zu mir.“'],
    ['de', '„“', '„Er rief "Nein" und ging.“'],
    ['de', '„“', 'Wie geht’s? Das ist Andreas’ Hund.'],
    ['de', '„“', 'Ein 27"-Monitor und ein Brett von 5\' 6".'],
    ['de', '„“', 'Ein Monitor mit 27" Diagonale.'],
    ['de', '„“', 'Geben Sie `"debug": true` ein.'],
    ['de', '„“', 'Siehe https://example.com/?q=%22a%22 und {"name"}.'],
    ['de', '„“', 'Der Tag <a href="x" title="Weiter">Link</a> bleibt.'],
    ['de', '„“', '„<b>Weiter</b>“ oder „{name}“.'],
    ['de', '„“', '„\nWeiter\n“'],
    ['fr', '«»', 'Le mot « maison » : l’heure d’“été”.'],
    ['fr', '«»', '« Il a dit “non” et il est parti. »'],
    ['fr', '«»', "L'heure de l’été, aujourd'hui."],
    ['en', '“”', "I don't know, don’t you? It's 5' 6\" tall."],
    ['en', '“”', '“He said ‘no’,” she wrote in ’99.'],
    ['en', '“”', '“First paragraph.\n“Second paragraph.”'],
    ['en', '‘’', '‘He doesn’t say “no” at all’, she wrote.'],
    ['en', '""', 'The word "house" and the word "tree".'],
    ['sv', '””', 'Ordet ”hus” är här.'],
    ['pl', '„”', 'Powiedział: „To jest «dom» ojca”.'],
    ['ru', '«»', 'Он сказал: «Это „дом“ отца».'],
    ['ja', '「」', '彼は「『猫』を読んだ」と言った。'],
    ['zh-Hans', '“”', '他说“你好”。'],
    ['en', '“”', ''],
  ];
  test.each(right)('nothing in %s with %s: %s', (language, quotationMarks, text) => {
    expect(spans(text, { quotationMarks }, language)).toEqual([]);
  });
});

describe('spacing', () => {
  const wrong: [spacing: TaskStyle['spacing'], text: string, span: string][] = [
    ['narrow_no_break', 'Êtes-vous sûr?', 'sûr?'],
    ['narrow_no_break', 'Êtes-vous sûr ?', 'sûr ?'],
    ['narrow_no_break', 'Attention: danger', 'Attention:'],
    ['narrow_no_break', 'Attention : danger', 'Attention :'],
    ['narrow_no_break', 'Oui; non', 'Oui;'],
    ['narrow_no_break', 'Quoi?!', 'Quoi?!'],
    ['narrow_no_break', 'Il reste 50 %!', '%!'],
    ['narrow_no_break', '(vraiment?)', '(vraiment?)'],
    ['narrow_no_break', 'Le mot «maison\u202F».', '«maison'],
    ['narrow_no_break', 'Le mot « maison\u202F».', '« maison'],
    ['narrow_no_break', 'Le mot «\u202Fmaison» est ici.', 'maison»'],
    ['narrow_no_break', 'Le mot «\u202Fmaison » est ici.', 'maison »'],
    ['narrow_no_break', 'Le mot «\u202Fmaison\u202F»: ici.', '»:'],
    ['none', 'Really ?', 'Really ?'],
    ['none', 'Really\u00A0?', 'Really\u00A0?'],
    ['none', 'Note : this', 'Note :'],
    ['none', 'Das «\u202FHaus».', '«\u202FHaus».'],
  ];
  test.each(wrong)('%s: %s', (spacing, text, span) => {
    expect(spans(text, { spacing }, spacing === 'none' ? 'en' : 'fr')).toEqual([span]);
  });

  const right: [spacing: TaskStyle['spacing'], text: string][] = [
    ['narrow_no_break', 'Êtes-vous sûr\u202F? Oui\u00A0! Bien\u202F; voilà\u00A0: ici.'],
    ['narrow_no_break', 'Le mot «\u202Fmaison\u202F» et «\u00A0toit\u00A0»\u202F!'],
    ['narrow_no_break', 'Le train part à 10:30 et 10:30:15.'],
    ['narrow_no_break', 'Voir https://example.com:8080/?a=b;c=d et www.example.com?x.'],
    ['narrow_no_break', 'Salut :-) Salut ;) Salut :D Salut :] :smile: =)'],
    ['narrow_no_break', 'Le fichier C:\\Temp\\a.txt est sur D: ou C:/tmp.'],
    ['narrow_no_break', 'Bonjour {name:s}, {{user}}, %s:%d, %{x}:'],
    ['narrow_no_break', 'Utilisez `a ? b : c;` et std::vector, a != b.'],
    ['narrow_no_break', 'Tom &amp; Jerry, l&#39;heure'],
    ['narrow_no_break', 'Le rapport est 3 : 1.'],
    ['narrow_no_break', 'Bonjour\n: suite'],
    ['narrow_no_break', 'Attends… Quoi\u202F?!'],
    ['narrow_no_break', 'Écrivez à mailto:a@example.com pour cela.'],
    ['none', 'Really? Yes! Fine; so: here.'],
    ['none', 'At 10:30 :-) the ratio is 3 : 1, see `a ? b : c`.'],
    ['none', 'Das «Haus» steht.'],
  ];
  test.each(right)('nothing for %s: %s', (spacing, text) => {
    expect(spans(text, { spacing }, spacing === 'none' ? 'en' : 'fr')).toEqual([]);
  });
});

describe('forbidden words', () => {
  const wrong: [language: string, term: string, text: string, span: string][] = [
    ['en', 'utilize', 'Please Utilize it.', 'Utilize'],
    ['en', 'log in', 'Please log  in here.', 'log  in'],
    ['en', 'c++', 'Written in C++.', 'C++'],
    ['de', 'Handy', 'Ihr Handy klingelt.', 'Handy'],
    ['de', 'straße', 'Die STRAßE ist lang.', 'STRAßE'],
    ['de', 'über', 'Über uns', 'Über'],
    ['fr', 'heure', 'l’heure et la minute', 'heure'],
    ['fr', 'été', 'Un été.', 'été'],
    ['ru', 'юзер', 'Новый юзер.', 'юзер'],
    ['ar', 'زبون', 'مرحبا زبون', 'زبون'],
    ['hi', 'यूज़र', 'नया यूज़र', 'यूज़र'],
    ['zh-Hans', '用户', '新用户你好', '用户'],
    ['ja', 'ユーザー', '新規ユーザー登録', 'ユーザー'],
    ['ja', 'PC', '新しいPCを買う', 'PC'],
    ['th', 'ผู้ใช้', 'สวัสดีผู้ใช้ใหม่', 'ผู้ใช้'],
    ['ko', '유저', '유저가 있습니다', '유저'],
    ['de', 'Müll', 'viel Mu\u0308ll', 'Mu\u0308ll'],
    ['de', 'Mu\u0308ll', 'viel Mü\u00adll', 'Mü\u00adll'],
    ['fr', "d'accord", 'on est d’accord', 'd’accord'],
    ['nl', 'e-mail', 'uw e\u2011mail', 'e\u2011mail'],
    ['ar', 'كتب', 'كُتُب', 'كُتُب'],
  ];
  test.each(wrong)('%s forbids %s: %s', (language, term, text, span) => {
    const issues = checkStyle(text, { ...unset, ...forbidding([term, 'X']) }, language);
    expect(issues).toEqual([
      {
        severity: 'major',
        category: 'style',
        span,
        explanation: `The style guide forbids “${span}”.`,
        suggestion: 'Use “X”.',
        replacement: 'X',
      },
    ]);
  });

  const right: [language: string, term: string, text: string][] = [
    ['en', 'use', 'The user used it; unused, use_case and reuse.'],
    ['en', 'US', 'Contact us.'],
    ['de', 'Hand', 'Das Handy in den Händen.'],
    ['fr', 'ete', 'Un été.'],
    ['ru', 'кот', 'который скот'],
    ['hi', 'कम', 'कमरा'],
    ['ja', 'PC', '新しいNPCを'],
    ['ko', '저', '유저가 있습니다'],
    ['en', 'example', 'See https://example.com and {example} and `example`.'],
    ['en', 'a.b', 'aXb'],
  ];
  test.each(right)('nothing in %s for %s: %s', (language, term, text) => {
    expect(spans(text, forbidding(term), language)).toEqual([]);
  });

  test('a term inside of its replacement is allowed, and not elsewhere', () => {
    const style = forbidding(['mail', 'e-mail']);
    expect(spans('Send an e-mail.', style, 'en')).toEqual([]);
    expect(spans('Send an e-mail or mail.', style, 'en')).toEqual(['mail']);
    expect(spans('On the log in page.', forbidding(['log in page', 'log in']), 'en')).toEqual([
      'log in page',
    ]);
  });

  test('each word is reported once, and at most ten', () => {
    expect(spans('no no no yes', forbidding('no', 'yes'), 'en')).toEqual(['no', 'yes']);
    const terms = Array.from({ length: 20 }, (_, index) => `w${index}`);
    expect(spans(terms.join(' '), forbidding(...terms), 'en')).toHaveLength(10);
  });
});

test('only forbidden words are major, and every issue is of the category style', () => {
  const style: TaskStyle = {
    rules: ['Write well.'],
    quotationMarks: '«»',
    spacing: 'narrow_no_break',
    formality: 'formal',
    forbiddenWords: [{ term: 'mail', use_instead: null }],
  };
  const issues = checkStyle('As-tu un "mail"?', style, 'fr');
  expect(issues.map(({ severity, category, span }) => [severity, category, span])).toEqual([
    ['major', 'style', 'mail'],
    ['minor', 'style', '"mail"'],
    ['minor', 'style', '"mail"?'],
  ]);
});

type Word = TaskStyle['forbiddenWords'][number];

// The classes are compiled for each pattern, which takes milliseconds: hence few rounds with long texts.
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const letter = String.raw`(?!${unspaced})[\p{L}\p{M}\p{N}_]`;

/** The rules of docs/style-guides.md with a pattern for each word, which is correct and slow. */
function byPatterns(text: string, words: readonly Word[], language: string) {
  const bounded = (term: string) => {
    const [first, last] = [[...term][0]!, [...term].at(-1)!];
    const spelled = term.split(/\s+/).map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
    const start = new RegExp(letter, 'u').test(first) ? `(?<!${letter})` : '';
    const end = new RegExp(letter, 'u').test(last) && language !== 'ko' ? `(?!${letter})` : '';
    return `${start}${spelled.join(String.raw`\s+`)}${end}`;
  };
  return words
    .flatMap(({ term, use_instead: useInstead }, word) => {
      const flags = /\p{Lu}/u.test(term) ? 'gu' : 'giu';
      // A lookahead, because replacements may overlap.
      const replacements =
        useInstead === null ? [] : [...text.matchAll(new RegExp(`(?=(${bounded(useInstead)}))`, flags))];
      const isAllowed = (start: number, end: number) =>
        replacements.some(({ index, 1: found }) => index <= start && end <= index + found!.length);
      const pattern = new RegExp(bounded(term), flags);
      const found: { start: number; end: number; word: number }[] = [];
      for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
        const [start, end] = [match.index, match.index + match[0].length];
        if (isAllowed(start, end)) pattern.lastIndex = start + [...match[0]][0]!.length;
        else found.push({ start, end, word });
      }
      return found;
    })
    .sort((one, other) => one.start - other.start);
}

/** Few characters, so that words occur, overlap and contain each other. */
const alphabets = [
  'aAb !',
  'ab \n-',
  'aßẞ ſsS',
  'ıiIİ k\u212aK',
  'σΣς ΐ\u1fd3',
  'éE\u0301e_1 ',
  'あア漢aA ',
  'ก\u0e31a ',
  '가나a ',
  '😀\u{10400}\u{10428} \0',
].map((characters) => [...characters]);

test('random words are found in random texts by the rules of docs/style-guides.md', () => {
  const random = seededRandom(15);
  const below = (limit: number) => Math.floor(random() * limit);
  for (let round = 0; round < 50; round++) {
    const alphabet = alphabets[round % alphabets.length]!;
    const string = (length: number) =>
      Array.from({ length }, () => alphabet[below(alphabet.length)]!).join('');
    const term = () => string(1 + below(4)).trim() || 'a';
    const words = Array.from({ length: 1 + below(4) }, () => {
      const word = term();
      return { term: word, use_instead: [null, term(), `${term()} ${word}`, `${word}${term()}`][below(4)]! };
    });
    const text = string(below(400));
    for (const language of ['en', 'ko'])
      expect([...forbiddenWords(text, words, language)], JSON.stringify({ text, words, language })).toEqual(
        byPatterns(text, words, language),
      );
  }
});
