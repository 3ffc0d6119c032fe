import { expect, test } from 'vitest';
import { readXml } from '#cli/compat/deepl/xml.ts';

test('a translation gets the tags of its XML back, in the order of the model', () => {
  const { html, write } = readXml('<p id="1">See <b>this</b> or <i>that</i></p>', new Set());
  expect(html).toBe('<x-1>See <x-2>this<x-3> or <x-4>that<x-5><x-6>');
  expect(write('<x-1><x-4>cela<x-5> ou <x-2>ceci<x-3><x-6>')).toBe(
    '<p id="1"><i>cela</i> ou <b>ceci</b></p>',
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
