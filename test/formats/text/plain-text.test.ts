import { expect, test } from 'vitest';
import { textsOf } from './texts.ts';

const file = 'Title\r\n\r\n\tFirst line. \nSecond line\u2028third\r42\nhttps://example.org\n';

test('each line of a plain text is translated, and all other bytes stay', async () => {
  expect(await textsOf('txt', file).identity()).toBe(file);
  expect(await textsOf('txt', file).texts()).toEqual(['Title', 'First line.', 'Second line', 'third']);
  const { segments } = await textsOf('txt', file).extract();
  expect(segments.map(({ place }) => place)).toEqual(['line 1', 'line 3', 'line 4', 'line 4']);
  const { text } = await textsOf('txt', file).rebuild(({ source }) => [`[${source[0]}]`]);
  expect(text).toBe(file.replace(/Title|First line\.|Second line|third/g, (line) => `[${line}]`));
});

test('a translation of several lines is written as one', async () => {
  const { text } = await textsOf('txt', 'One\nTwo').rebuild(() => ['a\r\nb\n\nc']);
  expect(text).toBe('a b c\na b c');
});

test('a blank file has no texts, and bytes in another encoding are rejected', async () => {
  expect(await textsOf('txt', ' \n\n').texts()).toEqual([]);
  await expect(textsOf('txt', Buffer.from([0xff, 0x41])).texts()).rejects.toThrow(/must be text in UTF-8/);
});
