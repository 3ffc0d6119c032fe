import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse, parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import { extractHtml, rebuildHtml } from '#server/formats/html-segments.ts';
import { texts } from './markup-files.ts';

const translated = (source: string, ...translations: string[]): string =>
  rebuildHtml(source, extractHtml(source), translations);

describe('the rebuilt source', () => {
  it('has each translation in its place and keeps the rest', () => {
    const source = '<P CLASS=x >&nbsp;one <B>two</b>\r\n<img  alt = "three" src=a></P><!-- c -->';
    expect(translated(source, 'uno', 'dos', 'tres')).toBe(
      '<P CLASS=x >&nbsp;uno <B>dos</b>\r\n<img  alt = "tres" src=a></P><!-- c -->',
    );
  });

  it('never takes markup from a translation', () => {
    expect(translated('<p>x</p>', `<b> & "q" 'q' &lt;`)).toBe(`<p>&lt;b&gt; &amp; "q" 'q' &amp;lt;</p>`);
    expect(translated('<textarea>x</textarea>', '</textarea>')).toBe(
      '<textarea>&lt;/textarea&gt;</textarea>',
    );
  });

  it('has the template code of the source as it is, and no other', () => {
    const code = '{% if a > 1 && b %}<%= c < 2 %>';
    expect(translated(`<p>${code} x</p>`, `y ${code} & {{ d > e }}`)).toBe(
      `<p>y ${code} &amp; {{ d &gt; e }}</p>`,
    );
    expect(translated('<p title="{{ a && b }} x">', '{{ a && b }} & "y"')).toBe(
      '<p title="{{ a && b }} &amp; &quot;y&quot;">',
    );
  });

  it('escapes in an attribute only its own quote', () => {
    const translation = `"a" 'b' <&>`;
    expect(translated('<p title="x">', translation)).toBe(`<p title="&quot;a&quot; 'b' &lt;&amp;&gt;">`);
    expect(translated("<p title='x'>", translation)).toBe(`<p title='"a" &#39;b&#39; &lt;&amp;&gt;'>`);
  });

  it('puts quotes around an unquoted value that changes, and leaves the others', () => {
    expect(translated('<a title=x alt=y>', 'two words', 'y')).toBe('<a title="two words" alt=y>');
    expect(translated('<img alt=x/>', '"z"')).toBe('<img alt="&quot;z&quot;">');
    expect(translated('<a title=x>', '')).toBe('<a title="">');
  });

  it('is refused without one translation for each segment', () => {
    const segments = extractHtml('<p>a</p><p>b</p>');
    expect(() => rebuildHtml('<p>a</p><p>b</p>', segments, ['c'])).toThrow(RangeError);
    expect(() => rebuildHtml('<p>a</p><p>b</p>', segments, ['c', 'd', 'e'])).toThrow(RangeError);
  });
});

/** Pieces of markup that are difficult if they are adjacent. */
const flow = [
  ...'<b> </b> </i> <a> </a> <nobr> <font> </font> <p> </p> <div> </div> <br> <h1> </h1> <ul> <li> </ul>'.split(
    ' ',
  ),
  ...'<form> <button> </button> <ruby> <rt> <object> <table> </table> <tr> <td> </td> <caption> <col>'.split(
    ' ',
  ),
  ...'<select> <option> </select> <textarea> </textarea> <title> </title> <pre> </pre> <noscript>'.split(' '),
  ...'<svg> </svg> <desc> <foreignObject> <math> <mi> </math> <body> </body> </html> <script>'.split(' '),
  ...'</script> <style> </style> </noscript> <iframe> <xmp> </xmp> --> </> <> < </ > &amp; &amp &'.split(' '),
  ...'&nbsp; &nbsp &#32; &#x41; &lt &notit; &copy =1 &ThickSpace; x é😀 " \''.split(' '),
  ...[
    ' ',
    '\n',
    '\r\n',
    '\r',
    '\uFEFF',
    '\u3000',
    'y z',
    '< ',
    '<!-- c -->',
    '<!-- ',
    '<?php x ?>',
    '</p x>',
  ],
  ...['<i class=x>', '<p translate="no">', '<div translate=no>', '<div translate=yes>', '<td translate=no>'],
  ...['<!doctype html>', '<img alt=x title="a b">', `<a title='&#10; &quot;x&nbsp;' alt>`],
  ...['<a title=x&amp;/>', '<A TITLE=x title=y>', '<input placeholder=" q ">', '<a href=x title=y'],
];
const nasty = [
  ...flow,
  ...'<template> </template> <plaintext> <frameset> <head> </span> <![CDATA[ ]]> <![CDATA[z]]> <svg/>'.split(
    ' ',
  ),
  ...['<html translate=no>', '<image alt=w>', '<b translate=no>', '<span translate=yes>'],
];
const sourceOf = (pieces: string[], stranger: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...pieces) }, stranger), { maxLength: 20 })
    .map((parts) => parts.join(''));
