import { describe, expect, it } from 'vitest';
import { extractHtml } from '#server/formats/html-segments.ts';
import { texts } from './html-texts.ts';

/** The parts of the source that a translation would replace. */
const slices = (source: string): string[] =>
  extractHtml(source).map(({ start, end }) => source.slice(start, end));

describe('segments', () => {
  it.each<[rule: string, source: string, expected: string[]]>([
    ['text, and what follows inside an element', '<p>one <b>two</b> three</p>', ['one', 'two', 'three']],
    [
      'the title of a frame, but not its content',
      '<iframe title=A>B</iframe><p translate=no><iframe title=C>',
      ['A'],
    ],
    [
      'the four attributes',
      '<a title=A><img alt=B><input placeholder=C><i aria-label=D>',
      ['A', 'B', 'C', 'D'],
    ],
    ['no other attribute', '<input value=A name=B data-title=C aria-description=D titles=E>', []],
    ['no attribute of an end tag', '<p></p title=A>', []],
    ['the first of two attributes of one name', '<p title=A title=B></p>', ['A']],
    ['no attribute without a value', '<img alt><img alt=""><img alt=><img alt=" &nbsp;">', []],
    ['an attribute of a tag that the tree drops', '<p><td title=A>B</td></p>', ['A', 'B']],
    ['no attribute of a tag cut off by the end', 'A<p title="B"', ['A']],
    ['no whitespace, spelled either way', '<p> \n</p><p>&nbsp;</p><p>&#32;&#xA0;&ensp;</p><p>\u3000</p>', []],
    ['markup in a textarea as it reads', '<textarea>A</b><!-- B --></></textarea>', ['A</b><!-- B --></>']],
    ['the markup inside noscript', '<noscript><img alt=A>B</noscript>', ['A', 'B']],
    [
      'SVG and MathML text',
      '<svg><title>A</title><text>B</text></svg><math><mtext>C</math>',
      ['A', 'B', 'C'],
    ],
    ['no comment, conditional or bogus', '<!-- A --><!--[if IE]><p>B</p><![endif]--><?php C ?><!D>', []],
    [
      'no CDATA section, but what stands around it',
      '<svg>A<![CDATA[B</> ]] >]]>C<![CDATA[D</svg>',
      ['A', 'C'],
    ],
    ['no script or style', '<script>A</script><style>B</style><svg><style>C</style></svg>', []],
    [
      'nothing inside an SVG script either',
      '<svg><script><g translate=yes aria-label=A>B</g></script><g>C',
      ['C'],
    ],
    [
      'no template, whatever is nested',
      '<template title=A>B<p title=C>D<template>E</template>F</template>G',
      ['G'],
    ],
    [
      'no raw text of old elements',
      '<xmp>A</xmp><iframe>B</iframe><noembed>C</noembed><noframes>D</noframes>',
      [],
    ],
    ['nothing after plaintext', 'A<plaintext>B<p title=C></plaintext>', ['A']],
  ])('%s', (_rule, source, expected) => {
    expect(texts(source)).toEqual(expected);
  });

  it('names the element, the attribute and its quote', () => {
    const source = `out<svg><foreignObject title='A'>B<img alt=C><p title="D">`;
    expect(extractHtml(source)).toEqual([
      { kind: 'text', start: 0, end: 3, text: 'out', element: 'body' },
      {
        kind: 'attribute',
        start: 30,
        end: 31,
        text: 'A',
        element: 'foreignObject',
        attribute: 'title',
        quote: "'",
      },
      { kind: 'text', start: 33, end: 34, text: 'B', element: 'foreignObject' },
      { kind: 'attribute', start: 43, end: 44, text: 'C', element: 'img', attribute: 'alt', quote: '' },
      { kind: 'attribute', start: 55, end: 56, text: 'D', element: 'p', attribute: 'title', quote: '"' },
    ]);
  });
});

describe('translate="no"', () => {
  it.each<[rule: string, source: string, expected: string[]]>([
    ['holds for everything inside', '<div translate="no">A<p title=B>C</p><img alt=D></div>E', ['E']],
    [
      'is switched off by yes, and on again',
      '<p translate=no>A<b translate=yes>B<i translate=no>C</i>D</b>E',
      ['B', 'D'],
    ],
    ['is switched off by an empty value', '<p translate=no>A<b translate>B</b></p>', ['B']],
    ['is read in any case', '<p TRANSLATE="No">A</p><div translate=no><p translate=YES>B</p></div>', ['B']],
    [
      'with another value changes nothing',
      '<p translate=never>A</p><div translate=no><p translate=maybe>B',
      ['A'],
    ],
    ['holds for the element’s own attributes', '<p translate=no title=A>B</p><img translate=no alt=C>', []],
    [
      'yes holds for the element’s own attributes',
      '<p translate=no><img translate=yes alt=A><img alt=B>',
      ['A'],
    ],
    ['of the page or its body holds', '<html translate=no><title>A</title><body title=B>C', []],
    ['of the page holds behind a byte order mark', '\uFEFF<html translate=no><body>A', []],
    ['of a second page tag holds from there', '<html title=A><html translate=no>B', ['A']],
    ['of the first page tag wins', '<html translate=no><html translate=yes>A', []],
    ['of the body leaves the head', '<html><title>A</title><body translate=no>B', ['A']],
    [
      'cannot turn code into text',
      '<script translate=yes>A</script><template translate=yes>B</template>',
      [],
    ],
  ])('%s', (_rule, source, expected) => {
    expect(texts(source)).toEqual(expected);
  });
});

describe('the position of a segment', () => {
  it.each<[rule: string, source: string, expected: string[]]>([
    ['whitespace around it is left out', '<p>\r\n\t A  B \u00A0</p><p title=" C ">', ['A  B', 'C']],
    [
      'a reference at either end stays whole',
      '<p> &lt;A&gt; </p><p> &amp; </p><p title=" &quot;B&quot; ">',
      ['&lt;A&gt;', '&amp;', '&quot;B&quot;'],
    ],
    ['spaces around the equals sign are not the value', '<a title \n=\t "A"><a title= B>', ['A', 'B']],
    ['a bare value is taken whole', '<a title=A/B"C\'=><img alt=D/>', [`A/B"C'=`, 'D/']],
    ['an SVG title is no verbatim text', '<svg><title>A</>B<![CDATA[C]]></title>', ['A', 'B']],
    ['a stray angle bracket does not', '1 < 2 > 0 <3 <', ['1 < 2 > 0 <3 <']],
    [
      'a leading line of pre does not shift it',
      '<pre>\n&#65; B</pre><textarea>\r\n\r\nC</textarea>',
      ['&#65; B', 'C'],
    ],
  ])('%s', (_rule, source, expected) => {
    expect(slices(source)).toEqual(expected);
  });
});
