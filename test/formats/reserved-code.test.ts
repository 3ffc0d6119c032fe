import { expect, it } from 'vitest';
import * as markdown from '#server/formats/markdown.ts';
import { marked, segmentsOf, translate } from './markup-files.ts';

it('targets, comments and roles of MyST, which a program reads, stay', async () => {
  const file = `(old-wall)=\n## The wall\n\nSee {ref}\`the wall <old-wall>\` now.\n% a note\n\n+++ {"tags": ["x"]}\n\n(a b)=\nText\n`;
  expect(await translate(markdown, file, marked)).toBe(
    file
      .replace('The wall', 'The§ wall§')
      .replace('See', 'See§')
      .replace('now', 'now§')
      .replace('Text', 'Text§'),
  );
  const [, text] = await segmentsOf(markdown, file);
  expect(text!.source).toEqual([
    'See ',
    { tag: 1, type: 'void', isWord: true, code: 'the wall <old-wall>' },
    ' now.',
  ]);
});
