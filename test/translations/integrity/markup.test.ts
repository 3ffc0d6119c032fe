import { describe, expect, it } from 'vitest';
import { checkIntegrity } from '#server/translation/integrity/index.ts';
import { criticalSpans, issuesOf } from './checked.ts';

describe('markup of a plain text', () => {
  it.each<[what: string, source: string, target: string]>([
    ['another order', '<b>one</b> <i>two</i>', '<i>zwei</i> <b>eins</b>'],
    ['another spelling', '<BR>one<br />two<img src=a.png>', '<br/>eins<br>zwei<IMG src="a.png">'],
    [
      'other texts for people',
      '<a href="/x" title="Home">x</a><img src="a" alt="b"><p lang="en" dir="ltr">',
      '<a title="Anfang" href="/x">x</a><img src="a" alt="c"><p lang="ar" dir="rtl">',
    ],
    ['components by number', 'Read <0>this</0><1/>', '<1/><0>Dies</0> lesen'],
    ['components by name', 'Read <docLink>this</docLink>', '<docLink>Dies</docLink> lesen'],
    ['crossed tags as in the source', '<b>one<i>two</b></i>', '<i>eins<b>zwei</i></b>'],
    ['paragraphs without end tags', 'a<p>b<br>c', 'a<p>b<br>c'],
    ['comparisons', 'if a < b and c > d', 'wenn a < b und c > d'],
    [
      'comparisons without spaces',
      '(0 = auto, <0 = off, x<y and y>z)',
      '(0 = auto, < 0 = aus, x < y und y > z)',
    ],
    ['an arrow and a heart', 'I <3 this <- that', 'Ich mag das <- jenes, <3'],
    ['generic types', 'a Map<K, V> of List<String>', 'ein Map<K, V> aus List<String>'],
    ['the words of a usage', 'cp <file> [<option>] <input>', 'cp <Datei> [<Option>] <Eingabe>'],
    ['spaces of typography', 'a&nbsp;b &laquo;c&raquo; &#39;', 'a b „c“ ’'],
  ])('%s', (_what, source, target) => {
    expect(issuesOf(source, target)).toEqual([]);
  });

  it.each<[what: string, source: string, target: string, spans: string[]]>([
    ['an end tag', '<b>one</b>', '<b>eins', ['</b>']],
    ['both tags', 'a <b>b</b>', 'a b', ['<b>', '</b>']],
    ['one of two', '<li>a</li><li>b</li>', '<li>a und b</li>', ['<li>', '</li>']],
    ['a void element', 'a<br>b', 'a b', ['<br>']],
    ['a renamed element', '<strong>a</strong>', '<stark>a</stark>', ['<strong>', '</strong>']],
    ['a component', '<0>a</0>', 'a', ['<0>', '</0>']],
    ['an attribute', '<a href="/x" class="c">a</a>', '<a href="/x">a</a>', ['class="c"']],
    [
      'one attribute of two',
      '<a href="/x" rel="r">a</a> <a href="/y" rel="r">b</a>',
      '<a href="/x" rel="r">a</a> <a href="/y">b</a>',
      ['rel="r"'],
    ],
    ['a value', '<a href="/x">a</a>', '<a href="/y">a</a>', ['href="/x"']],
    ['a tag with its attributes, once', '<a href="/x">a</a>', 'a</a>', ['<a href="/x">']],
    ['a placeholder of a text in it', '<img alt="{name} of 30">', '<img alt="von 30">', ['{name}']],
    ['a number of a text in it', '<p title=30>', '<p title=40>', ['30']],
    ['an attribute for people', '<img src="a" alt="b">', '<img src="a">', ['alt="b"']],
    ['a start tag before its end tag', '<b>one</b> two', '</b>eins<b> zwei', ['</b>']],
    ['tags in each other', '<p><b>one</b></p>', '<p><b>eins</p></b>', ['</p>']],
    ['one end tag for each start tag', '<b>one</b>', '<b>eins</b></b>', ['</b>']],
    ['one start tag for each end tag', '<b>one</b>', '<b><b>eins</b>', ['<b>']],
  ])('alarm without %s', (_what, source, target, spans) => {
    expect(criticalSpans(source, target)).toEqual(spans);
  });

  it('counts the words of a usage, less loudly', () => {
    expect(issuesOf('cp <file> <dir>', 'cp <Datei>')).toMatchObject([{ severity: 'major', span: '<file>' }]);
  });

  it('does not matter in an HTML source, whose markup never reaches the model', () => {
    const languages = { sourceLang: 'en', targetLang: 'de', textType: 'Html' as const };
    expect(checkIntegrity({ sourceText: 'a <b>b</b>', targetText: 'a b', ...languages })).toEqual([]);
    expect(checkIntegrity({ sourceText: 'a {b}', targetText: 'a', ...languages })).toHaveLength(1);
  });
});

