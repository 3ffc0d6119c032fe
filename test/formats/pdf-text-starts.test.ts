import { expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { lines, page, rule, text, widthOf } from './pdf-page.ts';

const read = (...content: Parameters<typeof page>): string[] =>
  findBlocks(page(...content)).blocks.map((block) => plainText(block.content));
const centred = (values: readonly string[]) =>
  values.map((value, row) => text(value, 300 - 5 * widthOf(value), 700 - 12 * row));

it('a text ends at a line in a script from the other side', () => {
  const names = ['Saint George Orthodox Church', 'كنيسة القديس جاورجيوس الانطاكية', 'Founded by Michael'];
  expect(read([centred(names)]).length).toBe(3);
});

it('a clause number starts a text in running text', () => {
  const clause = [
    'The contractor shall deliver all of the goods at the place and at sea.',
    '3.1.2.1 The supplier shall insure all of the goods at the place and at',
    'the time that the parties have agreed upon.',
  ];
  expect(read([lines(clause, 50, 700)])).toEqual([clause[0], clause.slice(1).join(' ')]);
});

it.each(['^', 'o'])('a sign at one place before several texts is their bullet: %s', (sign) => {
  const items = [
    'include educating the patient about possible danger to enable the patient to',
    'make a decision; and',
    'address options for reducing the risks of the use.',
  ];
  const signs = [0, 2].map((row) => text(sign, 108, 700 - 12 * row));
  expect(read([lines(items, 126, 700), signs])).toEqual([items.slice(0, 2).join(' '), items[2]]);
});

it('a sign in place of a number may be divided by the end of a line', () => {
  const sentence = [
    '乙は甲に対し、元金および前条にて定めた利息を、平成○',
    '○年○○月までの計○回は毎月末日までに返済する。',
  ];
  expect(read([lines(sentence, 50, 700)]).length).toBe(1);
});

it('a line ends a text of ideographs if it is farther away than their lines', () => {
  const body = [
    '本契約に関し紛争が生じたときは、甲の所在地を管轄する',
    '地方裁判所を管轄裁判所とする、以上を証するため本書を',
    '作成し、各自署名・押印の上保有する、以上を証するため',
    '本書を二通作成し、各自署名・押印の上一通ずつ保有する。',
  ];
  const date = text('平成□□年□□月□□日', 50, 700 - 3 * 12 - 24);
  expect(read([lines(body, 50, 700), date]).length).toBe(2);
});

it('a box behind a part of a heading does not divide it', () => {
  const heading = lines(['Research', 'Paper'], 50, 600, { size: 60, leading: 60 });
  const body = lines(['a text of the page that is here and', 'continues in the next line of it'], 50, 300);
  expect(read([heading, body], [rule(140, 400, 220, 800)])[0]).toBe('Research Paper');
});

it('a text continues after an article with a capital', () => {
  const texts = ['It has a supply of current. The', 'Union has it too.'];
  expect(read([lines(texts, 50, 700)])).toEqual([texts.join(' ')]);
});
