import { expect, test } from 'vitest';
import { readXml } from '#cli/compat/deepl/xml.ts';

test('a translation gets the tags of its XML back, in the order of the model', () => {
  const { html, write } = readXml('<p id="1">See <b>this</b> or <i>that</i></p>', new Set());
  expect(html).toBe('<x-1>See <x-2>this<x-3> or <x-4>that<x-5><x-6>');
  expect(write('<x-1><x-4>cela<x-5> ou <x-2>ceci<x-3><x-6>')).toBe(
    '<p id="1"><i>cela</i> ou <b>ceci</b></p>',
  );
});

test('references to entities of a document type stay, and the type is one tag', () => {
  const type = `<!DOCTYPE p SYSTEM "a>b" [<!-- it's --><!ENTITY co "Acme ]> & Co"><!ENTITY % x 'y'>\n] >`;
  const { html, write } = readXml(`${type}<p>By &co; &amp; &#x20;</p> &co;`, new Set());
  expect(html).toBe('<x-1><x-2>By <x-3> &amp; &#x20;<x-4> <x-5>');
  expect(write('<x-1><x-2>De <x-3> &amp; &#x20;<x-4> <x-5>')).toBe(`${type}<p>De &co; &amp; &#x20;</p> &co;`);
});

test.each([
  ['<!DOCTYPE book SYSTEM "k.dtd"><p>&kmail;</p>', '<x-1><x-2><x-3><x-4>'],
  ['<!DOCTYPE html PUBLIC "x" "y"><p>caf&eacute;</p>', '<x-1><x-2>caf&eacute;<x-3>'],
  ['<p>caf&eacute;</p>', '<x-1>caf&eacute;<x-2>'],
])('the entities of %s', (xml, html) => {
  expect(readXml(xml, new Set()).html).toBe(html);
});

test('a document type without an end is rejected', () => {
  expect(() => readXml('<!DOCTYPE p [<!ENTITY co "a"><p>&co;</p>', new Set())).toThrow(
    /malformed at character 1/,
  );
});

test.each([
  ['lacks a tag', '<x-1>ceci'],
  ['has a tag twice', '<x-1>ceci<x-2><x-2>'],
  ['has a tag of its own', '<x-1>ceci<x-2><x-3>'],
  ['has its tags in the wrong order', '<x-2>ceci<x-1>'],
  ['has other markup', '<x-1>ceci<br><x-2>'],
])('a translation that %s is an error, and no broken XML', (_, translation) => {
  expect(() => readXml('<b>this</b>', new Set()).write(translation)).toThrow(/other tags than the text/);
});
