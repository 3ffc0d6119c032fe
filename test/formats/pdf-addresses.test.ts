import { describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { lines, page, text } from './pdf-page.ts';

/** The texts of a page with these lines, whether they are translated or kept. */
function read(values: readonly string[]): { translated: string[]; addresses: string[] } {
  const { blocks, kept } = findBlocks(page([lines([...values], 50, 700)]));
  return {
    translated: blocks.map(({ content }) => plainText(content)),
    addresses: kept.filter(({ reason }) => reason === 'address').map(({ text }) => text),
  };
}

describe('an address on several lines is one address', () => {
  it.each<[what: string, lines: string[]]>([
    ['divided at its signs', ['https://example.org/watch?', 'v=O-9y&in', 'dex=7&list=P', '34F1B']],
    ['divided after a hyphen', ['http://example.org/2013/1', '0/16/health/long-', 'dead-words/']],
    ['divided before a name', ['https://example.org/words/', 'WordsAndMore']],
    ['divided before its domain', ['https://news.', 'example.org/words']],
  ])('%s', (_, address) => {
    expect(read(address)).toEqual({ translated: [], addresses: [address.join('')] });
  });

  it('in another color than its start', () => {
    const [start, end] = ['http://example.org/2013/1', '0/16/health/words/'];
    const content = page([text(start, 50, 700), text(end, 50, 688, { color: '0 0 1 rg' })]);
    expect(findBlocks(content).kept.map(({ text }) => text)).toEqual([start + end]);
  });

  it('for email, with a hyphen at the end of a line', () => {
    const found = read(['The words are sent to stat-', 'advising@example.org of them all']);
    expect(found.translated).toEqual(['The words are sent to stat-advising@example.org of them all']);
  });
});

describe('an email address on several lines is one address', () => {
  it.each([
    ['words.of@co.aitkin.mn.', 'us'],
    ['words.of@co.clay.m', 'n.us'],
    ['words.of@bigst', 'onecounty.org'],
    ['words.of@co.kanabe', 'c.mn.us'],
  ])('%s | %s', (above, below) => {
    expect(read([above, below])).toEqual({ translated: [], addresses: [above + below] });
  });

  it('but not with the address of its host', () => {
    const values = ['words@news.example', 'news.example'];
    const { translated, addresses } = read(values);
    expect([...addresses, ...translated]).toEqual(values);
  });
});

describe('an address ends at the end of its line', () => {
  it.each<[above: string, below: string]>([
    ['The words are at https://example.org/', 'and they are not more than these'],
    ['The words are at https://example.org', 'and/or at another of these places'],
    ['The words are at https://example.org/a', '2023 was the year of the words'],
    ['The words are at https://example.org/a', 'https://example.org/b is another one'],
  ])('%s | %s', (above, below) => {
    expect(read([above, below]).translated.join('|')).toMatch(/(?:org|org\/a?)[ |](?:and|2023|https)/);
  });
});

it.each([
  [['news.org/exclusive-brands', 'shop.org/exclusive-brands']],
  [['Register for the class here:', 'https://example.org/class-2023/', 'http://example.com/class-2023/']],
])('addresses below each other are not joined: %j', (values) => {
  const { translated, addresses } = read(values);
  expect([...translated, ...addresses]).toEqual(values);
});
