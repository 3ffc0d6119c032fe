import { describe, expect, it } from 'vitest';
import { addedCode } from '#server/formats/added-code.ts';
import { casesOf } from './cases.ts';

describe('code that a translation has and its source lacks', () => {
  it.each([
    ...[
      '{{x}}',
      '{{{x}}}',
      '{{ constructor }}',
      '{% include "x" %}',
      '{%- x %}',
      '{# x #}',
      '{!! x !!}',
      '{$x}',
    ],
    ...[
      '<%= x %>',
      '<?php x',
      '<?= x ?>',
      '<#assign x>',
      '<!--#exec cmd="x" -->',
      '<c:out value=x>',
      '[% x %]',
    ],
    ...[
      '[[${x}]]',
      '${x}',
      '$!{x}',
      '#{x}',
      '@{x}',
      '<script>',
      '<SCRIPT src=x>',
      '<iframe src="x">',
      '<svg/onload=x>',
    ],
    ...[
      '<img src=x onerror=y>',
      "<a onclick = 'x'>",
      '<b srcdoc=x>',
      '<p v-html="x">',
      '<p x-data="x">',
      '<p @click="x">',
    ],
    ...[
      '[x](javascript:y)',
      'JavaScript: alert(1)',
      'java\nscript:x',
      'vbscript:x',
      'data:text/html,x',
      'DATA: image/svg+xml,x',
    ],
    // These become code if a program decodes references or escapes, or removes invisible characters.
    ...[
      '&#123;&#x7b;x}}',
      '&lbrace;{x}}',
      '&lt;script>',
      'java&#115;cript:x',
      'javascript&colon;x',
      '\\u007b{x}}',
    ],
    ...['\\x3cscript>', '{\u200b{x}}', 'java\u00adscript:x', '<\ufeffscript>'],
  ])('%j is found', (code) => {
    expect(addedCode('Hello', `Bonjour ${code} à tous`)).not.toEqual([]);
    expect(addedCode(`Hello ${code} all`, `Bonjour ${code} à tous`)).toEqual([]);
  });

  it.each<[string, string]>(
    casesOf(
      'added-code.yaml',
      'code that a translation has and its source lacks: other code than that of the source is found: ,',
    ),
  )('other code than that of the source is found: %s, %s', (source, target) => {
    expect(addedCode(source, target)).not.toEqual([]);
    expect(addedCode(target, target)).toEqual([]);
  });

  it.each<[string, string]>(
    casesOf('added-code.yaml', 'code that a translation has and its source lacks: is the same code in'),
  )('%j is the same code in %j', (source, target) => {
    expect(addedCode(source, target)).toEqual([]);
  });

  it.each([
    ['{{name}}', '{{name.constructor("x")()}}'],
    ['${a}', '${b}'],
    ['{n, other {{n} items}}', '{{ {}.constructor.x }}'],
    ['<%= a %>', '<%= b %>'],
  ])('%j does not allow %j', (source, target) => {
    expect(addedCode(source, target)).toHaveLength(1);
  });
});
