import { describe, expect, it } from 'vitest';
import { addedCode } from '#server/formats/added-code.ts';
import { casesOf, listOf } from './cases.ts';

describe('code that a translation has and its source lacks', () => {
  it.each(listOf('added-code.yaml', 'code that a translation has and its source lacks: is found'))(
    '%j is found',
    (code) => {
      expect(addedCode('Hello', `Bonjour ${code} à tous`)).not.toEqual([]);
      expect(addedCode(`Hello ${code} all`, `Bonjour ${code} à tous`)).toEqual([]);
    },
  );

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