const anySource = sourceOf(
  nasty,
  fc.string({ unit: 'binary' }).map((part) => part.replaceAll('\0', '')),
);
const manyRuns = { numRuns: 1000 };

describe('for any source', () => {
  it('an unchanged rebuild is the source, byte for byte', () => {
    fc.assert(
      fc.property(anySource, (source) => {
        expect(rebuildHtml(source, extractHtml(source), texts(source))).toBe(source);
      }),
      manyRuns,
    );
  });

  it('segments come in source order, do not overlap, and are what their slice of the source decodes to', () => {
    fc.assert(
      fc.property(anySource, (source) => {
        let end = 0;
        for (const segment of extractHtml(source)) {
          expect(segment.start).toBeGreaterThanOrEqual(end);
          expect(segment.end).toBeGreaterThan(segment.start);
          end = segment.end;
          expect(segment.text.trim()).not.toBe('');
          const slice = source.slice(segment.start, segment.end);
          if (segment.kind === 'text') expect(slice).not.toMatch(/^\s|\s$/);
          const quote = segment.kind === 'attribute' ? segment.quote : '';
          // Inside one of these elements, each `<` is a character, as it is in the slice.
          const name = segment.element === 'textarea' ? 'textarea' : 'title';
          const alone =
            segment.kind === 'text' ? `<${name}>${slice}</${name}>` : `<p title=${quote}${slice}${quote}>`;
          const element = parseFragment(alone).childNodes[0]!;
          if (segment.kind === 'attribute') {
            expect('attrs' in element && element.attrs[0]!.value).toBe(segment.text);
          } else if ('childNodes' in element) {
            expect(element.childNodes).toMatchObject([{ nodeName: '#text', value: segment.text }]);
          }
        }
      }),
      manyRuns,
    );
  });

  it('translations are read back as they were given, and nothing else has changed', () => {
    const translation = fc
      .oneof(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('<b>', '&amp;', '"', "'", '</textarea>', '-->', ']]>'),
      )
      .filter((text) => text.trim() !== '' && text.trim() === text && !/[\0\r]/.test(text));
    fc.assert(
      fc.property(anySource, fc.infiniteStream(translation), (source, stream) => {
        const segments = extractHtml(source);
        const translations = [...stream.take(segments.length)];
        const rebuilt = rebuildHtml(source, segments, translations);
        const again = extractHtml(rebuilt);
        expect(again.map(({ text }) => text)).toEqual(translations);
        const emptied = segments.map(() => '');
        expect(rebuildHtml(rebuilt, again, emptied)).toBe(rebuildHtml(source, segments, emptied));
      }),
      manyRuns,
    );
  });

  it('no character of a text node is missed or taken twice', () => {
    fc.assert(
      fc.property(sourceOf(flow, fc.constant('w')), (part) => {
        const source = `<!doctype html>${part}`;
        const taken = extractHtml(source)
          .filter(({ kind }) => kind === 'text')
          .map(({ text }) => text);
        expect(visibleCharacters(taken.join(''))).toBe(visibleCharacters(translatableText(source)));
      }),
      manyRuns,
    );
  });
});

/** The text nodes to translate, in the order of the tree that a parser builds from the complete source. */
function translatableText(source: string): string {
  const textIn = (parent: DefaultTreeAdapterTypes.ParentNode, inherited: string): string =>
    parent.childNodes
      .map((node) => {
        if ('value' in node) return inherited === 'no' ? '' : node.value;
        if (!('tagName' in node) || ['script', 'style', 'iframe', 'xmp'].includes(node.tagName)) return '';
        return textIn(node, node.attrs.find(({ name }) => name === 'translate')?.value ?? inherited);
      })
      .join('');
  return textIn(parse(source, { scriptingEnabled: false }), 'yes');
}

/** Without spaces, because segments omit some, and sorted, because the parser moves text. */
function visibleCharacters(text: string): string {
  return [...text.replace(/\s/g, '')].sort().join('');
}
