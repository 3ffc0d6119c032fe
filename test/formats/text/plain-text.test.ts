import { expect, test } from 'vitest';
import { textsOf } from './texts.ts';

test('bytes in another encoding are rejected', async () => {
  await expect(textsOf('txt', Buffer.from([0xff, 0x41])).texts()).rejects.toThrow(/must be text in UTF-8/);
});
