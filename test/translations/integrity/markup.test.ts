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