describe('links and addresses', () => {
  it.each<[what: string, source: string, target: string, targetLang?: string]>([
    ['before punctuation', 'See https://example.com/a?b=1#c.', 'Siehe „https://example.com/a?b=1#c“!'],
    ['in parentheses', '(see http://a.example/b_(c))', '(siehe http://a.example/b_(c))'],
    ['before Japanese', 'See https://example.com/a now', 'https://example.com/aを参照してください。', 'ja'],
    ['without a scheme', 'www.example.com', 'www.example.com。', 'zh-Hans'],
    ['with and without a last slash', 'https://example.com/', 'https://example.com'],
    ['with a placeholder', 'https://{host}/x/{{id}}?y=%s', 'https://{host}/x/{{id}}?y=%s'],
    [
      'in Markdown',
      '**[Home](https://example.com/)** ![a](img/a.png)',
      '**[Heim](https://example.com/)** ![b](img/a.png)',
    ],
    ['in angle brackets', '<https://example.com> <a@example.com>', '<https://example.com> <a@example.com>'],
    ['an address', 'Write to a.b+c@mail.example.com.', 'Schreiben Sie an a.b+c@mail.example.com.'],
    ['a bare scheme', 'begin with “https://”', 'mit „https://“ anfangen'],
    ['a handle of one letter', 'a @ b', 'a @ b'],
  ])('stand %s', (_what, source, target, targetLang) => {
    expect(issuesOf(source, target, targetLang)).toEqual([]);
  });

  it.each<[what: string, source: string, target: string, span: string]>([
    ['a link', 'See https://example.com/a.', 'Siehe dort.', 'https://example.com/a'],
    ['a link of two alike', 'www.a.example www.a.example', 'www.a.example', 'www.a.example'],
    ['a changed path', 'https://example.com/en/a', 'https://example.com/de/a', 'https://example.com/en/a'],
    ['a scheme made worse', 'https://example.com', 'http://example.com', 'https://example.com'],
    ['a changed scheme', 'http://example.com', 'ftp://example.com', 'http://example.com'],
    ['a destination', '[a](./docs/a.md)', '[a](./docs/b.md)', './docs/a.md'],
    ['an anchor', '[a](#top)', '[a](#oben)', '#top'],
    ['an address', 'Write to me@example.com', 'Schreiben Sie mir', 'me@example.com'],
    ['a changed address', 'you@example.com', 'sie@beispiel.de', 'you@example.com'],
    ['mailto', 'mailto:me@example.com', 'me@example.com', 'mailto:me@example.com'],
  ])('alarm without %s', (_what, source, target, span) => {
    expect(criticalSpans(source, target)).toEqual([span]);
  });

  it('alarm, less loudly, when they are invented', () => {
    expect(issuesOf('See there', 'Siehe https://example.com und a@example.com')).toMatchObject([
      { severity: 'major', span: 'https://example.com' },
      { severity: 'major', span: 'a@example.com' },
    ]);
  });

  it('hold no placeholders and no numbers of their own', () => {
    expect(criticalSpans('https://example.com/{id}/42?x=%20d', '')).toEqual([
      'https://example.com/{id}/42?x=%20d',
    ]);
  });
});

describe('running text', () => {
  it('does not alarm over code, mathematics, paths and prices in it', () => {
    const source = `
In 2019, 1,250 people (12.5 %) paid $5 or more; by 3:30 pm on 12/31/2024 it was 2.5 million. If a < b and b > 0,
write x = {1, 2, 3} :-) and press <Enter>. Run C:\\Users\\me\\%TEMP%\\a.bat, or "grep -c 'a|b' <file>", and send
{"id": 7, "name": "Ann"} to https://api.example.com/v2/users/42?q=%20x (version 3.2.1), or to Ann <ann@example.com>.
The 1st of the 3 steps is 100% sure; the 2nd needs 10–12 minutes & 5 GB; I <3 it :D — 24/7!
`;
    const target = `
2019 bezahlten 1.250 Menschen (12,5 %) 5 $ oder mehr; am 31.12.2024 um 15:30 Uhr waren es 2,5 Millionen. Wenn a < b
und b > 0, schreiben Sie x = {1, 2, 3} :-) und drücken Sie <Eingabe>. Starten Sie C:\\Users\\me\\%TEMP%\\a.bat oder
„grep -c 'a|b' <Datei>“ und senden Sie {"id": 7, "name": "Ann"} an https://api.example.com/v2/users/42?q=%20x
(Version 3.2.1) oder an Ann <ann@example.com>. Der erste der drei Schritte ist zu 100 % sicher; der zweite braucht
10 bis 12 Minuten und 5 GB; ich mag das <3 :D — rund um die Uhr!
`;
    expect(issuesOf(source, target)).toEqual([]);
  });

  it('finds one changed number in a long text', () => {
    const sentence = (n: number): string => `Sentence ${n} has {name${n}} and <b>bold</b> words. `;
    const numbers = Array.from({ length: 1000 }, (_, i) => i + 13);
    const source = numbers.map(sentence).join('');
    const target = source.replaceAll('Sentence', 'Satz').replaceAll('words', 'Wörter');
    expect(issuesOf(source, target)).toEqual([]);
    expect(issuesOf(source, target.replace('Satz 500 ', 'Satz 50 '))).toMatchObject([{ span: '500' }]);
  });
});
